import type { DatabaseSync } from 'node:sqlite'
import { all, type Row, run, runSync, type Steps } from '../sql/steps.ts'

/**
 * Says in the log which database it is of, and of which moment, for `log-check.ts`: page 1, which counts its changes, and
 * the page with the identity. Nothing that is stored changes. It is the first write of a log, and the last one before the
 * log is thrown away: then a file that lacks something of the log before has another number than the next log expects.
 *
 * Before anything else in a transaction. A page that is written with the same content is not written at all, hence twice.
 */
export function* markingLog(): Steps<void> {
  const [row] = yield* all<{ user_version: number }>('PRAGMA user_version')
  yield* run(`PRAGMA user_version = ${row!.user_version}`)
  yield* run('UPDATE identity SET generation = generation + 1')
  yield* run('UPDATE identity SET generation = generation - 1')
}

/** In a transaction of its own. */
export function markLogAlone(database: DatabaseSync): void {
  // A connection counts from page 1 as it has last read it: twice the same number, if it was the last to write.
  database.exec('PRAGMA shrink_memory; BEGIN IMMEDIATE')
  try {
    runSync(markingLog(), ({ sql }) => database.prepare(sql).all() as unknown as readonly Row[])
    database.exec('COMMIT')
  } finally {
    if (database.isTransaction) database.exec('ROLLBACK')
  }
}
