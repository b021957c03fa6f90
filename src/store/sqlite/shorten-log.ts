import type { DatabaseSync } from 'node:sqlite'
import { sleep } from './connection.ts'
import { isBusy } from './errors.ts'
import { markLogAlone } from './mark-log.ts'

const MAX_TRIES = 20
const MAX_PAUSE_MS = 5

/** Copies the log into the database and begins it anew. `false`: another connection writes just now, or reads what was there before. */
export function shortenLog(database: DatabaseSync, mode: 'RESTART' | 'TRUNCATE'): boolean {
  for (let tries = MAX_TRIES; !isShortened(database, mode); tries--) {
    if (tries === 0) return false
    sleep(Math.random() * MAX_PAUSE_MS)
  }
  // The next write to a log that is all copied begins it anew, and waits for the disk. So that this is no write of the
  // event loop's, the thread writes something at once that changes nothing.
  markUnlessBusy(database)
  return true
}

/** The first does most of it, while others write. The second holds them up, so it is left out where it is in vain. */
function isShortened(database: DatabaseSync, mode: 'RESTART' | 'TRUNCATE'): boolean {
  const first = checkpoint(database, 'PASSIVE')
  if (first.busy !== 0 || first.checkpointed !== first.log) return false
  markUnlessBusy(database)
  return checkpoint(database, mode).busy === 0
}

function checkpoint(
  database: DatabaseSync,
  mode: string,
): { busy: number; log: number; checkpointed: number } {
  return database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as never
}

/** Another was first. */
function markUnlessBusy(database: DatabaseSync): void {
  try {
    markLogAlone(database)
  } catch (error) {
    if (!isBusy(error)) throw error
  }
}
