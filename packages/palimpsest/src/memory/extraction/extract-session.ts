import { backoffMs } from '../../compaction/backoff.ts'
import { guarded } from '../../compaction/guarded-summarizer.ts'
import type { SpendGuard, SpendGuardReport } from '../../compaction/index.ts'
import { peopleOf, peopleOfSegments } from '../../compaction/people.ts'
import { type SpendWatch, toReport } from '../../compaction/spend-guard.ts'
import { withinTime } from '../../compaction/within-time.ts'
import { PalimpsestError } from '../../errors.ts'
import {
  contentText,
  type Message,
  mergePeople,
  ownText,
  type Person,
  WhoIsWho,
  withoutRecalled,
} from '../../log/index.ts'
import {
  type DocumentKey,
  type ExtractionCommit,
  type ExtractionRules,
  learningDocuments,
  type SessionKey,
  type SessionRecord,
  type SpendLimitReached,
} from '../../store/index.ts'
import {
  extractive,
  isWorthKeeping,
  type Summarizer,
  SummarizerError,
  type Usage,
} from '../../summarizer/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { condenseDocument } from '../condense-document.ts'
import { listLines } from '../document/index.ts'
import { documentLanguage } from '../document-language.ts'
import type { MemoryEngine } from '../engine.ts'
import { withoutMark, withSpeakerMarked } from '../people-line.ts'
import { addFacts, type FactTarget, type LearnedFact } from './add-facts.ts'

export interface ExtractionEngine extends MemoryEngine {
  readonly extraction: ExtractionRules
  /** The limits on spending for models. Left out or `null`: there are none. */
  readonly spendGuard?: SpendGuard | null
  /** The time limit of the model. */
  readonly summarizerTimeoutMs: number
  /** Called with the result of each step. */
  readonly onExtraction?:
    | ((outcome: ExtractionReport, details: { readonly sessionId: string }) => void)
    | undefined
}

/** Numbers and names only. A report never quotes the conversation. */
export interface ExtractionReport {
  readonly layer: 'user' | 'scope'
  readonly fromSeq: number
  readonly toSeq: number
  /** The number of new facts. */
  readonly facts: number
  /** The usage of the model. `null`: no model was asked. */
  readonly usage: Usage | null
  /**
   * A spend limit was reached. Nothing was learned, and these messages are read again when the limit ends.
   */
  readonly spendGuard?: SpendGuardReport
}

/** `more`: more messages can be read at once. `wait`: nothing is due, or another process works on it. */
export type ExtractionOutcome = 'more' | 'done' | 'wait'

const LEASE_MS = 300_000
/** The most messages of one step. */
const MAX_MESSAGES = 200
const MAX_TOKENS = 12_000
const MAX_RELEARNED = 20
/** The summariser without a model reads so many neighbours of each message. */
const READ_AROUND = extractive().factsReadAround ?? 0

/**
 * One step of the extraction of a session. It reads the messages above the cursor for facts about the
 * session's person and scope. Each message is read once. A failed step is tried again later. The cursor and
 * the documents change in one transaction.
 */
export async function extractSession(
  engine: ExtractionEngine,
  key: SessionKey,
  signal: AbortSignal,
  failures = 0,
): Promise<ExtractionOutcome> {
  const { store, namespace, clock, owner } = engine
  const retryLater = () => store.extraction.failExtraction(key, { retryAt: clock() + retryMs(failures) })
  const dueAt = await store.extraction.judgeExtraction(key, { rules: engine.extraction, now: clock() })
  const session = await store.sessions.readSession(key)
  if (session === null || dueAt === null || dueAt > clock()) return 'wait'
  const lease = await store.leases.takeLease(namespace, {
    name: `extraction/${key.id}`,
    owner,
    ttlMs: LEASE_MS,
    now: clock(),
  })
  if (lease === null) {
    await retryLater()
    return 'wait'
  }
  try {
    return await extractUnderLease(engine, { key, session, token: lease.token, signal })
  } catch (error) {
    // A step that `close` ends stays due as it was.
    if (signal.aborted) return 'wait'
    await retryLater()
    if (isOvertaken(error)) return 'wait'
    throw error
  } finally {
    await store.leases
      .dropLease(namespace, { name: `extraction/${key.id}`, token: lease.token })
      .catch(() => {})
  }
}

