import { ErasedMeanwhileError, TakenBackError } from '../../errors.ts'
import { type SeenDocument, type SeenSession, seenOf } from '../seen.ts'
import type { AppendRequest, SessionKey } from '../store.ts'
import { FLOOR } from './first-number.ts'
import { keyOf } from './keys.ts'
import { allIn } from './many.ts'
import { SESSION_COLUMNS, type SessionRow } from './rows.ts'
import { first, run, type Steps } from './steps.ts'
import { AND_VISIBLE } from './visible.ts'

/** What a handle knows of a session, and whether it still holds; for writers, who hold the session's lock. */

export function* readSeen({ namespace, id }: SessionKey): Steps<SeenSession> {
  const session = yield* first<SessionRow>(
    `SELECT ${SESSION_COLUMNS} FROM sessions WHERE namespace = ?1 AND name_key = ?2 AND ready = 1`,
    namespace,
    keyOf(id),
  )
  if (session) return seenOf({ number: session.id, epoch: session.epoch })
  return { session: null, epoch: yield* readFloor(namespace), documents: [] }
}

/** Grows with the erasure of any session that came after it was read: such a one has no lower epoch. */
function* readFloor(namespace: string): Steps<number> {
  return (yield* first<{ floor: number }>(`SELECT ${FLOOR} AS floor`, namespace))!.floor
}

/** Nearly all keys say nothing of it, and pay nothing. */
export function* checkSeen(
  { namespace, id, seen }: SessionKey,
  session: SessionRow | undefined,
): Steps<void> {
  if (!seen) return
  const refuse = (erased: ErasedMeanwhileError['details']['erased']) => {
    throw new ErasedMeanwhileError({ sessionId: id, erased })
  }
  if (seen.session === null) {
    // Of what was erased meanwhile nothing is left to tell whether this one was meant.
    if ((yield* readFloor(namespace)) > seen.epoch) refuse('session')
    return
  }
  if (session?.id !== seen.session) refuse('session')
  if ((session?.erased_epoch ?? 0) > seen.epoch) refuse('messages')
  for (const document of seen.documents) if (yield* isErased(namespace, document)) refuse('memory')
}

/** An erasure numbers the versions that it leaves on above the old ones; and a document goes by erasures alone. */
function* isErased(namespace: string, { layer, key, since }: SeenDocument): Steps<boolean> {
  const row = yield* first<{ first_version: number }>(
    'SELECT first_version FROM documents WHERE namespace = ?1 AND layer = ?2 AND name_key = ?3',
    namespace,
    layer,
    keyOf(key),
  )
  return row === undefined || row.first_version > since
}

/** What it is said to has to be there still; what was never there is not looked for. */
export function* checkFollows(
  { key, follows = [] }: AppendRequest,
  session: SessionRow | undefined,
): Steps<void> {
  // Where nothing above was ever hidden, nothing is.
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

/** The epoch that is now was begun by an erasure. */
export function* noteErased({ id }: SessionRow): Steps<void> {
  yield* run('UPDATE sessions SET erased_epoch = epoch WHERE id = ?1', id)
}
