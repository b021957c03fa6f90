import type { Memo, Message, NewSegment, Segment } from '../log/index.ts'
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
import { type FoldedSegment, measured } from './folded-segment.ts'
import type { MemoKeeper } from './memo-keeper.ts'
import { pause } from './pause.ts'
import { dayOf, earlierSummary, verbatimLinesWithin } from './segment-lines.ts'
import { chunks, partsOf, sourceLimit, tokensOf } from './source.ts'
import { type SourceRequest, summarizeSource } from './summarize-source.ts'

/** What a handler is given: frozen before it is called, so it can take as long as it likes. */
export interface FoldInput {
  readonly decision: Decision
  readonly range: FoldRange
  /** Those of the range, oldest first. */
  readonly messages: readonly Message[]
  /** Those shown so far, oldest first. */
  readonly segments: readonly Segment[]
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
  /** What becomes of it where there is no more to spend on the model: an extract, which is provisional, or an error. */
  readonly whenSpent: 'extract' | 'fail'
  /** For a summariser that makes use of it. */
  readonly prefix: Prefix | null
  /** What to ask for the chat's own memory; `null`: none is kept here. */
  readonly extracts: NonNullable<SummarizeRequest['extracts']> | null
}

/** `lite` and `deep`: the range into segments, and the oldest segments into one where they grow too many. */
export async function foldRange(work: FoldWork): Promise<FoldResult> {
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
  for (const messages of chunks(work.messages, sourceLimit(work.summarizer), boundaries)) {
    work.signal.throwIfAborted()
    const segment = await summarizeChunk(messages, by, { others, extracts }).catch(error => {
      by = withoutModel(error)
      return summarizeChunk(messages, by, { others, extracts })
    })
    segments.push({ ...segment, absorbs: beginningIn(segment, work.superseded) })
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

async function summarizeChunk(
  messages: readonly Message[],
  work: FoldWork,
  { others, extracts }: { others: readonly Segment[]; extracts: Extract[] },
): Promise<Omit<FoldedSegment, 'absorbs'>> {
  const { summarizer, limits, decision, keeper } = work
  const tokensBefore = tokensOf(messages)
  const isVerbatim = tokensBefore < limits.verbatimBelowTokens
  const budgetTokens = summaryTokens(tokensBefore, limits)
  const toSeq = messages.at(-1)!.seq
  let summary: Summary
  if (isVerbatim) {
    summary = {
      text: verbatimLinesWithin(messages, work.zone, tokensBefore),
      events: [],
      details: [],
      extracts: work.extracts ? await extractsWithoutModel(messages, work) : [],
    }
    if (!keeper.canUpdate && !work.isProvisional) keeper.passOver(toSeq)
    else if (toSeq > keeper.memo.throughSeq) keeper.fallBehind()
  } else summary = await summarizeMessages(messages, work, { others, tokensBefore, budgetTokens })
  extracts.push(...(summary.extracts ?? []))
  return measured({
    fromSeq: messages[0]!.seq,
    toSeq,
    messageCount: messages.length,
    summary: summary.text,
    events: boundEvents(summary.events, dayOf(messages.at(-1)!.at, messages.at(-1)!.zone ?? work.zone)),
    details: summary.details,
    level: 1,
    state: work.isProvisional ? 'provisional' : 'live',
    type: decision.type,
    reason: decision.reason,
    summarizer: isVerbatim ? 'verbatim' : summarizer.name,
    promptVersion: isVerbatim ? '1' : summarizer.version,
    tokensBefore,
  })
}

interface Sizes {
  readonly others: readonly Segment[]
  readonly tokensBefore: number
  readonly budgetTokens: number
}

async function summarizeMessages(
  messages: readonly Message[],
  work: FoldWork,
  { others, tokensBefore, budgetTokens }: Sizes,
): Promise<Summary> {
  const { summarizer, keeper, zone, signal, focus, warn, prefix } = work
  const toSeq = messages.at(-1)!.seq
  const source: SourceRequest = {
    messages,
    of: 'messages',
    sourceTokens: tokensBefore,
    budgetTokens,
    earlier: earlierSummary(others),
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
