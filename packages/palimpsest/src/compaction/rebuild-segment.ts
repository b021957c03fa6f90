import { type Message, mergePeople, type NewSegment, type Segment, VERBATIM, WhoIsWho } from '../log/index.ts'
import { type Policy, segmentLimits } from '../policy/index.ts'
import type { RebuiltSegment, Store, WithheldSegment } from '../store/index.ts'
import type { Extract, Summarizer } from '../summarizer/index.ts'
import { carryDetails, carryEvents } from './carry-over.ts'
import { condenseOne } from './condense.ts'
import { extractsFor } from './extracts.ts'
import { type FoldedSegment, withText } from './folded-segment.ts'
import { type FoldWork, foldRange } from './handlers.ts'
import { MemoKeeper } from './memo-keeper.ts'
import { peopleOfSegments, withNames } from './people.ts'
import { readMessages } from './read-messages.ts'
import { dayOf } from './segment-lines.ts'
import { MAX_SOURCE_TOKENS, tokensOf } from './source.ts'
import { isExtractive } from './summarize-source.ts'

export interface RebuildEngine {
  readonly store: Pick<Store, 'sessions' | 'folds' | 'log'>
  readonly policy: Policy
  /** The configured summariser. An extract is final only if this one is extractive. */
  readonly summarizer: Summarizer
  readonly zone: string
}

/** A rebuilt segment, before its text is written. */
type Made = Omit<NewSegment, 'text' | 'state'> & Pick<FoldedSegment, 'mostTokens'>

/**
 * Rebuilds a segment after an erasure or an edit below it, as a fold would have made it. Messages go through
 * the code of a fold. Lower segments are condensed. Short sources are kept as they are.
 */
export async function rebuildSegment(
  engine: RebuildEngine,
  withheld: WithheldSegment,
  by: {
    readonly summarizer: Summarizer
    readonly signal: AbortSignal
    /** Whether lines for the chat's memory are asked for, too. */
    readonly extracts?: boolean
  },
): Promise<{ readonly segment: RebuiltSegment; readonly learned: Learned }> {
  const { segment, epoch } = withheld
  const work = await workFor(engine, withheld, by)
  const learned: Learned = { messages: [], extracts: by.extracts ? [] : null }
  // A segment of level 1 may absorb provisional segments. It is still made from messages.
  const made = await (segment.level === 1
    ? fromMessages(engine, withheld, work, learned)
    : fromLower(engine, withheld, work))
  const { fromSeq, toSeq } = segment
  const rebuilt = { id: segment.id, expectedEpoch: epoch }
  if (made === null) return { segment: { ...rebuilt, ...NOTHING_LEFT }, learned }
  const {
    summary,
    events,
    details,
    text,
    tokensAfter,
    people = null,
  } = withText({
    ...made,
    fromSeq,
    toSeq,
    state: 'live',
    absorbs: [],
  })
  const { messageCount, summarizer, promptVersion, tokensBefore } = made
  const told = {
    ...rebuilt,
    ...{ summary, events, details, text, tokensAfter, messageCount, summarizer, promptVersion, tokensBefore },
    people,
    isProper: !isExtract(made) || isExtractive(engine.summarizer) || segment.state === 'provisional',
  }
  return { segment: told, learned }
}

/** The source messages, and their lines for the chat's memory. */
export interface Learned {
  readonly messages: Message[]
  /** `null`: lines were not asked for. */
  readonly extracts: Extract[] | null
}

/** Whether the built-in summariser made it, which only quotes messages. */
function isExtract({ summarizer: name }: Pick<Made, 'summarizer'>): boolean {
  return isExtractive({ name })
}

const NOTHING_LEFT = {
  summary: '',
  events: [],
  details: [],
  text: '',
  messageCount: 0,
  summarizer: VERBATIM,
  promptVersion: '1',
  tokensBefore: 0,
  tokensAfter: 0,
  people: null,
  isProper: true,
} as const

/** The work that a fold of this range would get, without the messages. */
async function workFor(
  { store, policy, zone: ofEngine }: RebuildEngine,
  { key, segment }: WithheldSegment,
  { summarizer, signal }: { summarizer: Summarizer; signal: AbortSignal },
): Promise<Omit<FoldWork, 'messages'>> {
  const { fromSeq, toSeq, type, reason } = segment
  const session = await store.sessions.readSession(key)
  const zone = session?.zone ?? ofEngine
  const shown = (await store.folds.readSegments(key, 'shown')).filter(({ text }) => text !== '')
  const warn = () => {}
  // The memo has its own cursor, so none is asked for here.
  const memo = { value: {}, throughSeq: Number.MAX_SAFE_INTEGER }
  const keeper = new MemoKeeper({
    memo,
    rules: { instructions: [] },
    summarizer,
    zone,
    earlier: null,
    people: peopleOfSegments(shown),
    signal,
    warn,
  })
  return {
    decision: { type, reason, severity: 0, meta: {} },
    range: { fromSeq, toSeq, amount: { messages: 0, characters: 0, tokens: 0 }, throughTurn: 0 },
    segments: shown.filter(earlier => earlier.toSeq < fromSeq),
    people: peopleOfSegments(shown),
    memo: null,
    summarizer,
    // The next fold limits the total of all segments.
    limits: {
      ...segmentLimits(policy, session?.state.overheadTokens),
      totalTokens: Number.POSITIVE_INFINITY,
    },
    zone,
    signal,
    warn,
    superseded: [],
    keeper,
    kind: session?.kind ?? 'private',
    isProvisional: false,
    // An extract is what this rebuild has to replace.
    whenSpent: 'fail',
    prefix: null,
    extracts: null,
  }
}

