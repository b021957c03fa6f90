import { clipText } from '../context/clip-text.ts'
import { InvalidArgumentError } from '../errors.ts'
import type { Memo, Message, Segment, WindowMessage } from '../log/index.ts'
import { type Decision, type FoldPlan, type Head, planOldest, type RawMessage } from '../policy/index.ts'
import { type FoldedSegment, measured } from './folded-segment.ts'
import type { FoldResult } from './handlers.ts'

/**
 * A handler that is given all that is raw and all segments, and says itself what stands for how much of it: from
 * nothing to everything.
 */
export interface WindowHandler {
  readonly window: (input: WindowInput) => WindowResult | Promise<WindowResult>
}

/** Frozen before the handler is called. */
export interface WindowInput {
  readonly decision: Decision
  /** Those shown so far, oldest first. */
  readonly segments: readonly Segment[]
  /** All that are raw, oldest first, as they were said. */
  readonly messages: readonly Message[]
  readonly memo: Memo | null
  readonly head: Head
  readonly signal: AbortSignal
}

export interface WindowResult {
  /** `null`: segments and raw messages stay as they are. */
  readonly fold: {
    /** How many of the oldest raw messages it stands for, beside all segments. */
    readonly messages: number
    readonly window: readonly WindowMessage[]
    /** The window as one text: what the model reads of it. */
    readonly summary: string
  } | null
  /** Brought up to date from all that there was to read; `null`: as it was. */
  readonly memo: Memo['value'] | null
}

export function isWindowHandler(handler: unknown): handler is WindowHandler {
  return typeof handler === 'object' && handler !== null && 'window' in handler
}

/** More of a window is kept than any context shows; a summary of it has to be made of this in one go. */
const MAX_TEXT_TOKENS = 32_000

/**
 * What a window comes to: one segment over all that it replaces, so that no message can fall into a gap, and the
 * plan for just these messages. The cover is made here and not by the handler.
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
      // Where the newest messages were erased, the segments end above them.
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
