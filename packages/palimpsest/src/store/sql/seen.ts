import { ErasedMeanwhileError, TakenBackError } from '../../errors.ts'
import { type SeenDocument, type SeenSession, seenOf } from '../seen.ts'
import type { AppendRequest, SessionKey } from '../store.ts'
import { FLOOR, MAX_FLOOR } from './first-number.ts'
import { digestOf, keyOf } from './keys.ts'
import { allIn } from './many.ts'
import { SESSION_COLUMNS, type SessionRow } from './rows.ts'
import { first, run, type Steps } from './steps.ts'
import { AND_VISIBLE } from './visible.ts'

/**
 * What a handle knows of a session, and whether that still holds. For writers, which hold the session's lock.
 */

export function* readSeen({ namespace, id }: SessionKey): Steps<SeenSession> {
  const session = yield* first<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE namespace = ?1 AND name_key = ?2 AND ready = 1`,
    namespace,
    keyOf(id),
  )
  if (session) return seenOf({ number: session.id, epoch: session.epoch })
  return { session: null, epoch: yield* readFloor(namespace), documents: [] }
}

/** The least epoch of a session that may still come: one made after this read has no lower epoch. */
function* readFloor(namespace: string): Steps<number> {
  return (yield* first<{ floor: number }>(`SELECT ${FLOOR} AS floor`, namespace))!.floor
}

/**
 * Leases with these names are held by no process. Their token is the highest epoch that was erased under the
 * name.
 */
export const ERASED_NAMES = { from: 'erased/', to: 'erased0' }
const NAME_DIGITS = 5

/**
 * Twenty bits of a digest. With so many, hardly any other session is taken for the erased one. They are too
 * few to find out which session that was.
 */
function erasedName(namespace: string, id: string): string {
  return `${ERASED_NAMES.from}${digestOf(JSON.stringify([namespace, id])).slice(0, NAME_DIGITS)}`
}

/** A session of this name is erased. A handle from before there was such a session must not bring it back. */
export function* noteErasedName({ namespace, name, epoch }: SessionRow): Steps<void> {
  const token = epoch + 2
  if (token > MAX_FLOOR) return
  yield* run(
    `INSERT INTO leases AS l (namespace, name, token) VALUES (?1, ?2, ?3)
     ON CONFLICT (namespace, name) DO UPDATE SET token = excluded.token WHERE l.token < excluded.token`,
    namespace,
    erasedName(namespace, name),
    token,
  )
}

function* wasErasedSince(namespace: string, id: string, epoch: number): Steps<boolean> {
  const row = yield* first<{ token: number }>(
    'SELECT token FROM leases WHERE namespace = ?1 AND name = ?2',
    namespace,
    erasedName(namespace, id),
  )
  return row !== undefined && row.token > epoch
}

/** Nearly all keys have no `seen`, and cost nothing here. */
export function* checkSeen(
  { namespace, id, seen }: SessionKey,
  session: SessionRow | undefined,
): Steps<void> {
  if (!seen) return
  const refuse = (erased: ErasedMeanwhileError['details']['erased']) => {
    throw new ErasedMeanwhileError({ sessionId: id, erased })
  }
  if (seen.session === null) {
    if (yield* wasErasedSince(namespace, id, seen.epoch)) refuse('session')
    return
  }
  if (session?.id !== seen.session) refuse('session')
  if ((session?.erased_epoch ?? 0) > seen.epoch) refuse('messages')
  for (const document of seen.documents) if (yield* isErased(namespace, document)) refuse('memory')
}

/** An erasure numbers the versions that it leaves above the old ones. Only an erasure removes a document. */
function* isErased(namespace: string, { layer, key, since }: SeenDocument): Steps<boolean> {
  const row = yield* first<{ first_version: number }>(
    'SELECT first_version FROM documents WHERE namespace = ?1 AND layer = ?2 AND name_key = ?3',
    namespace,
    layer,
    keyOf(key),
  )
  return row === undefined || row.first_version > since
}

/**
 * The messages that an append follows must still be there. A message that never existed is not looked for.
 */
export function* checkFollows(
  { key, follows = [] }: AppendRequest,
  session: SessionRow | undefined,
): Steps<void> {
  // A message above the newest hidden one cannot be hidden.
  const asked = follows.filter(seq => Number.isSafeInteger(seq) && seq <= (session?.hidden_through ?? 0))
  if (!session || asked.length === 0) return
  const rows = yield* allIn<{ seq: number }>(
    `SELECT seq FROM messages WHERE session_id = ?1 ${AND_VISIBLE} AND seq IN (*)`,
    [session.id],
    asked,
  )
  const visible = new Set(rows.map(({ seq }) => seq))
  const seqs = asked.filter(seq => !visible.has(seq))
  if (seqs.length > 0) throw new TakenBackError({ sessionId: key.id, seqs })
}

/** Notes that an erasure began the present epoch. */
export function* noteErased({ id }: SessionRow): Steps<void> {
  yield* run('UPDATE sessions SET erased_epoch = epoch WHERE id = ?1', id)
}
