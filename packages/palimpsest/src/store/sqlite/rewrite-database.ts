import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { announce, withdraw } from './announcement.ts'
import { setDurability, sleep } from './connection.ts'
import { findRoom, type RoomProblem, roomBeside } from './disk-room.ts'
import { isBusy, isFull } from './errors.ts'
import { markLogAlone } from './mark-log.ts'
import { addressOf } from './view.ts'

export interface RewriteRequest {
  /** An absolute path. */
  readonly path: string
  readonly durability: 'full' | 'normal'
  /** How long to wait for writers. */
  readonly busyTimeoutMs: number
}

export type RewriteOutcome =
  | { readonly kind: 'scrubbed' }
  /** A reader still reads the old state, or a writer took too long. */
  | { readonly kind: 'in use' }
  | ({ readonly kind: 'no room' } & RoomProblem)

/** Reads of ours are short. A read that lasts longer than this belongs to a reader that goes on reading. */
const READERS_MS = 1_000
const MAX_PAUSE_MS = 20
const MIN_ANNOUNCED_MS = 60_000
/** The speed of the slowest disks in use. Usual disks are thirty times as fast. */
const SLOWEST_BYTES_PER_MS = 2_000

/**
 * Writes the whole database anew and empties its log. Afterwards no byte of what was deleted is in its files.
 * Nothing less is enough: deleted rows stay in free parts of pages, and `secure_delete` misses the copies
 * that pages left where they were split.
 *
 * It blocks its thread for seconds. Other connections can read meanwhile and cannot write. If the process
 * dies at any point, the database is in the old state or in the new one.
 */
export function rewriteDatabase(
  request: RewriteRequest,
  onBegin: (size: { readonly bytes: number }) => void,
): RewriteOutcome {
  // If the file was taken away, it is not made anew.
  const database = new DatabaseSync(addressOf(request.path, 'mode=rw'), { timeout: 0 })
  try {
    setDurability(database, request.durability)
    return rewriteAnnounced(database, request, onBegin)
  } finally {
    database.close()
  }
}

function rewriteAnnounced(
  database: DatabaseSync,
  { path, busyTimeoutMs }: RewriteRequest,
  onBegin: (size: { readonly bytes: number }) => void,
): RewriteOutcome {
  const owner = randomUUID()
  const bytes = liveBytes(database)
  const problem = findRoom(path, bytes)
  if (problem) return { kind: 'no room', ...problem }
  const announcedMs = MIN_ANNOUNCED_MS + bytes / SLOWEST_BYTES_PER_MS
  const announcement = { owner, until: Math.ceil(Date.now() + announcedMs) }
  if (!succeeds(() => announce(database, announcement), busyTimeoutMs)) return { kind: 'in use' }
  try {
    // A reader of an older state would keep the log from being emptied afterwards, and the work would be in
    // vain.
    if (!emptyLog(database)) return { kind: 'in use' }
    onBegin({ bytes })
    if (!succeeds(() => database.exec('VACUUM'), busyTimeoutMs)) return { kind: 'in use' }
    return { kind: emptyLog(database) ? 'scrubbed' : 'in use' }
  } catch (error) {
    // If a copy did not fit, what it left in the log is given back.
    emptyLogQuietly(database)
    if (!isFull(error)) throw error
    return { kind: 'no room', ...roomBeside(path, bytes) }
  } finally {
    markQuietly(database)
    withdrawQuietly(database, owner)
  }
}

/** The size of a copy. */
function liveBytes(database: DatabaseSync): number {
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
}

/**
 * Copies the log into the database and cuts it off. `false`: a reader reads what is in the log, or the state
 * before it.
 */
function emptyLog(database: DatabaseSync): boolean {
  // No one waits for the first checkpoint, which does most of the work. All writers wait for the second.
  return succeeds(() => {
    database.exec('PRAGMA wal_checkpoint(PASSIVE)')
    const { busy } = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get() as { busy: number }
    if (busy !== 0) throw new LogInUse()
  }, READERS_MS)
}

class LogInUse extends Error {}

function emptyLogQuietly(database: DatabaseSync): void {
  try {
    emptyLog(database)
  } catch {}
}

/**
 * Programs that wrote before believe that the log is marked with its database. So the new log needs the mark
 * too.
 */
function markQuietly(database: DatabaseSync): void {
  try {
    succeeds(() => markLogAlone(database), READERS_MS)
  } catch {}
}

/** If the announcement stays, it runs out. */
function withdrawQuietly(database: DatabaseSync, owner: string): void {
  try {
    succeeds(() => withdraw(database, owner), READERS_MS)
  } catch {}
}

/** Tries again and again, until no other connection is in the way. `false`: the time is over. */
function succeeds(action: () => void, timeoutMs: number): boolean {
  const deadline = performance.now() + timeoutMs
  for (;;) {
    try {
      action()
      return true
    } catch (error) {
      if (!isBusy(error) && !(error instanceof LogInUse)) throw error
      if (performance.now() > deadline) return false
    }
    // The pause has a random length, so that this gets its turn among others that do the same.
    sleep(Math.random() * MAX_PAUSE_MS)
  }
}
