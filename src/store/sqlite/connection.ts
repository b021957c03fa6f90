import { statSync } from 'node:fs'
import type { DatabaseSync } from 'node:sqlite'

/** Pages in the log after which a commit copies them into the database, where no thread did it before. */
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

/** Which file has this name just now; `null`: none. */
export function fileAt(path: string): string | null {
  const file = statSync(path, { bigint: true, throwIfNoEntry: false })
  return file ? `${file.dev} ${file.ino}` : null
}

/** Stops this thread: not for the event loop's. */
export function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}
