import type { Allowance } from '../inbox.ts'
import type { SessionRow } from './rows.ts'
import { first, run, type Steps } from './steps.ts'

/**
 * How often something was done in a session lately. Older instants, and instants in the future, do not count.
 */
export function* countAllowance(
  { id }: SessionRow,
  { kind, now, within }: Omit<Allowance, 'limit'>,
): Steps<number> {
  return (yield* recent(id, { kind, now, within })).length
}

/** `false`: the limit is reached for now. */
export function* takeAllowance({ id }: SessionRow, { limit, ...allowance }: Allowance): Steps<boolean> {
  const instants = yield* recent(id, allowance)
  if (instants.length >= limit) return false
  const { kind, now } = allowance
  yield* run('DELETE FROM allowances WHERE session_id = ?1 AND kind = ?2', id, kind)
  yield* run(
    'INSERT INTO allowances (session_id, kind, instants) VALUES (?1, ?2, ?3)',
    id,
    kind,
    JSON.stringify([...instants, now]),
  )
  return true
}

function* recent(id: number, { kind, now, within }: Omit<Allowance, 'limit'>): Steps<readonly number[]> {
  const row = yield* first<{ instants: string }>(
    'SELECT instants FROM allowances WHERE session_id = ?1 AND kind = ?2',
    id,
    kind,
  )
  const instants = row === undefined ? [] : (JSON.parse(row.instants) as readonly number[])
  return instants.filter(instant => instant <= now && now - instant < within)
}
