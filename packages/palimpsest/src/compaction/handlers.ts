import {
  type Memo,
  type Message,
  mergePeople,
  type NewSegment,
  type Person,
  type Segment,
  type SessionKind,
  VERBATIM,
  WhoIsWho,
} from '../log/index.ts'
import { type Decision, type FoldRange, type SegmentLimits, summaryTokens } from '../policy/index.ts'
import {
  type Extract,
  extractive,
  type Prefix,
  type SummarizeRequest,
  type Summarizer,
  SummarizerError,
  type Summary,
} from '../summarizer/index.ts'
import { estimateTokens } from '../tokens/index.ts'
import { boundEvents } from './carry-over.ts'
import { condense } from './condense.ts'
import { extractsWithoutModel } from './extracts.ts'
import { type FoldedSegment, measured, textOf } from './folded-segment.ts'
import type { MemoKeeper } from './memo-keeper.ts'
import { pause } from './pause.ts'
import { peopleOf, withNames } from './people.ts'
import { dayOf, earlierSummary, namingTokens, verbatimLines } from './segment-lines.ts'
import { chunks, partsOf, rawTokens, sourceLimit, tokensOf } from './source.ts'
import { type SourceRequest, SummaryRejectedError, summarizeSource } from './summarize-source.ts'

/** What a handler is given: frozen before it is called, so it can take as long as it likes. */
export interface FoldInput {
  readonly decision: Decision
  readonly range: FoldRange
  /** Those of the range, oldest first. */
  readonly messages: readonly Message[]
  /** Those shown so far, oldest first. */
  readonly segments: readonly Segment[]
  /** Who is known from them, beside those who speak in the messages. */
  readonly people: readonly Person[]
  readonly memo: Memo | null
  readonly summarizer: Summarizer
  readonly limits: SegmentLimits
  readonly zone: string
  readonly signal: AbortSignal
  /** What the caller asked to be kept above all. */
  readonly focus?: string
  /** Said in the outcome, whatever becomes of the fold. Never what was said in the conversation. */
  readonly warn: (warning: string) => void
}

export interface FoldResult {
  readonly segments: readonly FoldedSegment[]
  /** `null`: as it was. */
  readonly memo: Memo | null
  /** What belongs into the chat's own memory; left out: nobody asked for it. */
  readonly extracts?: readonly Extract[]
}

export type FoldHandler = (input: FoldInput) => FoldResult | Promise<FoldResult>

/** What the built-in handler is given beside it. */
export interface FoldWork extends FoldInput {
  /** Provisional segments right before the range: `messages` begins with theirs, and the new ones stand for them. */
  readonly superseded: readonly Segment[]
  readonly keeper: MemoKeeper
  readonly isProvisional: boolean
  /** By it what the messages take as they are is known. */
  readonly kind: SessionKind
  /** What becomes of it where there is no more to spend on the model: an extract, which is provisional, or an error. */
  readonly whenSpent: 'extract' | 'fail'
  /** For a summariser that makes use of it. */
  readonly prefix: Prefix | null
  /** What to ask for the chat's own memory; `null`: none is kept here. */
  readonly extracts: NonNullable<SummarizeRequest['extracts']> | null
}

/** `lite` and `deep`: the range into segments, and the oldest segments into one where they grow too many. */
export async function foldRange(given: FoldWork): Promise<FoldResult> {
  const work = { ...given, people: mergePeople(given.people, peopleOf(given.messages, given.zone)) }
  const others = work.segments.filter(segment => !work.superseded.includes(segment))
  const segments: FoldedSegment[] = []
  const extracts: Extract[] = []
  const boundaries = [...work.superseded.map(({ fromSeq }) => fromSeq), work.range.fromSeq]
  // What the model has said already stays; from there on it goes on without.
  let by = work
  const withoutModel = (error: unknown): FoldWork => {
    if (work.whenSpent === 'fail' || !SummarizerError.isSpendGuard(error)) throw error
    work.keeper.fallBehind()
    return { ...work, summarizer: extractive(), isProvisional: true }
  }
  let covered = 0
  // The messages that a superseded segment began with may be gone: then it begins with the next one.
  const firsts = boundaries.map(seq => work.messages.find(message => message.seq >= seq)?.seq ?? seq)
  for (const messages of chunks(work.messages, sourceLimit(work.summarizer), firsts)) {
    work.signal.throwIfAborted()
    const folded = await summarizeChunk(messages, by, { others, extracts }).catch(error => {
      by = withoutModel(error)
      return summarizeChunk(messages, by, { others, extracts })
    })
    // It is covered all the same.
    const fromSeq = Math.min(folded.fromSeq, ...boundaries.filter(seq => seq > covered))
    const segment = { ...folded, fromSeq }
    segments.push({ ...segment, absorbs: beginningIn(segment, work.superseded) })
    covered = segment.toSeq
    await pause()
  }
  const condensed = await condense(others, segments, by)
  return { segments: [...segments, ...condensed], memo: work.keeper.memo, extracts }
}

