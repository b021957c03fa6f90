import type { Person } from './people/person.ts'
import type { WindowMessage } from './window.ts'

/** The record of one fold: what the model reads in place of the messages from `fromSeq` to `toSeq`. */
export interface Segment {
  /** 1, 2, 3 … per session. */
  readonly id: number
  readonly fromSeq: number
  readonly toSeq: number
  readonly messageCount: number
  readonly summary: string
  /** Dated events. */
  readonly events: readonly unknown[]
  /** Exact details (names, numbers, dates, URLs, ids) that the summary drops, verbatim. */
  readonly details: readonly unknown[]
  /** All that the model reads of the segment, in the form in which it reads it. */
  readonly text: string
  /** 1: over messages. Above 1: over segments of the level below. */
  readonly level: number
  readonly state: SegmentState
  /** The segment that has stood for this one since a roll-up. */
  readonly rolledInto: number | null
  readonly type: string
  readonly reason: string
  readonly summarizer: string
  readonly promptVersion: string
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly createdAt: Date
  /**
   * The messages that stand for the range, if a handler or a caller chose them. `summary` says the same in
   * one text. Left out or `null`: there are none, or an erasure removed them.
   */
  readonly window?: readonly WindowMessage[] | null
  /**
   * The newest message that the handler or the caller had read when it chose the window. The window may tell
   * of it, though it lies above the range.
   */
  readonly windowThrough?: number | null
  /** The speakers in the range. Left out or `null`: they were not kept, or an erasure removed them. */
  readonly people?: readonly Person[] | null
}

/**
 * `rolled-up`: kept, while a higher level stands for it. `provisional`: made without a model so that a turn
 * could go on. `dirty`: a message under it was edited since.
 */
export type SegmentState = 'live' | 'rolled-up' | 'provisional' | 'dirty'

/**
 * The summariser's name of a segment that keeps its range word for word, until there is enough text for a
 * summary.
 */
export const VERBATIM = 'verbatim'

/**
 * Whether the segment stands for its messages only for now. A later fold takes them in again, and its
 * segment, also of level 1, replaces this one. A segment that an erasure emptied stands for no message.
 */
export function isReplaceable({
  level,
  state,
  summarizer,
  messageCount,
  windowThrough = null,
}: Pick<Segment, 'level' | 'summarizer' | 'messageCount' | 'windowThrough'> & {
  readonly state: string
}): boolean {
  if (level !== 1 || windowThrough !== null) return false
  return state === 'provisional' || (summarizer === VERBATIM && messageCount > 0)
}

export type NewSegment = Omit<Segment, 'id' | 'rolledInto' | 'createdAt' | 'state'> & {
  readonly state: 'live' | 'provisional'
}

/** Structured knowledge about a session. Each fold brings it up to date. It has its own cursor. */
export interface Memo {
  readonly value: Readonly<Record<string, unknown>>
  readonly throughSeq: number
}
