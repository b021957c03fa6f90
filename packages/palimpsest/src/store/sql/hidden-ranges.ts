import type { SessionRow } from './rows.ts'
import { all, first, run, type Steps } from './steps.ts'
import type { HiddenRange } from './visible.ts'

/**
 * Hides single messages, in the way a rollback hides all messages above one. Ranges that touch become one.
 */
export function* hideMessages(session: SessionRow, seqs: readonly number[]): Steps<SessionRow> {
  for (const run of runsOf(seqs)) yield* hideRange(session, run)
  return yield* settleHidden(session)
}

function runsOf(seqs: readonly number[]): readonly HiddenRange[] {
  const runs: { from_seq: number; to_seq: number }[] = []
  for (const seq of [...seqs].sort((a, b) => a - b)) {
    const last = runs.at(-1)
    if (last && seq <= last.to_seq + 1) last.to_seq = seq
    else runs.push({ from_seq: seq, to_seq: seq })
  }
  return runs
}

function* hideRange({ id }: SessionRow, { from_seq, to_seq }: HiddenRange): Steps<void> {
  let [from, to] = [from_seq, to_seq]
  for (;;) {
    const touching = yield* first<HiddenRange>(
      `SELECT from_seq, to_seq FROM hidden_ranges
       WHERE session_id = ?1 AND from_seq <= ?2 ORDER BY from_seq DESC LIMIT 1`,
      id,
      to + 1,
    )
    if (!touching || touching.to_seq < from - 1) break
    yield* run('DELETE FROM hidden_ranges WHERE session_id = ?1 AND from_seq = ?2', id, touching.from_seq)
    from = Math.min(from, touching.from_seq)
    to = Math.max(to, touching.to_seq)
  }
  yield* run('INSERT INTO hidden_ranges (session_id, from_seq, to_seq) VALUES (?1, ?2, ?3)', id, from, to)
}

/**
 * Computes the newest hidden message and the newest visible one below it from the ranges. Returns the
 * session's row after that.
 */
export function* settleHidden(session: SessionRow): Steps<SessionRow> {
  const [last] = yield* all<HiddenRange>(
    'SELECT from_seq, to_seq FROM hidden_ranges WHERE session_id = ?1 ORDER BY from_seq DESC LIMIT 1',
    session.id,
  )
  const hidden_through = last?.to_seq ?? 0
  const visible_before = last ? last.from_seq - 1 : 0
  yield* run(
    'UPDATE sessions SET hidden_through = ?2, visible_before = ?3 WHERE id = ?1',
    session.id,
    hidden_through,
    visible_before,
  )
  return { ...session, hidden_through, visible_before }
}
