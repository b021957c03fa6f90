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
  /** All that the model reads of it, in the form in which it reads it. */
  readonly text: string
  /** 1: over messages. Above: over segments of the level below. */
  readonly level: number
  readonly state: SegmentState
  /** The segment that stands for this one since it was rolled up. */
  readonly rolledInto: number | null
  readonly type: string
  readonly reason: string
  readonly summarizer: string
  readonly promptVersion: string
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly createdAt: Date
  /**
   * The messages that stand for the range, where somebody chose them: `summary` says the same in one text. Left out
   * or `null`: there are none, or an erasure took them away.
   */
  readonly window?: readonly WindowMessage[] | null
  /** The newest message that whoever chose them had read: they may tell of it, though it lies above the range. */
  readonly windowThrough?: number | null
  /** Who speaks in what it stands for. Left out or `null`: that was not kept, or an erasure took it away. */
  readonly people?: readonly Person[] | null
}

/**
 * `rolled-up`: kept, and stood for by a higher level. `provisional`: made without a model so that a turn
 * could go on. `dirty`: a message under it was edited since.
 */
export type SegmentState = 'live' | 'rolled-up' | 'provisional' | 'dirty'

/** What keeps a range word for word, without a summariser, until there is enough of them for a summary. */
export const VERBATIM = 'verbatim'

/**
 * Whether it stands for its messages only for the time being: a later fold takes them in again, and its segment, of level
 * 1 as well, takes the place of this one. One under which an erasure left nothing stands for no message.
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

/** Structured knowledge about a session that each fold brings up to date, with a cursor of its own. */
export interface Memo {
  readonly value: Readonly<Record<string, unknown>>
  readonly throughSeq: number
}
