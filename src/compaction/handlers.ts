import type { Memo, Message, NewSegment, Segment } from '../log/index.ts'
import { type Decision, type FoldRange, type SegmentLimits, summaryTokens } from '../policy/index.ts'
import type { FoldCommit } from '../store/index.ts'
import type { Summarizer, Summary } from '../summarizer/index.ts'
import { estimateTokens, measureMessage } from '../tokens/index.ts'
import { CONDENSED_SHARE, countToRollUp } from './roll-up.ts'
import { linesAsMessages, verbatimLines } from './segment-lines.ts'
import { findSummaryProblem, type SummaryProblem } from './validate-summary.ts'

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
}

export interface FoldResult {
  readonly segments: FoldCommit['segments']
  readonly memo: Memo | null
}

export type FoldHandler = (input: FoldInput) => FoldResult | Promise<FoldResult>

/** What came back is no summary: nothing is stored, and the reason is told. */
export class SummaryRejectedError extends Error {
  readonly problem: SummaryProblem
  constructor(problem: SummaryProblem) {
    super(`The summariser's answer is no summary: ${problem}`)
    this.problem = problem
  }
}

/** What one summary is made of at most; a longer range becomes several segments. */
const MOST_SOURCE_TOKENS = 24_000

/** `lite` and `deep`: the range into segments, and the oldest segments into one where they grow too many. */
export const foldRange: FoldHandler = async input => {
  const segments: FoldCommit['segments'][number][] = []
  for (const messages of chunks(input.messages))
    segments.push({ ...(await summarizeChunk(messages, input)), absorbs: [] })
  const rolledUp = await rollUp([...input.segments, ...segments], input).catch(keepWithoutRollUp)
  return { segments: rolledUp ? [...segments, rolledUp] : segments, memo: null }
}

/** A summary of summaries that is none does not spoil the good ones; the next fold tries again. */
function keepWithoutRollUp(error: unknown): null {
  if (error instanceof SummaryRejectedError) return null
  throw error
}

function chunks(messages: readonly Message[]): readonly (readonly Message[])[] {
  const all: Message[][] = [[]]
  let tokens = 0
  for (const message of messages) {
    const size = measureMessage(message).tokens
    if (tokens > 0 && tokens + size > MOST_SOURCE_TOKENS) {
      all.push([])
      tokens = 0
    }
    all.at(-1)!.push(message)
    tokens += size
  }
  return all
}

async function summarizeChunk(messages: readonly Message[], input: FoldInput): Promise<NewSegment> {
  const { summarizer, limits, segments, zone, signal, decision } = input
  const tokensBefore = messages.reduce((sum, message) => sum + measureMessage(message).tokens, 0)
  const isVerbatim = tokensBefore < limits.verbatimBelowTokens
  const budgetTokens = summaryTokens(tokensBefore, limits)
  const summary: Summary = isVerbatim
    ? { text: verbatimLines(messages, zone), events: [], details: [] }
    : await summarizer.summarize({
        messages,
        earlier: segments.length === 0 ? null : segments.map(segment => segment.summary).join('\n'),
        budgetTokens,
        zone,
        signal,
      })
  const tokensAfter = estimateTokens(summary.text)
  if (!isVerbatim)
    checkSummary(summary.text, { summary: tokensAfter, source: tokensBefore, budget: budgetTokens })
  // All details are kept; a quarter of the budget is what a context shows of them.
  const detailTokens = Math.min(Math.ceil(budgetTokens / 4), estimateTokens(summary.details.join('\n')))
  return {
    fromSeq: messages[0]!.seq,
    toSeq: messages.at(-1)!.seq,
    messageCount: messages.length,
    summary: summary.text,
    events: summary.events,
    details: summary.details,
    level: 1,
    state: decision.meta['extractive'] === true ? 'provisional' : 'live',
    type: decision.type,
    reason: decision.reason,
    summarizer: isVerbatim ? 'verbatim' : summarizer.name,
    promptVersion: isVerbatim ? '1' : summarizer.version,
    tokensBefore,
    tokensAfter: tokensAfter + detailTokens,
  }
}

function checkSummary(text: string, tokens: { summary: number; source: number; budget: number }): void {
  const problem = findSummaryProblem(text, tokens)
  if (problem) throw new SummaryRejectedError(problem)
}

type Shown = (Segment | FoldCommit['segments'][number]) & { readonly id?: number }

/** New segments of this commit are named by their place, as a negative number. */
async function rollUp(
  shown: readonly Shown[],
  input: FoldInput,
): Promise<FoldCommit['segments'][number] | null> {
  const { limits, summarizer, zone, signal, decision } = input
  const count = countToRollUp(shown, limits.totalTokens)
  if (count === 0) return null
  const absorbed = shown.slice(0, count)
  const tokensBefore = absorbed.reduce((sum, segment) => sum + segment.tokensAfter, 0)
  const fallback = input.messages[0]!.at
  const budgetTokens = Math.ceil(tokensBefore * CONDENSED_SHARE)
  const summary = await summarizer.summarize({
    messages: absorbed.flatMap(segment => linesAsMessages(segment.summary, fallback)),
    earlier: null,
    budgetTokens,
    detailTokens: 0,
    zone,
    signal,
  })
  const tokensAfter = estimateTokens(summary.text)
  checkSummary(summary.text, { summary: tokensAfter, source: tokensBefore, budget: budgetTokens })
  const firstNew = shown.findIndex(segment => segment.id === undefined)
  return {
    fromSeq: absorbed[0]!.fromSeq,
    toSeq: absorbed.at(-1)!.toSeq,
    messageCount: absorbed.reduce((sum, segment) => sum + segment.messageCount, 0),
    summary: summary.text,
    // Those below keep theirs: copied upwards they would grow with the log.
    events: [],
    details: [],
    level: Math.max(...absorbed.map(segment => segment.level)) + 1,
    state: 'live',
    type: decision.type,
    reason: 'roll_up',
    summarizer: summarizer.name,
    promptVersion: summarizer.version,
    tokensBefore,
    tokensAfter,
    absorbs: absorbed.map((segment, index) => segment.id ?? -(index - firstNew + 1)),
  }
}
