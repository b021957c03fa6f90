import type { SessionKind } from '../../log/index.ts'
import { all, first, type Steps } from './steps.ts'

/** Everything up to here has been read: the number of a session, and a message in it. */
export interface LogPlace {
  readonly session: number
  readonly seq: number
}

export const BEGINNING: LogPlace = { session: 0, seq: 0 }

export interface ScannedSession {
  readonly id: number
  readonly name: string
  readonly kind: SessionKind
  readonly user_id: string | null
  readonly ready: number
}

export interface ScannedMessage {
  readonly seq: number
  readonly sender_id: number | null
  readonly flags: number
}

/** A part of the log of a namespace, from at most one session. */
export interface LogPage {
  /** `null`: there was no session among the numbers that were tried. */
  readonly session: ScannedSession | null
  readonly messages: readonly ScannedMessage[]
  readonly next: LogPlace
}

export const ROWS_AT_A_TIME = 2_000
/** The cost of looking for a session, counted in rows. */
export const LOOK_ROWS = 20
/** Counted over all namespaces, because there is no index by namespace and number. */
const SESSIONS_AT_A_TIME = 2_000

/**
 * The senders of all messages of a namespace, page by page. Sessions come in the order of their creation. So
 * a session that is made meanwhile is reached too, such as a fork of a part that was not reached yet.
 * Sessions that are still being built are included. Sessions that are being erased are not. `null`: that was
 * all.
 */
export function* scanLog(namespace: string, { session: id, seq }: LogPlace): Steps<LogPage | null> {
  const session = seq > 0 ? yield* findScanned(namespace, id) : undefined
  if (session) return yield* readPage(session, seq)
  const next = yield* first<ScannedSession>(
    `SELECT ${COLUMNS} FROM sessions WHERE id > ?2 AND id <= ?3 AND namespace = ?1 AND ready < 2 ORDER BY id LIMIT 1`,
    namespace,
    id,
    id + SESSIONS_AT_A_TIME,
  )
  if (next) return yield* readPage(next, 0)
  const newest = yield* first<{ id: number | null }>('SELECT max(id) AS id FROM sessions')
  if (id + SESSIONS_AT_A_TIME >= (newest?.id ?? 0)) return null
  return { session: null, messages: [], next: { session: id + SESSIONS_AT_A_TIME, seq: 0 } }
}

const COLUMNS = 'id, name, kind, user_id, ready'

function* findScanned(namespace: string, id: number): Steps<ScannedSession | undefined> {
  return yield* first<ScannedSession>(
    `SELECT ${COLUMNS} FROM sessions WHERE id = ?2 AND namespace = ?1 AND ready < 2`,
    namespace,
    id,
  )
}

function* readPage(session: ScannedSession, after: number): Steps<LogPage> {
  const messages = yield* all<ScannedMessage>(
    `SELECT seq, sender_id, flags FROM messages WHERE session_id = ?1 AND seq > ?2 ORDER BY seq LIMIT ${ROWS_AT_A_TIME}`,
    session.id,
    after,
  )
  const isLast = messages.length < ROWS_AT_A_TIME
  const seq = isLast ? 0 : messages.at(-1)!.seq
  return { session, messages, next: { session: session.id, seq } }
}
