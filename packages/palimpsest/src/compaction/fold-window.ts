import { clipText } from '../context/clip-text.ts'
import { InvalidArgumentError } from '../errors.ts'
import type { Memo, Message, Segment, WindowMessage } from '../log/index.ts'
import { type Decision, type FoldPlan, type Head, planOldest, type RawMessage } from '../policy/index.ts'
import { type FoldedSegment, measured } from './folded-segment.ts'
import type { FoldResult } from './handlers.ts'

/**
 * A handler that gets all raw messages and all segments. The handler decides how many of the raw messages its
 * window replaces, from none to all.
 */
export interface WindowHandler {
  readonly window: (input: WindowInput) => WindowResult | Promise<WindowResult>
}

/** The input is frozen before the handler is called. */
export interface WindowInput {
  readonly decision: Decision
  /** The segments that are shown so far, oldest first. */
  readonly segments: readonly Segment[]
  /** All raw messages, oldest first and unchanged. */
  readonly messages: readonly Message[]
  readonly memo: Memo | null
  readonly head: Head
  readonly signal: AbortSignal
}

export interface WindowResult {
  /** `null`: segments and raw messages stay as they are. */
  readonly fold: {
    /**
     * The number of raw messages that the window replaces, from the oldest on. It always replaces all
     * segments.
     */
    readonly messages: number
    readonly window: readonly WindowMessage[]
    /** The window as one text, which the model reads. */
    readonly summary: string
  } | null
  /** A new memo, up to date with the whole input. `null`: the memo stays as it was. */
  readonly memo: Memo['value'] | null
}

export function isWindowHandler(handler: unknown): handler is WindowHandler {
  return typeof handler === 'object' && handler !== null && 'window' in handler
}

/** More than any context shows. A later summary has to read all of it in one call. */
const MAX_TEXT_TOKENS = 32_000

/**
 * Turns the handler's result into one segment over all that it replaces, and the plan for these messages. The
 * range is computed here and not by the handler, so that no message falls into a gap.
 */
export function foldWindow(
  { fold, memo }: WindowResult,
  { decision, segments, head }: Pick<WindowInput, 'decision' | 'segments' | 'head'>,
  raw: readonly RawMessage[],
): FoldResult & { readonly plan: FoldPlan } {
  const kept: Memo | null = memo && { value: memo, throughSeq: head.seq }
  const count = fold?.messages ?? 0
  const whole = { raw, lastTurnComplete: head.totals.complete }
  const plan = planOldest(decision, whole, checkCount(count, { fold, segments, raw }))
  if (fold === null) return { plan, segments: [], memo: kept }
  const toSeq = plan.range?.toSeq ?? segments.at(-1)!.toSeq
  const segment: FoldedSegment = {
    ...measured({
      fromSeq: segments[0]?.fromSeq ?? raw[0]!.seq,
      toSeq,
      messageCount: segments.reduce((sum, { messageCount }) => sum + messageCount, count),
      summary: clipText(fold.summary, MAX_TEXT_TOKENS, leftOut),
      events: [],
      details: [],
      level: 1,
      state: 'live',
      type: decision.type,
      reason: decision.reason,
      summarizer: 'window',
      promptVersion: '1',
      tokensBefore: segments.reduce(
        (sum, { tokensAfter }) => sum + tokensAfter,
        plan.range?.amount.tokens ?? 0,
      ),
      window: fold.window,
      // If the newest messages were erased, the head lies above the last segment.
      windowThrough: Math.max(toSeq, head.seq),
    }),
    absorbs: segments.map(({ id }) => id),
  }
  return { plan, segments: [segment], memo: kept }
}

function leftOut(characters: number): string {
  return `[… ${characters} characters are left out here …]`
}

function checkCount(
  count: number,
  {
    fold,
    segments,
    raw,
  }: Pick<WindowResult, 'fold'> & Pick<WindowInput, 'segments'> & { raw: readonly unknown[] },
): number {
  const least = fold === null || segments.length > 0 ? 0 : 1
  if (Number.isSafeInteger(count) && count >= least && count <= raw.length) return count
  throw new InvalidArgumentError('fold.messages', count, `a whole number from ${least} to ${raw.length}`)
}
