import { withinTime } from '../compaction/within-time.ts'
import { languageOfText, textsOf } from '../language/index.ts'
import type {
  Author,
  DocumentKey,
  DocumentRecord,
  DocumentVersion,
  DocumentWrite,
  Fact,
  NewFact,
} from '../store/index.ts'
import { findTextProblem, type Summarizer } from '../summarizer/index.ts'
import { readDays } from '../summarizer/relative-dates.ts'
import { estimateTokens } from '../tokens/index.ts'
import {
  ALL_HEADINGS,
  condensedLine,
  inertLine,
  linesToCondense,
  listLines,
  listSections,
  replaceLines,
} from './document/index.ts'
import type { MemoryEngine } from './engine.ts'

const CONDENSED_BY: Author = { kind: 'extraction', name: 'condensed' }

/** Condensing is no change by a person, a tool or a model. */
export function isCondensing({ author }: Pick<DocumentVersion, 'author'>): boolean {
  return author.kind === CONDENSED_BY.kind && author.name === CONDENSED_BY.name
}

/** Condensing goes down to this share of the budget, so that it is rarely needed. */
const TARGET = 0.75
/** The share of the lines' tokens that the condensed line may take. */
const KEPT = 0.25
/** A fold or a write waits for the model. If the model takes longer, lines are condensed without it. */
const DEFAULT_TIMEOUT_MS = 20_000
/** Lines about a person are condensed last, and the profile last of all. */
const LASTING = [...ALL_HEADINGS.user.profile, ...ALL_HEADINGS.user.preferences]

/** Lines that one line replaces. */
export interface Condensed {
  readonly lines: readonly string[]
  readonly by: string
  /** The facts of the lines. They now belong to the condensed line. */
  readonly facts: readonly NewFact[]
}

export interface CondenseRequest {
  readonly budgetTokens: number
  /** The facts of the document. Only learned lines and history are condensed. Other lines by people stay. */
  readonly facts: readonly Pick<Fact, 'line' | 'origin' | 'saidAt' | 'from'>[]
  /** New lines. They are not condensed. */
  readonly added?: readonly string[]
  /** `null`: no model is asked. */
  readonly summarizer: Summarizer | null
  readonly zone: string
  readonly signal?: AbortSignal
  /** The time limit of the model. */
  readonly timeoutMs?: number
}

/**
 * Chooses the oldest lines to condense, and the line that replaces them. `null`: the document is within its
 * budget, or no line may be condensed.
 */
export async function condenseLines(content: string, request: CondenseRequest): Promise<Condensed | null> {
  const { budgetTokens, facts, added = [] } = request
  const mayGo = new Set([...facts.map(({ line }) => line), ...historyLines(content)])
  const due = linesToCondense(content, {
    budgetTokens,
    targetTokens: Math.floor(budgetTokens * TARGET),
    mayGo: line => mayGo.has(line) && !added.includes(line),
    lasting: LASTING,
  })
  if (due === null) return null
  const words = await inFewWords(due.lines, Math.max(20, Math.floor(due.tokens * KEPT)), request)
  const { documents } = textsOf(languageOfText(due.lines.join('\n')))
  const by = condensedLine(due.from, due.to, `${documents.condensed(due.lines.length)} ${inertLine(words)}`)
  return { lines: due.lines, by, facts: condensedFacts(facts, due.lines, by) }
}

function historyLines(content: string): readonly string[] {
  const headings: readonly string[] = [...ALL_HEADINGS.chat.history, ...ALL_HEADINGS.scope.history]
  return listSections(content)
    .filter(({ heading }) => headings.includes(heading))
    .flatMap(section => listLines(section.content))
}

async function inFewWords(
  lines: readonly string[],
  budgetTokens: number,
  { summarizer, zone, ...limits }: CondenseRequest,
): Promise<string> {
  const request = {
    messages: lines.map(lineAsMessage),
    of: 'summaries' as const,
    earlier: null,
    budgetTokens,
    detailTokens: 0,
    zone,
  }
  const said = summarizer && (await askModel(summarizer, request, limits))
  const { extractive } = await import('../summarizer/index.ts')
  const text = said ?? (await extractive().summarize(request)).text
  return text
    .split('\n')
    .map(line => withoutDay(line))
    .filter(line => line !== '')
    .join('; ')
}

/**
 * The text of a line without its day. The day stays if the text has words such as "tomorrow", which mean
 * nothing without it.
 */
function withoutDay(line: string): string {
  const [head, day] = /^- (?:(\d{4}-\d{2}-\d{2}) )?(?:user: )?/.exec(line) ?? ['']
  const text = line.slice(head.length).trim()
  if (text === '' || day === undefined) return text
  const moment = { at: new Date(`${day}T12:00:00Z`), zone: 'UTC' }
  return readDays(text, moment).open.length > 0 ? `${day} ${text}` : text
}