/**
 * A minute after the first failure. It doubles with each failure, up to an hour, since calls to a broken
 * model must not cost much.
 */
function retryMs(failures: number): number {
  return backoffMs(failures + 2)
}

/** History changed meanwhile, or another process did the work. This is no failure. */
function isOvertaken(error: unknown): boolean {
  const codes = ['lease_lost', 'cursor_conflict', 'epoch_conflict', 'session_not_found']
  return PalimpsestError.isInstance(error) && codes.includes(error.code)
}

interface Step {
  readonly key: SessionKey
  readonly session: SessionRecord
  readonly token: number
  readonly signal: AbortSignal
}

async function extractUnderLease(engine: ExtractionEngine, step: Step): Promise<ExtractionOutcome> {
  const { store, clock, noteChange, extraction: rules } = engine
  const { key, session, token, signal } = step
  const zone = session.zone ?? engine.zone
  const around = engine.summarizer.extractFacts ? (engine.summarizer.factsReadAround ?? 0) : READ_AROUND
  const reading = session.unlearned
    ? await readAgain(engine, step, around)
    : await readNext(engine, step, around)
  if (reading === null) return 'done'
  const { messages, around: others, committed, isMore } = reading
  const spending = engine.spendGuard?.watch(key) ?? null
  const summarizer = guarded(engine.summarizer, spending)
  const targets = messages.length === 0 ? [] : await targetsOf(session, engine)
  const range = { fromSeq: messages[0]?.seq ?? 0, toSeq: messages.at(-1)?.seq ?? 0 }
  const people = targets.length === 0 ? [] : await knownPeople(engine, step, messages)
  const answers: (Asked & { readonly target: FactTarget })[] = []
  for (const target of targets) {
    const question = { messages, around: others, target, people, zone, summarizer, signal }
    const asked = await askForFacts(engine, question).catch(unlessSpent(spending))
    if ('waits' in asked) {
      const { waits, usage } = asked
      await store.extraction.failExtraction(key, { retryAt: waits.until })
      const { layer } = target
      tell(engine, key.id, { layer, ...range, facts: 0, usage, spendGuard: toReport(waits) })
      return 'wait'
    }
    answers.push({ target, ...asked })
  }
  const now = clock()
  const learned = answers.filter(({ facts, takenBack }) => facts.length + takenBack.length > 0)
  const takenBack = [...new Set(learned.flatMap(each => each.takenBack))]
  const language = documentLanguage(engine, session, messages)
  const source = {
    messages: [...messages, ...others],
    sessionId: key.id,
    author: engine.summarizer.name,
    zone,
    language,
    now,
  }
  // All documents share one cursor, so that each message is read once for all of them.
  await store.extraction.commitExtraction({
    key,
    leaseToken: token,
    ...committed,
    documents: learned.map(({ target, facts }) => addFacts(target, { facts, ...source })),
    ...(takenBack.length > 0 && { takenBack }),
    rules,
    now,
  })
  for (const { target, facts, usage } of answers)
    tell(engine, key.id, { layer: target.layer, ...range, facts: facts.length, usage })
  if (learned.length > 0) noteChange()
  for (const { target } of learned) await condense(engine, target.key, { summarizer, signal })
  return isMore ? 'more' : 'done'
}

/** The people of the session, through the messages of this step. */
async function knownPeople(
  { store, zone }: ExtractionEngine,
  { key, session }: Step,
  messages: readonly Message[],
): Promise<readonly Person[]> {
  const segments =
    session.kind !== 'group' || session.state.compactedThrough === 0
      ? []
      : await store.folds.readSegments(key, 'shown')
  return mergePeople(peopleOfSegments(segments), peopleOf(messages, session.zone ?? zone))
}

