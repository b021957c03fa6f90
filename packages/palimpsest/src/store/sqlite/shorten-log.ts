import type { DatabaseSync } from 'node:sqlite'
import { sleep } from './connection.ts'
import { isBusy } from './errors.ts'
import { markLogAlone } from './mark-log.ts'

const MAX_TRIES = 20
const MAX_PAUSE_MS = 5

/**
 * `shortened`: the log was copied into the database and begun anew. `held`: a reader has an old view open, so
 * what was written since cannot be copied. `busy`: other connections read and write all the time; a later try
 * gets through.
 */
export type LogShortening = 'shortened' | 'held' | 'busy'

/** Copies the log into the database and begins it anew. */
export function shortenLog(database: DatabaseSync, mode: 'RESTART' | 'TRUNCATE'): LogShortening {
  const begun = tryToShorten(database, mode)
  let now = begun
  for (let tries = MAX_TRIES; now !== 'shortened'; tries--) {
    // If other connections only write, each try copies more. Only an open view keeps the number as it is.
    if (tries === 0) return now.isBehind && now.copied === (begun as Attempt).copied ? 'held' : 'busy'
    sleep(Math.random() * MAX_PAUSE_MS)
    now = tryToShorten(database, mode)
  }
  // When all of a log is copied, the next write begins it anew and waits for the disk. That write must not be
  // one of the event loop. So the thread writes at once, and its write changes nothing.
  markUnlessBusy(database)
  return 'shortened'
}

interface Attempt {
  /** How many pages of the log are in the database. */
  readonly copied: number
  readonly isBehind: boolean
}

/**
 * The first checkpoint does most of the work, while other connections write. The second one holds them up, so
 * it is left out if it would be in vain.
 */
function tryToShorten(database: DatabaseSync, mode: 'RESTART' | 'TRUNCATE'): Attempt | 'shortened' {
  const { busy, checkpointed: copied, log } = checkpoint(database, 'PASSIVE')
  if (busy !== 0 || copied !== log) return { copied, isBehind: copied !== log }
  markUnlessBusy(database)
  return checkpoint(database, mode).busy === 0 ? 'shortened' : { copied, isBehind: false }
}

function checkpoint(
  database: DatabaseSync,
  mode: string,
): { busy: number; log: number; checkpointed: number } {
  return database.prepare(`PRAGMA wal_checkpoint(${mode})`).get() as never
}

/** Another connection has begun to write first. */
function markUnlessBusy(database: DatabaseSync): void {
  try {
    markLogAlone(database)
  } catch (error) {
    if (!isBusy(error)) throw error
  }
}