/** `null`: the model failed, took too long or gave no summary. The caller then goes on without it. */
async function askModel(
  summarizer: Summarizer,
  request: Parameters<Summarizer['summarize']>[0],
  { signal: given, timeoutMs = DEFAULT_TIMEOUT_MS }: Pick<CondenseRequest, 'signal' | 'timeoutMs'>,
): Promise<string | null> {
  const asking = withinTime(signal => summarizer.summarize({ ...request, signal }), {
    timeoutMs,
    signal: given,
  })
  const answer = await asking.catch(() => null)
  given?.throwIfAborted()
  const text = typeof answer?.text === 'string' ? answer.text : ''
  const isSummary = findTextProblem(text) === null && estimateTokens(text) <= request.budgetTokens * 2
  return isSummary ? text : null
}

/**
 * A speaker at the head of a line, such as `Ann: ` or `Alex (501) forwarded from Petra (502): `. It is not
 * part of the words.
 */
const SPEAKER = /^((?:"[^"]{1,40}"|[^:：()"]{1,40}|\([^()]{1,80}\)){1,4}): (.+)$/

function lineAsMessage(line: string, place: number) {
  const [, day, until, text = line] =
    /^- (\d{4}-\d{2}-\d{2})( – \d{4}-\d{2}-\d{2})?[^:]*: ?(.+)$/.exec(line) ?? []
  const [, speaker, said = text] = SPEAKER.exec(text) ?? []
  return {
    // A line over several days has the day of each thing in its text already.
    ...(until === undefined ? {} : { daysAreTold: true }),
    seq: place + 1,
    role: 'user' as const,
    sender: null,
    ...(speaker !== undefined && { speaker }),
    content: said,
    at: new Date(`${day ?? '1970-01-01'}T12:00:00Z`),
    zone: 'UTC',
  }
}

/** One fact for each session that the lines come from. */
function condensedFacts(
  facts: CondenseRequest['facts'],
  lines: readonly string[],
  by: string,
): readonly NewFact[] {
  const condensed = facts.filter(({ line }) => lines.includes(line))
  return [...Map.groupBy(condensed, ({ origin }) => origin.sessionId)].map(([sessionId, ofSession]) => ({
    line: by,
    subject: null,
    origin: {
      sessionId,
      fromSeq: Math.min(...ofSession.map(({ origin }) => origin.fromSeq)),
      toSeq: Math.max(...ofSession.map(({ origin }) => origin.toSeq)),
    },
    saidAt: new Date(Math.max(...ofSession.map(({ saidAt }) => saidAt.getTime()))),
    on: null,
    from: condensed.every(({ from }) => from === 'fold') ? 'fold' : 'extraction',
  }))
}

/** `null`: another write has changed one of the lines meanwhile. */
export function applyCondensed(content: string, { lines, by }: Condensed): string | null {
  return replaceLines(content, { lines, by: [by] })
}

/**
 * Condenses a document that is over its budget, as far as possible. `null`: nothing had to be done, or
 * nothing could be.
 */
export async function condenseDocument(
  engine: Pick<MemoryEngine, 'store' | 'layerBudgets' | 'zone' | 'clock' | 'noteChange'>,
  {
    key,
    document,
    ...how
  }: {
    readonly key: DocumentKey
    readonly document: DocumentRecord
    readonly added?: readonly string[]
    /** Left out: no model is asked, since a caller waits. */
    readonly summarizer?: Summarizer | null
    readonly signal?: AbortSignal
  },
): Promise<DocumentRecord | null> {
  const { store, layerBudgets, zone, clock, noteChange } = engine
  const budgetTokens = layerBudgets[key.layer]
  if (key.layer === 'persona' || document.tokens <= budgetTokens) return null
  const facts = await store.documents.readFacts(key, 'current')
  const condensed = await condenseLines(document.content, {
    budgetTokens,
    facts,
    zone,
    summarizer: null,
    ...how,
  })
  if (condensed === null) return null
  const [written] = await store.documents.changeDocuments([condensingWrite(key, condensed, clock())])
  noteChange()
  return written ?? null
}

function condensingWrite(key: DocumentKey, condensed: Condensed, now: number): DocumentWrite {
  return {
    key,
    change: current => {
      const content = current && applyCondensed(current.content, condensed)
      if (content === null) return null
      const { facts, lines } = condensed
      return { content, tokens: estimateTokens(content), facts, superseded: lines }
    },
    author: CONDENSED_BY,
    sources: [],
    now,
  }
}
