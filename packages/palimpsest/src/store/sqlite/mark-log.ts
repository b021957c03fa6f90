import type { DatabaseSync } from 'node:sqlite'
import { all, type Row, run, runSync, type Steps } from '../sql/steps.ts'

/**
 * Marks the log with the identity and the moment of its database, for `log-check.ts`. It writes page 1, which
 * counts its changes, and the page with the identity. Nothing that is stored changes. The mark is the first
 * write of a log, and the last write before the log is thrown away. So if a file lacks something of the log
 * before, its number is not the one that the next log expects.
 *
 * In a transaction, the mark must come before anything else. SQLite does not write a page whose content stays
 * the same, so the page is changed twice.
 */
export function* markingLog(): Steps<void> {
  const [row] = yield* all<{ user_version: number }>('PRAGMA user_version')
  yield* run(`PRAGMA user_version = ${row!.user_version}`)
  yield* run('UPDATE identity SET generation = generation + 1')
  yield* run('UPDATE identity SET generation = generation - 1')
}

/** In a transaction of its own. */
export function markLogAlone(database: DatabaseSync): void {
  // A connection counts on from page 1 as it has last read it. If it was also the last to write, it would
  // give the same number twice. So its memory is dropped first.
  database.exec('PRAGMA shrink_memory; BEGIN IMMEDIATE')
  try {
    runSync(markingLog(), ({ sql }) => database.prepare(sql).all() as unknown as readonly Row[])
    database.exec('COMMIT')
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}
