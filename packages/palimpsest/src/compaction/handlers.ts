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

/** The input of a handler. It is frozen before the call, so the handler may take its time. */
export interface FoldInput {
  readonly decision: Decision
  readonly range: FoldRange
  /** The messages of the range, oldest first. */
  readonly messages: readonly Message[]
  /** The segments that are shown so far, oldest first. */
  readonly segments: readonly Segment[]
  /** The people known from the segments. Those who speak in `messages` are not included. */
  readonly people: readonly Person[]
  readonly memo: Memo | null
  readonly summarizer: Summarizer
  readonly limits: SegmentLimits
  readonly zone: string
  readonly signal: AbortSignal
  /** What the summary has to keep above all, in the caller's words. */
  readonly focus?: string
  /**
   * Adds a warning to the outcome, whether the fold succeeds or fails. A warning must never quote the
   * conversation.
   */
  readonly warn: (warning: string) => void
}

export interface FoldResult {
  readonly segments: readonly FoldedSegment[]
  /** `null`: the memo stays as it was. */
  readonly memo: Memo | null
  /** Lines for the chat's own memory. Left out: they were not asked for. */
  readonly extracts?: readonly Extract[]
}

export type FoldHandler = (input: FoldInput) => FoldResult | Promise<FoldResult>

/** The further input of the built-in handler. */
export interface FoldWork extends FoldInput {
  /**
   * Provisional segments right before the range. `messages` begins with their messages, and the new segments
   * replace them.
   */
  readonly superseded: readonly Segment[]
  readonly keeper: MemoKeeper
  readonly isProvisional: boolean
  /** The kind decides how many tokens the raw messages take in a context. */
  readonly kind: SessionKind
  /**
   * What happens if a spend limit is reached. `extract`: a provisional segment is made without the model.
   * `fail`: the error is thrown.
   */
  readonly whenSpent: 'extract' | 'fail'
  /** For a summariser that can reuse it. */
  readonly prefix: Prefix | null
  /** What to ask for the chat's own memory. `null`: this chat has none. */
  readonly extracts: NonNullable<SummarizeRequest['extracts']> | null
}

/**
 * The handler of `lite` and `deep`. It folds the range into segments. If the segments become too many, it
 * condenses the oldest into one.
 */
export async function foldRange(given: FoldWork): Promise<FoldResult> {
  const work = { ...given, people: mergePeople(given.people, peopleOf(given.messages, given.zone)) }
  const others = work.segments.filter(segment => !work.superseded.includes(segment))
  const segments: FoldedSegment[] = []
  const extracts: Extract[] = []
  const boundaries = [...work.superseded.map(({ fromSeq }) => fromSeq), work.range.fromSeq]
  // If a spend limit is reached, the finished segments stay. The rest of the range is folded without the
  // model.
  let by = work
  const withoutModel = (error: unknown): FoldWork => {
    if (work.whenSpent === 'fail' || !SummarizerError.isSpendGuard(error)) throw error
    work.keeper.fallBehind()
    return { ...work, summarizer: extractive(), isProvisional: true }
  }
  let covered = 0
  // The first messages of a superseded segment may have been erased. Its boundary is then the next message
  // that is left.
  const firsts = boundaries.map(seq => work.messages.find(message => message.seq >= seq)?.seq ?? seq)
  for (const messages of chunks(work.messages, sourceLimit(work.summarizer), firsts)) {
    work.signal.throwIfAborted()
    const folded = await summarizeChunk(messages, by, { others, extracts }).catch(error => {
      by = withoutModel(error)
      return summarizeChunk(messages, by, { others, extracts })
    })
    // The new segment covers the range of erased messages too.
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
 * A superseded segment is absorbed by the new segment that covers its first message. If a rollback removes
 * that new segment, all later ones over the same range are removed too.
 */
function beginningIn(
  { fromSeq, toSeq }: Pick<NewSegment, 'fromSeq' | 'toSeq'>,
  superseded: readonly Segment[],
): readonly number[] {
  return superseded
    .filter(segment => fromSeq <= segment.fromSeq && segment.fromSeq <= toSeq)
    .map(({ id }) => id)
}

/**
 * If a source below this size gives no shorter summary, that is no failure. The source is kept word for word.
 */
const MAX_KEPT_TOKENS = 300

async function summarizeChunk(
  messages: readonly Message[],
  work: FoldWork,
  { others, extracts }: { others: readonly Segment[]; extracts: Extract[] },
): Promise<Omit<FoldedSegment, 'absorbs'>> {
  const tokensBefore = tokensOf(messages)
  // The tokens in a context may be fewer than those measured, since reasoning is not shown.
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
  /** The most tokens that the segment may take. */
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
  // In a group, a context names the people. It does not tell which bot spoke, so those names are counted
  // here.
  const unnamed = work.kind === 'group' ? messages.filter(({ role }) => role !== 'user') : messages
  const naming = namingTokens(unnamed, { who, byRoles: byRoles || work.kind === 'group' })
  // Messages kept word for word take no more tokens than before. This limit includes ids and quotations,
  // which a message's own token count leaves out.
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

/** Whether all known people speak in these messages. */
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
    // The summary of a short source already holds nearly everything. Details get only a small share.
    ...(mostTokens < MAX_KEPT_TOKENS && { detailTokens: Math.floor(mostTokens * DETAILS_OF_SHORT) }),
    earlier: earlierSummary(others.map(each => withNames(each, new WhoIsWho(work.people)))),
    people: work.people,
    focus,
    zone,
    signal,
    memo: { keeper, lastSeq: toSeq, throughSeq: toSeq },
    // A range in several parts gets no prefix, since the prefix would show more than the part.
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