/** What one step reads. */
interface Reading {
  readonly messages: readonly Message[]
  /** The messages right before these, and messages right after that an earlier step read. */
  readonly around: readonly Message[]
  readonly committed: Pick<ExtractionCommit, 'after' | 'through' | 'read' | 'relearned'>
  readonly isMore: boolean
}

/** The oldest messages above the cursor. `null`: there are none. */
async function readNext(
  { store }: ExtractionEngine,
  { key, session }: Step,
  around: number,
): Promise<Reading | null> {
  const after = session.extractedThrough
  const range = { after, limit: MAX_MESSAGES }
  const page = await store.log.readMessages(key, { ...range, from: 'oldest', answered: true })
  const messages = firstWithin(page, MAX_TOKENS)
  const last = messages.at(-1)
  if (last === undefined) return null
  const versions = messages.reduce((sum, { version }) => sum + version, 0)
  return {
    messages,
    around: await readAround(store, key, { messages: messages.slice(0, 1), around, through: after }),
    committed: { after, through: last.seq, read: { messages: messages.length, versions } },
    isMore: last.seq < (session.head?.seq ?? 0),
  }
}

/**
 * Messages below the cursor that were edited after they were read. The facts learned from them are removed
 * already.
 */
async function readAgain(
  { store }: ExtractionEngine,
  { key, session }: Step,
  around: number,
): Promise<Reading> {
  const { unlearned = [], extractedThrough: after } = session
  const seqs = unlearned.slice(0, MAX_RELEARNED)
  const found = await store.log.readMessages(key, { seqs, answered: true })
  const messages = found.length === 0 ? [] : firstWithin(found, MAX_TOKENS)
  const isLeft = (seq: number) =>
    found.some(each => each.seq === seq) && !messages.some(each => each.seq === seq)
  const relearned = seqs
    .filter(seq => !isLeft(seq))
    .map(seq => ({ seq, version: messages.find(each => each.seq === seq)?.version ?? 0 }))
  return {
    messages,
    around: await readAround(store, key, { messages, around, through: after }),
    committed: { after, through: after, read: { messages: 0, versions: 0 }, relearned },
    isMore: relearned.length < unlearned.length,
  }
}

/** The neighbours of messages. Only neighbours through `through` count, since earlier steps read these. */
async function readAround(
  store: ExtractionEngine['store'],
  key: SessionKey,
  { messages, around, through }: { messages: readonly Message[]; around: number; through: number },
): Promise<readonly Message[]> {
  const there = new Set(messages.map(({ seq }) => seq))
  const seqs = new Set<number>()
  for (const seq of there)
    for (let at = Math.max(1, seq - around); at <= Math.min(seq + around, through); at++)
      if (!there.has(at)) seqs.add(at)
  return seqs.size === 0 ? [] : store.log.readMessages(key, { seqs: [...seqs] })
}

/** An error of a listener must not fail the step, which is already stored. */
function tell(
  { onExtraction, onError }: ExtractionEngine,
  sessionId: string,
  report: ExtractionReport,
): void {
  try {
    onExtraction?.(report, { sessionId })
  } catch (error) {
    onError(error, { sessionId })
  }
}

/** The documents that this session feeds. */
async function targetsOf(
  session: SessionRecord,
  { store, namespace, extraction }: ExtractionEngine,
): Promise<readonly FactTarget[]> {
  const { scope } = session
  const document =
    scope === null ? null : await store.documents.readDocument({ namespace, layer: 'scope', key: scope })
  const owner = document?.owner ?? null
  const { scopeLearnsFrom: from } = extraction
  return learningDocuments(session, { from, owner }).map(({ layer, key }) => {
    const subject = layer === 'user' ? key : null
    return { layer, subject, speaker: subject ?? owner, key: { namespace, layer, key } }
  })
}

interface Asked {
  readonly facts: readonly LearnedFact[]
  readonly takenBack: readonly number[]
  readonly usage: Usage | null
}

