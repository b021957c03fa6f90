/** The database stores a type by its place in this list. Add new types at the end. */
export const EVENT_TYPES = [
  'session-created',
  'message-appended',
  'message-edited',
  'session-rolled-back',
  'session-forked',
  'session-imported',
  'fold-committed',
  'fold-failed',
  'memory-changed',
  'messages-erased',
  'session-assigned',
  'session-begun-anew',
  'beginning-taken-back',
] as const
export type EventType = (typeof EVENT_TYPES)[number]

/** Says that something happened, and where. It never holds what was said. */
export interface StoreEvent {
  /** Opaque, and in order. To resume, a reader hands in the last position that it has seen. */
  readonly position: string
  readonly namespace: string
  /** `null`: the event concerns no session, for example a change of a person's memory. */
  readonly sessionId: string | null
  readonly type: EventType
  readonly at: Date
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly data: Readonly<Record<string, unknown>> | null
}

/** The name of a known reader of events. */
export const CONSUMER_NAME = /^[\w.:-]{1,100}$/
export const CONSUMER_RULE = '1 to 100 letters, digits and _ . : -'

export interface TrimRequest {
  readonly now: number
  readonly retentionMs: number
  /** How many of the newest events stay, however old they are. The default is 5,000. */
  readonly keepNewest?: number
}

export interface TrimmedEvents {
  readonly deleted: number
  /** `true`: there is more to trim; call again. */
  readonly isMore: boolean
}

/** Reads what happened, in the order of the commits. */
export interface EventStore {
  /**
   * The events after `position`, in the order of their commits, each one once. `null`: from the oldest event
   * that is kept. The call fails with a `PositionLostError` if the database was restored since the position
   * was given, or if events after the position were trimmed.
   */
  readEvents(page: { after: string | null; limit: number }): Promise<readonly StoreEvent[]>
  /** After this position there are only events that happen from now on. */
  readLastPosition(): Promise<string>
  /** After this position there is every event that is kept. */
  readFirstPosition(): Promise<string>
  /**
   * Notes that a reader is there, and that it has read the events through `after` (`null`: it has read none
   * yet). A namespace has at most 100 names of readers. The events after `after` are not trimmed, until the
   * reader was not seen for four times the retention. The call fails with a `PositionLostError` as
   * `readEvents` does.
   */
  noteConsumer(namespace: string, note: { name: string; after: string | null; now: number }): Promise<void>
  /**
   * For a reader that does not come back: from now on no event is kept for it, and its name is free. `false`:
   * no reader of this name is known. A reader that comes back is known again.
   */
  forgetConsumer(namespace: string, name: string): Promise<boolean>
  /**
   * Trims some of the events that are older than the retention, in a short transaction. It also notes that
   * time has passed, so it must be called at least once a day. The history of folds stays. Events that a
   * known reader has not read stay too.
   */
  trimEvents(request: TrimRequest): Promise<TrimmedEvents>
}