/**
 * A superseded segment goes with the first new one that covers any of it: if a rollback takes that one
 * away, it has taken away all the others over it too.
 */
function beginningIn(
  { fromSeq, toSeq }: Pick<NewSegment, 'fromSeq' | 'toSeq'>,
  superseded: readonly Segment[],
): readonly number[] {
  return superseded
    .filter(segment => fromSeq <= segment.fromSeq && segment.fromSeq <= toSeq)
    .map(({ id }) => id)
}

/** Of a source below this a summary that saves nothing is no failure: it is kept word for word. */
const MAX_KEPT_TOKENS = 300

async function summarizeChunk(
  messages: readonly Message[],
  work: FoldWork,
  { others, extracts }: { others: readonly Segment[]; extracts: Extract[] },
): Promise<Omit<FoldedSegment, 'absorbs'>> {
  const tokensBefore = tokensOf(messages)
  // What it takes as it is may be less than what was measured: thoughts are not shown.
  const mostTokens = Math.min(tokensBefore, rawTokens(messages, work.kind))
  const chunk: Chunk = { messages, tokensBefore, mostTokens, others }
  if (mostTokens < work.limits.verbatimBelowTokens) return keepVerbatim(chunk, work, extracts)
  try {
    const summary = await summarizeMessages(chunk, work)
    const segment = segmentOf(chunk, work, summary)
    if (segment.tokensAfter > mostTokens) throw new SummaryRejectedError('longer_than_source')
    extracts.push(...(summary.extracts ?? []))
    return segment
  } catch (error) {
    if (mostTokens >= MAX_KEPT_TOKENS || !savesNothing(error)) throw error
    return keepVerbatim(chunk, work, extracts)
  }
}

const DETAILS_OF_SHORT = 0.2

/** Messages that become one segment. */
interface Chunk {
  readonly messages: readonly Message[]
  readonly tokensBefore: number
  /** What the segment may take. */
  readonly mostTokens: number
  readonly others: readonly Segment[]
}

function savesNothing(error: unknown): boolean {
  return (
    error instanceof SummaryRejectedError && ['longer_than_source', 'over_budget'].includes(error.problem)
  )
}

async function keepVerbatim(
  chunk: Chunk,
  work: FoldWork,
  extracts: Extract[],
): Promise<Omit<FoldedSegment, 'absorbs'>> {
  const { messages } = chunk
  const { keeper, zone } = work
  const who = new WhoIsWho(work.people)
  const byRoles = work.kind !== 'group' && isAmong(work.people, messages)
  // A context of a group names the people; which bot it was it tells nowhere.
  const unnamed = work.kind === 'group' ? messages.filter(({ role }) => role !== 'user') : messages
  const naming = namingTokens(unnamed, { who, byRoles: byRoles || work.kind === 'group' })
  // What is kept as it was takes no more than it did: with ids and quotations, which no figure of a message holds.
  const mostTokens = rawTokens(messages, work.kind) + naming
  const { fromSeq, toSeq } = rangeOf(messages)
  const place = { fromSeq, toSeq, events: [], details: [], mostTokens }
  const fits = (summary: string) => estimateTokens(textOf({ ...place, summary })) <= mostTokens
  const text = verbatimLines(messages, { zone, who, byRoles, fits })
  if (!keeper.canUpdate && !work.isProvisional) keeper.passOver(toSeq)
  else if (toSeq > keeper.memo.throughSeq) keeper.fallBehind()
  if (work.extracts) extracts.push(...(await extractsWithoutModel(messages, work)))
  return segmentOf(
    { ...chunk, mostTokens },
    { ...work, summarizer: BY_ITSELF },
    { text, events: [], details: [] },
  )
}