const NOTHING_ASKED: Asked = { facts: [], takenBack: [], usage: null }

/** A spend limit is no failure. The messages wait until the limit ends. */
function unlessSpent(spending: SpendWatch | null) {
  return (error: unknown): { readonly waits: SpendLimitReached; readonly usage: Usage | null } => {
    const waits = spending?.reached
    if (!waits || !SummarizerError.isSpendGuard(error)) throw error
    return { waits, usage: error.usage }
  }
}

interface Question {
  readonly messages: readonly Message[]
  readonly people: readonly Person[]
  readonly around: readonly Message[]
  readonly target: FactTarget
  readonly zone: string
  readonly summarizer: Summarizer
  readonly signal: AbortSignal
}

async function askForFacts(
  engine: ExtractionEngine,
  { messages, around, target, people, zone, summarizer, signal }: Question,
): Promise<Asked> {
  const said = messages.filter(message => maySay(message, target))
  // A message such as "jk" tells nothing alone, but it may take back what was said before it.
  const sources = around.length === 0 ? said.filter(isTelling) : said
  if (sources.length === 0) return NOTHING_ASKED
  const { store, summarizerTimeoutMs } = engine
  const known = listLines((await store.documents.readDocument(target.key))?.content ?? '')
  const name = sources.findLast(({ sender }) => sender?.name)?.sender?.name ?? null
  const asked: Pick<Summarizer, 'extractFacts'> = summarizer.extractFacts ? summarizer : extractive()
  // A scope is read in all its sessions, so the facts name their speakers. A scope of one person names no
  // other person.
  const marksAll = target.layer === 'scope' && target.speaker === null
  const request = {
    layer: target.layer,
    subject: target.subject === null ? null : { id: target.subject, name },
    messages: withoutRecalled([...messages, ...around].toSorted((one, other) => one.seq - other.seq)),
    sources: new Set(sources.map(({ seq }) => seq)),
    known,
    people,
    marksAll,
    zone,
  }
  const {
    facts,
    takenBack = [],
    usage = null,
  } = await withinTime(within => asked.extractFacts!({ ...request, signal: within }), {
    timeoutMs: summarizerTimeoutMs,
    signal,
  })
  const everyone = new WhoIsWho(people, { marksAll })
  const learned = facts
    .filter(({ text }) => isWorthKeeping(withoutMark(text)))
    .map(({ replaces, ...fact }) => {
      const source = messages.find(({ seq }) => seq === fact.seq)
      const said = everyone.byId(source?.sender?.id ?? '')
      const text = marksAll ? withSpeakerMarked(fact.text, said, everyone) : fact.text
      return { ...fact, text, replaces: replaces.map(place => known[place]!) }
    })
  return { facts: learned, takenBack, usage }
}

/**
 * Only that person's words are a source for a person's memory. Another person with the same name is no
 * source.
 */
function maySay({ role, sender }: Message, { speaker }: FactTarget): boolean {
  if (role !== 'user' || sender?.isSelf) return false
  return speaker === null || sender === null || sender.id === speaker
}

function isTelling({ content }: Message): boolean {
  return isWorthKeeping(ownText(content))
}

/** The result has at least one message. */
function firstWithin(messages: readonly Message[], tokens: number): readonly Message[] {
  let left = tokens
  const end = messages.findIndex(({ content }) => {
    left -= estimateTokens(contentText(content))
    return left < 0
  })
  return end === -1 ? messages : messages.slice(0, Math.max(1, end))
}

async function condense(
  engine: ExtractionEngine,
  key: DocumentKey,
  { summarizer, signal }: Pick<Question, 'summarizer' | 'signal'>,
): Promise<void> {
  const { store } = engine
  const document = await store.documents.readDocument(key)
  if (document === null) return
  const asked = summarizer.name === 'extractive' ? null : summarizer
  await condenseDocument(engine, { key, document, summarizer: asked, signal })
}
