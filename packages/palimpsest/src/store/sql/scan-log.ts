import type { SessionKind } from '../../log/index.ts'
import { all, first, type Steps } from './steps.ts'

/** Everything up to here has been looked at: a session by its number, and in it a message. */
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

/** A part of the log of a namespace, of one session at most. */
export interface LogPage {
  /** `null`: there was none among so many numbers. */
  readonly session: ScannedSession | null
  readonly messages: readonly ScannedMessage[]
  readonly next: LogPlace
}

export const ROWS_AT_A_TIME = 2_000
/** What it costs to look for a session at all, in rows. */
export const LOOK_ROWS = 20
/** Of all namespaces: there is no index by namespace and number. */
const SESSIONS_AT_A_TIME = 2_000

/**
 * Who said what in a namespace, page by page, sessions in the order in which they came to be: so one that is made
 * meanwhile, such as a fork of what was not reached yet, is reached, too. Those that are still being built are among
 * them, those that are being erased are not. `null`: that was all.
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
