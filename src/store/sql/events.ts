import { InvalidArgumentError, PositionLostError } from '../../errors.ts'
import { EVENT_TYPES, type EventType, type Identity, type StoreEvent } from '../store.ts'
import type { Dialect } from './driver.ts'
import { readIdentity } from './identity.ts'
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
  const after = parsePosition(page.after ?? '0')
  if (after === null)
    throw new InvalidArgumentError('after', page.after, 'the position of an event that was read before')
  const identity = yield* readIdentity()
  if (!isOf(identity, after)) throw new PositionLostError()
  const rows = yield* all<EventRow>(dialect.readEvents, after.major, after.minor, page.limit)
  return rows.map(row => toEvent(row, positionIn(identity, dialect.eventPosition(row))))
}

export function* readLastPosition(dialect: Dialect): Steps<string> {
  const identity = yield* readIdentity()
  const row = yield* first<Pick<EventRow, 'major' | 'minor'>>(dialect.readLastPosition)
  return positionIn(identity, row === undefined ? '0' : dialect.eventPosition(row))
}

/** After a restore the same numbers are given to other events: a position says in which generation it is one. */
function positionIn({ generationKey }: Identity, position: string): string {
  return `${position}~${generationKey}`
}

interface Position {
  readonly major: number
  readonly minor: number
  /** `null`: a program of an earlier version gave it. */
  readonly generationKey: string | null
}

function parsePosition(text: string): Position | null {
  const parts = /^(\d{1,19})(?:\.(\d{1,19}))?(?:~([0-9a-f]{1,32}))?$/.exec(text)
  if (parts === null) return null
  return { major: Number(parts[1]), minor: Number(parts[2] ?? 0), generationKey: parts[3] ?? null }
}

/** Before all events is before those of every generation. */
function isOf(identity: Identity, { major, generationKey }: Position): boolean {
  if (generationKey !== null) return generationKey === identity.generationKey
  return major === 0 || identity.generation === 1
}
