import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../errors.ts'
import { isSharedMemoryError } from './errors.ts'

/**
 * How many pages the log has when a commit copies them into the database. This is so for the commits of a
 * thread, and for all commits if there is no thread.
 */
export const CHECKPOINT_PAGES = 16_000

export type Durability = 'full' | 'normal'

/**
 * Every connection that writes has these settings, in any thread. `commits` is `normal` if the log is synced
 * elsewhere.
 */
export function setDurability(
  database: DatabaseSync,
  durability: Durability,
  commits: Durability = durability,
): void {
  database.exec(`PRAGMA synchronous = ${commits}`)
  // On macOS an ordinary fsync does not reach the disk; elsewhere this means nothing.
  if (durability === 'full') database.exec('PRAGMA fullfsync = ON; PRAGMA checkpoint_fullfsync = ON')
}

/**
 * Turns the log on, and makes sure that no commit copies it. Without a log, nothing that this driver promises
 * holds: readers and writers would stop each other. Where SQLite cannot have a log, its locks cannot be
 * trusted either.
 */
export function setLog(database: DatabaseSync, name: string): void {
  const mode = journalMode(database, name)
  // A database in memory needs no log.
  if (mode !== 'wal' && database.location()) throw noLog(name, `its journal mode stays "${mode}"`)
  database.exec('PRAGMA wal_autocheckpoint = 0')
  // A file that had no log until now (for example one made by VACUUM INTO) gets its log with the first read.
  database.prepare('SELECT count(*) FROM sqlite_schema').get()
}

function journalMode(database: DatabaseSync, name: string): unknown {
  try {
    return database.prepare('PRAGMA journal_mode = WAL').get()?.['journal_mode']
  } catch (error) {
    throw isSharedMemoryError(error) ? noLog(name, 'memory cannot be shared', error) : error
  }
}

function noLog(name: string, reason: string, cause?: unknown): StoreError {
  return new StoreError(
    'store_unavailable',
    name,
    `it cannot have a write-ahead log where it is (${reason}), as on network file systems. Nothing was stored. Put the ` +
      'file on a disk of this machine, or use PostgreSQL.',
    cause,
  )
}

/** The file that has this name now. `null`: there is none. */
export function fileAt(path: string): string | null {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file ? `${file.dev} ${file.ino}` : null
}

/** Blocks the thread. Never call it in the thread of the event loop. */
export function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
