import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'
import { StoreError } from '../../errors.ts'
import { isSharedMemoryError } from './errors.ts'

/** Pages in the log after which a commit of a thread's copies them into the database, or any where there is no thread. */
export const CHECKPOINT_PAGES = 16_000

export type Durability = 'full' | 'normal'

/** Every connection that writes has these, whichever thread it is in. `commits`: `normal` where the log is synced elsewhere. */
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
 * With a log, and with no commit that copies it. Without one nothing here holds: readers and writers would stop each
 * other, and where SQLite cannot have one, its locks are not to be relied on either.
 */
export function setLog(database: DatabaseSync, name: string): void {
  const mode = journalMode(database, name)
  // What is in memory needs none.
  if (mode !== 'wal' && database.location()) throw noLog(name, `its journal mode stays "${mode}"`)
  database.exec('PRAGMA wal_autocheckpoint = 0')
  // A file that had none until now, such as one by VACUUM INTO, gets its log with the first look into it.
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

/** Which file has this name just now; `null`: none. */
export function fileAt(path: string): string | null {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file ? `${file.dev} ${file.ino}` : null
}

/** Stops this thread: not for the event loop's. */
export function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