/** No one else is known than those who speak here. */
function isAmong(people: readonly Person[], messages: readonly Message[]): boolean {
  return people.every(({ id }) => messages.some(({ sender }) => sender?.id === id))
}

const BY_ITSELF = { name: VERBATIM, version: '1' } as const

function rangeOf(messages: readonly Message[]): { fromSeq: number; toSeq: number } {
  return { fromSeq: messages[0]!.seq, toSeq: messages.at(-1)!.seq }
}

function segmentOf(
  { messages, tokensBefore, mostTokens }: Chunk,
  {
    summarizer,
    decision,
    zone,
    isProvisional,
  }: Pick<FoldWork, 'decision' | 'zone' | 'isProvisional'> & {
    readonly summarizer: Pick<Summarizer, 'name' | 'version'>
  },
  { text, events, details }: Pick<Summary, 'text' | 'events' | 'details'>,
): Omit<FoldedSegment, 'absorbs'> {
  const newest = messages.at(-1)!
  return measured({
    ...rangeOf(messages),
    messageCount: messages.length,
    summary: text,
    events: boundEvents(events, dayOf(newest.at, newest.zone ?? zone)),
    details,
    level: 1,
    state: isProvisional ? 'provisional' : 'live',
    type: decision.type,
    reason: decision.reason,
    summarizer: summarizer.name,
    promptVersion: summarizer.version,
    tokensBefore,
    mostTokens,
    people: peopleOf(messages, zone),
  })
}

async function summarizeMessages(
  { messages, mostTokens, others, tokensBefore }: Chunk,
  work: FoldWork,
): Promise<Summary> {
  const budgetTokens = summaryTokens(mostTokens, work.limits)
  const { summarizer, keeper, zone, signal, focus, warn, prefix } = work
  const toSeq = messages.at(-1)!.seq
  const source: SourceRequest = {
    messages,
    of: 'messages',
    sourceTokens: mostTokens,
    budgetTokens,
    // What is short is nearly all in the summary already; of the rest as much as can be shown.
    ...(mostTokens < MAX_KEPT_TOKENS && { detailTokens: Math.floor(mostTokens * DETAILS_OF_SHORT) }),
    earlier: earlierSummary(others.map(each => withNames(each, new WhoIsWho(work.people)))),
    people: work.people,
    focus,
    zone,
    signal,
    memo: { keeper, lastSeq: toSeq, throughSeq: toSeq },
    // Of a range that is folded in parts it would show too much.
    ...(prefix && messages.length === work.messages.length && { prefix }),
    ...(work.extracts && { extracts: work.extracts }),
    warn,
  }
  const isTooLarge = messages.length === 1 && tokensBefore > (summarizer.sourceTokens ?? Infinity)
  if (!isTooLarge) return summarizeSource(summarizer, source)
  const { parts, isWhole } = partsOf(messages[0]!, summarizer.sourceTokens!)
  if (!isWhole) warn(`message_clipped: message ${toSeq} was summarised by its beginning and its end`)
  const summaries: Summary[] = []
  for (const [index, part] of parts.entries()) {
    signal.throwIfAborted()
    const isLast = index === parts.length - 1
    summaries.push(
      await summarizeSource(summarizer, {
        ...source,
        messages: [part],
        sourceTokens: estimateTokens(part.content as string),
        budgetTokens: Math.ceil(budgetTokens / parts.length),
        memo: { keeper, lastSeq: toSeq, throughSeq: isLast ? toSeq : toSeq - 1 },
      }),
    )
  }
  return {
    text: summaries.map(({ text }) => text).join('\n'),
    events: summaries.flatMap(({ events }) => events),
    details: [...new Set(summaries.flatMap(({ details }) => details))],
    extracts: summaries.flatMap(({ extracts = [] }) => extracts),
  }
}
