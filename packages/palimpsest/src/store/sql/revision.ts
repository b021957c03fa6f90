import { first, run, type Steps } from './steps.ts'

export function* readRevision(): Steps<number> {
  const row = yield* first<{ value: number }>('SELECT value FROM revision')
  return row?.value ?? 0
}

/**
 * Called in the transaction of the change itself. Other transactions that change something wait for its end.
 */
export function* noteRevision(): Steps<void> {
  yield* run(
    'INSERT INTO revision AS r (id, value) VALUES (1, 1) ON CONFLICT (id) DO UPDATE SET value = r.value + 1',
  )
}
