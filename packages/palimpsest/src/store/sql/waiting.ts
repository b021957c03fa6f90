import { NotWaitingError } from '../../errors.ts'
import type { LayerName } from '../document.ts'
import type { Answers, Awaits, WaitingEntry } from '../inbox.ts'
import type { InboxStore, SessionKey } from '../store.ts'
import { allIn } from './many.ts'
import type { SessionRow } from './rows.ts'
import { findSession } from './session.ts'
import { all, first, run, type Steps } from './steps.ts'
import { AND_VISIBLE } from './visible.ts'

/**
 * A row for each message that is owed an answer, from the message's transaction to the answer's. Then a row
 * for the answer, until it is delivered. A writer holds the session's lock.
 */

/** The new messages are given in their order. */
export function* addWaiting(
  session: SessionRow,
  seqs: readonly number[],
  { awaits, now }: { awaits: Awaits; now: number },
): Steps<void> {
  for (const seq of seqs)
    yield* run(
      `INSERT INTO waiting (namespace, session_id, seq, burst, address, received_at)
       VALUES (?1, ?2, ?3, ?4, ?5, ?6)`,
      session.namespace,
      session.id,
      seq,
      JSON.stringify(awaits.burst),
      JSON.stringify(awaits.address),
      now,
    )
}

/** `false`: the message waits already, or cannot be seen. */
export function* awaitAnswer(
  session: SessionRow,
  { seq, awaits, now }: Parameters<InboxStore['awaitAnswer']>[1],
): Steps<boolean> {
  const known = yield* first(
    `SELECT seq FROM messages WHERE session_id = ?1 AND seq = ?2 ${AND_VISIBLE}
       AND NOT EXISTS (SELECT 1 FROM waiting w WHERE w.session_id = ?1 AND w.seq = ?2)`,
    session.id,
    seq,
  )
  if (known === undefined) return false
  yield* addWaiting(session, [seq], { awaits, now })
  return true
}

/** Refuses an answer to a message that is answered already, or is no longer there. */
export function* checkWaiting(
  { id }: SessionKey,
  session: SessionRow | undefined,
  answers: Answers,
): Steps<void> {
  const rows = session
    ? yield* allIn<{ seq: number }>(
        'SELECT seq FROM waiting WHERE session_id = ?1 AND reply IS NULL AND seq IN (*)',
        [session.id],
        answers.seqs.filter(Number.isSafeInteger),
      )
    : []
  const waiting = new Set(rows.map(({ seq }) => seq))
  const seqs = answers.seqs.filter(seq => !waiting.has(seq))
  if (seqs.length > 0) throw new NotWaitingError({ sessionId: id, seqs })
}

/** All answered messages get one delivery, to the place that the oldest one named. */
export function* keepReply(
  session: SessionRow,
  { seqs, earlier = [] }: Answers,
  said: readonly number[],
): Steps<void> {
  if (seqs.length === 0) return
  const oldest = Math.min(...seqs)
  yield* run(
    'UPDATE waiting SET reply = ?3 WHERE session_id = ?1 AND seq = ?2',
    session.id,
    oldest,
    JSON.stringify([...new Set([...earlier, ...said])].sort((a, b) => a - b)),
  )
  yield* settleWaiting(
    session,
    seqs.filter(seq => seq !== oldest),
  )
}

interface WaitingRow {
  readonly id: number
  readonly name: string
  readonly seq: number
  readonly burst: string
  readonly address: string
  readonly received_at: number
  readonly attempts: number
  readonly sent: string | null
  readonly reply: string | null
}

export function* readWaiting(
  namespace: string,
  { sessionId, after = 0, limit }: Parameters<InboxStore['readWaiting']>[1],
): Steps<readonly WaitingEntry[]> {
  const session = sessionId === undefined ? null : yield* findSession({ namespace, id: sessionId })
  if (session === undefined) return []
  const rows = yield* all<WaitingRow>(
    // Not a join, so that no database begins with the sessions: hardly any session waits.
    `SELECT id, seq, burst, address, received_at, attempts, sent, reply,
       (SELECT s.name FROM sessions s WHERE s.id = w.session_id) AS name
     FROM waiting w WHERE namespace = ?1 AND id > ?2 ${session ? 'AND session_id = ?4' : ''}
       AND (SELECT s.ready FROM sessions s WHERE s.id = w.session_id) = 1 ORDER BY id LIMIT ?3`,
    namespace,
    after,
    limit,
    ...(session ? [session.id] : []),
  )
  return rows.map(toEntry)
}

