import { InvalidArgumentError } from '../../errors.ts'
import { EVENT_TYPES, type EventType, type StoreEvent } from '../store.ts'
import type { Dialect } from './driver.ts'
import { type EventRow, toEvent } from './rows.ts'
import { all, first, insertRow, run, type Steps } from './steps.ts'

interface NewEvent {
  readonly sessionId: number
  /** Where a document changed; one of no session has 0 for the session. */
  readonly documentId?: number
  readonly type: EventType
  readonly at: number
  readonly fromSeq?: number | null
  readonly toSeq?: number | null
  readonly data?: Readonly<Record<string, unknown>>
}

/** In the transaction of the change itself: an event is there exactly if its change is. */
export function* recordEvent(event: NewEvent): Steps<void> {
  const { sessionId, documentId, type, at, fromSeq, toSeq, data } = event
  if (documentId !== undefined)
    return yield* run(
      'INSERT INTO events (session_id, document_id, type, at, data) VALUES (?1, ?2, ?3, ?4, ?5)',
      sessionId,
      documentId,
      EVENT_TYPES.indexOf(type),
      at,
      JSON.stringify(data),
    )
  yield* insertRow(
    'INSERT INTO events (session_id, type, at, from_seq, to_seq, data) VALUES (?1, ?2, ?3, ?4, ?5, ?6)',
    sessionId,
    EVENT_TYPES.indexOf(type),
    at,
    fromSeq ?? null,
    toSeq ?? null,
    data === undefined ? null : JSON.stringify(data),
  )
}

export function* readEvents(
  page: { after: string | null; limit: number },
  dialect: Dialect,
): Steps<readonly StoreEvent[]> {
  if (page.after !== null && !/^\d{1,19}(\.\d{1,19})?$/.test(page.after))
    throw new InvalidArgumentError('after', page.after, 'the position of an event that was read before')
  const [major = 0, minor = 0] = (page.after ?? '').split('.').map(Number)
  const rows = yield* all<EventRow>(dialect.readEvents, major, minor, page.limit)
  return rows.map(row => toEvent(row, dialect.eventPosition(row)))
}

export function* readLastPosition(dialect: Dialect): Steps<string | null> {
  const row = yield* first<Pick<EventRow, 'major' | 'minor'>>(dialect.readLastPosition)
  return row === undefined ? null : dialect.eventPosition(row)
}
