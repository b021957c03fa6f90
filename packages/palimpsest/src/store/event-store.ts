/** Stored by their place in this list: new ones go to its end. */
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

/** Says that something happened and where, never what was said. */
export interface StoreEvent {
  /** Opaque, and in order: resume by handing in the last one that was seen. */
  readonly position: string
  readonly namespace: string
  /** `null`: it concerns no session, as with a change of a person's memory. */
  readonly sessionId: string | null
  readonly type: EventType
  readonly at: Date
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly data: Readonly<Record<string, unknown>> | null
}

/** Of a known reader of events. */
export const CONSUMER_NAME = /^[\w.:-]{1,100}$/
export const CONSUMER_RULE = '1 to 100 letters, digits and _ . : -'

export interface TrimRequest {
  readonly now: number
  readonly retentionMs: number
  /** How many of the newest stay, however old they are. The default: 5,000. */
  readonly keepNewest?: number
}

export interface TrimmedEvents {
  readonly deleted: number
  /** Call again. */
  readonly isMore: boolean
}

/** What happened, in the order of the commits. */
export interface EventStore {
  /**
   * In the order of their commits, each once, those after `position`; `null`: from the oldest that is kept on. A
   * `PositionLostError` where the database was restored since the position was given, or events after it were trimmed.
   */
  readEvents(page: { after: string | null; limit: number }): Promise<readonly StoreEvent[]>
  /** After this position there is nothing but what happens from now on. */
  readLastPosition(): Promise<string>
  /** After this position there is every event that is kept. */
  readFirstPosition(): Promise<string>
  /**
   * That a reader of a name, one of at most 100 in its namespace, is there, and has read the events through `after`
   * (`null`: none yet). What comes after it is not trimmed, until it was not seen for four times the retention. An error as
   * `readEvents` has it.
   */
  noteConsumer(namespace: string, note: { name: string; after: string | null; now: number }): Promise<void>
  /**
   * For a reader that does not come any more: nothing is kept for it from now on, and its name is free. `false`: none of
   * this name is known. One that comes again is known again.
   */
  forgetConsumer(namespace: string, name: string): Promise<boolean>
  /**
   * Trims some of the events that are older than the retention, in a short transaction, and notes that time has passed:
   * it has to be called at least once a day. The history of folds stays, and so do events that a known reader has not read.
   */
  trimEvents(request: TrimRequest): Promise<TrimmedEvents>
}