function toEntry(row: WaitingRow): WaitingEntry {
  const reply = row.reply === null ? null : (JSON.parse(row.reply) as readonly number[])
  const withdrawn = reply !== null && isWithdrawn(row.seq, reply)
  return {
    id: row.id,
    sessionId: row.name,
    seq: row.seq,
    burst: JSON.parse(row.burst),
    address: JSON.parse(row.address),
    receivedAt: new Date(row.received_at),
    attempts: row.attempts,
    sent: row.sent === null ? null : JSON.parse(row.sent),
    reply: withdrawn ? [] : reply,
    ...(withdrawn && { isWithdrawn: true as const }),
  }
}

/**
 * An answer comes after its question. A reply that names its own question is withdrawn. Programs of the
 * version before find no assistant message in it, and deliver nothing.
 */
function isWithdrawn(seq: number, reply: readonly number[]): boolean {
  return reply.length === 1 && reply[0] === seq
}

/**
 * An answer that is stored and not delivered may quote its sources: messages before it, and memory. Answers
 * after `erased` are no longer delivered. The default is all answers.
 */
export function* withdrawReplies({ id }: SessionRow, erased = 0): Steps<void> {
  const rows = yield* all<{ seq: number; reply: string }>(
    'SELECT seq, reply FROM waiting WHERE session_id = ?1 AND reply IS NOT NULL',
    id,
  )
  for (const { seq, reply } of rows) {
    const said = JSON.parse(reply) as readonly number[]
    if (isWithdrawn(seq, said) || Math.max(0, ...said) < Math.max(1, erased)) continue
    yield* run(
      'UPDATE waiting SET reply = ?3 WHERE session_id = ?1 AND seq = ?2',
      id,
      seq,
      JSON.stringify([seq]),
    )
  }
}

/** The first session with an undelivered answer, among the sessions that show this document. */
export function* sessionWithReply(
  namespace: string,
  {
    layer,
    name,
    session_id,
  }: { readonly layer: LayerName; readonly name: string; readonly session_id: number | null },
): Steps<number | undefined> {
  const isShown =
    layer === 'user' || layer === 'scope'
      ? `(SELECT s.${layer}_id FROM sessions s WHERE s.id = w.session_id) = ?2`
      : session_id === null
        ? 'CAST(?2 AS TEXT) IS NOT NULL'
        : 'session_id = ?2'
  const row = yield* first<{ session_id: number }>(
    `SELECT session_id FROM waiting w
     WHERE namespace = ?1 AND reply IS NOT NULL AND reply <> '[]' AND reply <> '[' || CAST(seq AS TEXT) || ']'
       AND ${isShown} AND (SELECT s.ready FROM sessions s WHERE s.id = w.session_id) = 1 ORDER BY id LIMIT 1`,
    namespace,
    session_id ?? name,
  )
  return row?.session_id
}

export function* noteWaiting(
  session: SessionRow,
  { seq, attempts, sent }: Parameters<InboxStore['noteWaiting']>[1],
): Steps<void> {
  yield* run(
    `UPDATE waiting SET attempts = coalesce(?3, attempts), sent = coalesce(?4, sent)
     WHERE session_id = ?1 AND seq = ?2`,
    session.id,
    seq,
    attempts ?? null,
    sent === undefined ? null : JSON.stringify(sent),
  )
}

export function* settleWaiting(session: SessionRow, seqs: readonly number[]): Steps<void> {
  yield* allIn('DELETE FROM waiting WHERE session_id = ?1 AND seq IN (*) RETURNING seq', [session.id], seqs)
}

/** A message that a rollback hides no longer waits. */
export function* settleAbove(session: SessionRow, seq: number): Steps<void> {
  yield* run('DELETE FROM waiting WHERE session_id = ?1 AND seq > ?2', session.id, seq)
}

/** If a rollback hides an answer before it was delivered, its question waits for another one. */
export function* reopenAbove(session: SessionRow, seq: number): Steps<void> {
  const rows = yield* all<{ seq: number; reply: string }>(
    'SELECT seq, reply FROM waiting WHERE session_id = ?1 AND reply IS NOT NULL',
    session.id,
  )
  for (const row of rows) {
    const said = JSON.parse(row.reply) as readonly number[]
    if (!said.some(each => each > seq)) continue
    yield* run(
      'UPDATE waiting SET reply = NULL, attempts = 0 WHERE session_id = ?1 AND seq = ?2',
      session.id,
      row.seq,
    )
  }
}
