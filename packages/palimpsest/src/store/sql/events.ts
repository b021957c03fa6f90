import { InvalidArgumentError, PositionLostError } from '../../errors.ts'
import { EVENT_TYPES, type EventType, type Identity, type StoreEvent } from '../store.ts'
import type { Dialect } from './driver.ts'
import { comparePlaces, type EventPlace } from './event-age.ts'
import { type EventHistory, readHistory } from './event-history.ts'
import { type EventRow, toEvent } from './rows.ts'
import { all, first, insertRow, run, type Steps } from './steps.ts'

interface NewEvent {
  readonly sessionId: number
  /** The document that changed. Without a session, `sessionId` is 0. */
  readonly documentId?: number
  readonly type: EventType
  readonly at: number
  readonly fromSeq?: number | null
  readonly toSeq?: number | null
  readonly data?: Readonly<Record<string, unknown>>
}

/** Called in the transaction of the change itself. So an event exists exactly if its change does. */
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
  { events }: Dialect,
): Steps<readonly StoreEvent[]> {
  const history = yield* readHistory()
  const after = events.after(placeAfter(page.after, history))
  const rows = yield* all<EventRow>(
    `SELECT ${events.place}, coalesce(s.namespace, d.namespace) AS namespace, s.name, events.type, events.at,
       events.from_seq, events.to_seq, events.data
     FROM events LEFT JOIN sessions s ON s.id = events.session_id LEFT JOIN documents d ON d.id = events.document_id
     WHERE ${after.sql} AND ${events.isSettled} AND (s.id IS NOT NULL OR d.id IS NOT NULL)
     ORDER BY ${events.orderBy('ASC')} LIMIT ?${after.parameters.length + 1}`,
    ...after.parameters,
    page.limit,
  )
  return rows.map(row => toEvent(row, positionIn(history.identity, row)))
}

/** The newest event that readers get, and its time, whether its session is still there or not. */
export function* readNewestEvent({
  events,
}: Dialect): Steps<(EventPlace & { readonly at: number }) | undefined> {
  return yield* first(
    `SELECT ${events.place}, events.at FROM events WHERE ${events.isSettled}
     ORDER BY ${events.orderBy('DESC')} LIMIT 1`,
  )
}

export function* readLastPosition(dialect: Dialect): Steps<string> {
  const { identity, through } = yield* readHistory()
  const row = yield* readNewestEvent(dialect)
  // During a long transaction, all events before it may have been trimmed.
  const isTrimmed = row === undefined || comparePlaces(row, through) < 0
  return positionIn(identity, isTrimmed ? through : row)
}

/** The position before the oldest event that a reader gets. */
export function* readFirstPosition(): Steps<string> {
  const { identity, through } = yield* readHistory()
  return positionIn(identity, through)
}

/** Where a reader goes on. Throws if events after its position are no longer available. */
export function placeAfter(after: string | null, { identity, through }: EventHistory): EventPlace {
  const position = parsePosition(after ?? '0')
  if (position === null)
    throw new InvalidArgumentError('after', after, 'the position of an event that was read before')
  if (!isOf(identity, position)) throw new PositionLostError()
  const isTrimmed = comparePlaces(position, through) < 0
  // Only a reader that starts from the beginning has missed nothing.
  const isBeginning = position.major === 0 && position.generationKey === null
  if (isTrimmed && !isBeginning) throw new PositionLostError()
  return isTrimmed ? through : position
}

/** After a restore the same numbers are given to other events. So a position names its generation. */
function positionIn({ generationKey }: Identity, { major, minor }: EventPlace): string {
  return `${minor === 0 ? major : `${major}.${minor}`}~${generationKey}`
}

interface Position extends EventPlace {
  /** `null`: a program of an earlier version gave the position, or it is the beginning. */
  readonly generationKey: string | null
}

function parsePosition(text: string): Position | null {
  const parts = /^(\d{1,19})(?:\.(\d{1,19}))?(?:~([0-9a-f]{1,32}))?$/.exec(text)
  if (parts === null) return null
  return { major: Number(parts[1]), minor: Number(parts[2] ?? 0), generationKey: parts[3] ?? null }
}

/** The position before all events is valid in every generation. */
function isOf(identity: Identity, { major, generationKey }: Position): boolean {
  if (generationKey !== null) return generationKey === identity.generationKey
  return major === 0 || identity.generation === 1
}