/** More parts than this are condensed into one. */
const MAX_PARTS = 3

/**
 * Works in parts, since the caller's own handler may have folded a range of any length. A segment made from a
 * window covers lower segments. They stand for their own messages, so only the messages above them are read.
 */
async function fromMessages(
  { store }: RebuildEngine,
  { key, segment, lower }: WithheldSegment,
  work: Omit<FoldWork, 'messages'>,
  learned: Learned,
): Promise<Made | null> {
  const told = lower.filter(({ text }) => text !== '')
  let parts: readonly (Made | Segment)[] = told
  let newest = told.length === 0 ? undefined : await newestThrough(store, key, segment.toSeq)
  let messageCount = lower.reduce((sum, each) => sum + each.messageCount, 0)
  let tokensBefore = tokensAfterOf(told)
  const firstSeq = (lower.at(-1)?.toSeq ?? segment.fromSeq - 1) + 1
  for (let fromSeq = firstSeq; fromSeq <= segment.toSeq; fromSeq = newest!.seq + 1) {
    work.signal.throwIfAborted()
    const range = { fromSeq, toSeq: segment.toSeq, mostTokens: MAX_SOURCE_TOKENS }
    const { messages, isWhole } = await readMessages(store.log, key, range)
    if (messages.length === 0) break
    newest = messages.at(-1)!
    messageCount += messages.length
    tokensBefore += tokensOf(messages)
    const asked = learned.extracts && extractsFor(messages)
    const { segments, extracts = [] } = await foldRange({ ...work, messages, extracts: asked })
    learned.messages.push(...messages)
    learned.extracts?.push(...extracts)
    for (const part of segments) parts = await joinIfMany([...parts, part], { ...work, messages })
    if (isWhole) break
  }
  if (newest === undefined || parts.length === 0) return null
  const one = parts.length === 1 ? parts[0]! : await condense(parts, { ...work, messages: [newest] })
  return { ...one, messageCount, tokensBefore, level: 1 }
}

async function joinIfMany(
  parts: readonly (Made | Segment)[],
  work: FoldWork,
): Promise<readonly (Made | Segment)[]> {
  return parts.length > MAX_PARTS ? [await condense(parts, work)] : parts
}

/** The newest message tells which day it was. */
async function newestThrough(
  store: RebuildEngine['store'],
  key: WithheldSegment['key'],
  seq: number,
): Promise<Message | undefined> {
  const [newest] = await store.log.readMessages(key, { before: seq + 1, limit: 1, from: 'newest' })
  return newest
}

function tokensAfterOf(parts: readonly Pick<Segment, 'tokensAfter'>[]): number {
  return parts.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0)
}

async function fromLower(
  { store }: RebuildEngine,
  { key, segment, lower }: WithheldSegment,
  work: Omit<FoldWork, 'messages'>,
): Promise<Made | null> {
  const left = lower.filter(({ text }) => text !== '')
  const newest = await newestThrough(store, key, segment.toSeq)
  if (left.length === 0 || newest === undefined) return null
  return condense(left, { ...work, messages: [newest] })
}

/** Parts that are already short are only joined. */
async function condense(parts: readonly (Made | Segment)[], work: FoldWork): Promise<Made> {
  const tokensBefore = tokensAfterOf(parts)
  const numbered = parts.map((part, index) => ({ ...part, id: index + 1 }))
  if (tokensBefore > work.limits.condensedTokens) return condenseOne(numbered, work)
  const newest = work.messages.at(-1)!
  const people = peopleOfSegments(parts)
  const who = new WhoIsWho(mergePeople(work.people, people))
  const named = parts.map(part => withNames(part, who))
  const summary = named.map(part => part.summary).join('\n')
  return {
    ...(parts[0] as Made),
    ...madeBy(parts),
    mostTokens: tokensBefore,
    messageCount: parts.reduce((sum, part) => sum + part.messageCount, 0),
    summary,
    events: carryEvents(named, dayOf(newest.at, newest.zone ?? work.zone)),
    details: carryDetails(named, { summary, tokens: work.limits.condensedTokens }),
    tokensBefore,
    people,
  }
}

/** If one part is an extract, the whole counts as an extract. */
function madeBy(parts: readonly (Made | Segment)[]): Pick<Made, 'summarizer' | 'promptVersion'> {
  const maker = parts.find(isExtract) ?? parts.find(part => part.summarizer !== VERBATIM) ?? parts[0]!
  return { summarizer: maker.summarizer, promptVersion: maker.promptVersion }
}
