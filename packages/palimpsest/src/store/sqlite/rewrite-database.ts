import { randomUUID } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { announce, withdraw } from './announcement.ts'
import { setDurability, sleep } from './connection.ts'
import { findRoom, type RoomProblem, roomBeside } from './disk-room.ts'
import { isBusy, isFull } from './errors.ts'
import { markLogAlone } from './mark-log.ts'
import { addressOf } from './view.ts'

export interface RewriteRequest {
  /** Absolute. */
  readonly path: string
  readonly durability: 'full' | 'normal'
  /** How long to wait for those who write. */
  readonly busyTimeoutMs: number
}

export type RewriteOutcome =
  | { readonly kind: 'scrubbed' }
  /** Somebody reads what was there before, or wrote for too long. */
  | { readonly kind: 'in use' }
  | ({ readonly kind: 'no room' } & RoomProblem)

/** Reads of ours are short: one that lasts longer than this is somebody's who goes on reading. */
const READERS_MS = 1_000
const MAX_PAUSE_MS = 20
const MIN_ANNOUNCED_MS = 60_000
/** Of disks that anybody still uses; the usual ones are thirty times as fast. */
const SLOWEST_BYTES_PER_MS = 2_000

/**
 * Writes the whole database anew and empties its log: afterwards no byte of what was deleted is in its files.
 * Nothing less does it: deleted rows stay in free parts of pages, and `secure_delete` misses copies that pages
 * left where they were split.
 *
 * It blocks its thread for seconds. Others read meanwhile and cannot write. If the process dies at any point,
 * the database is as it was, or as it is to be.
 */
export function rewriteDatabase(
  request: RewriteRequest,
  onBegin: (size: { readonly bytes: number }) => void,
): RewriteOutcome {
  // Not made anew if somebody took it away.
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
    // With a reader of an older state the log could not be emptied afterwards, and all would be in vain.
    if (!emptyLog(database)) return { kind: 'in use' }
    onBegin({ bytes })
    if (!succeeds(() => database.exec('VACUUM'), busyTimeoutMs)) return { kind: 'in use' }
    return { kind: emptyLog(database) ? 'scrubbed' : 'in use' }
  } catch (error) {
    // What a copy that did not fit left in the log is given back.
    emptyLogQuietly(database)
    if (!isFull(error)) throw error
    return { kind: 'no room', ...roomBeside(path, bytes) }
  } finally {
    markQuietly(database)
    withdrawQuietly(database, owner)
  }
}

/** What a copy takes. */
function liveBytes(database: DatabaseSync): number {
  const pragma = (name: string) => Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])
  return (pragma('page_count') - pragma('freelist_count')) * pragma('page_size')
}

/** Copies it into the database and cuts it off. `false`: somebody reads what is in it, or what was before it. */
function emptyLog(database: DatabaseSync): boolean {
  // Nobody waits for the first, which does most of it; all who write wait for the second.
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

/** Programs that wrote before take the log for one that says whose it is: the new one has to say so as well. */
function markQuietly(database: DatabaseSync): void {
  try {
    succeeds(() => markLogAlone(database), READERS_MS)
  } catch {}
}

/** If it stays, it runs out. */
function withdrawQuietly(database: DatabaseSync, owner: string): void {
  try {
    succeeds(() => withdraw(database, owner), READERS_MS)
  } catch {}
}

/** Again and again, until nobody is in the way or the time is over: `false`. */
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
    // Of random length, so that it takes its turn among those who do the same.
    sleep(Math.random() * MAX_PAUSE_MS)
  }
}
