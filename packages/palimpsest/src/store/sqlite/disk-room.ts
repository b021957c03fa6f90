import { accessSync, constants, statfsSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'

/** A folder, and the room that a copy of the database needs there. */
export interface RoomProblem {
  readonly folder: string
  readonly neededBytes: number
  readonly freeBytes: number
}

/** A copy grows a little, because its pages are filled anew. */
const SPARE = 1.05

/**
 * Whether there is room for rewriting a database: once as a temporary file and once in its log. This is
 * checked beforehand, because a full disk stops every program that writes to it. `null`: there is room, or
 * the system does not say.
 */
export function findRoom(path: string, bytes: number): RoomProblem | null {
  const temporary = temporaryFolder()
  const own = roomBeside(path, bytes)
  const copy = Math.ceil(bytes * SPARE)
  const isShared = temporary === null || isOneDisk(own.folder, temporary)
  const rooms = isShared ? [own] : [roomIn(own.folder, copy), roomIn(temporary, copy)]
  return rooms.find(({ freeBytes, neededBytes }) => freeBytes < neededBytes) ?? null
}

/** The room beside the database, and the room that is needed if the temporary file is there too. */
export function roomBeside(path: string, bytes: number): RoomProblem {
  return roomIn(dirname(path), Math.ceil(bytes * SPARE) * 2)
}

/** The room for a file of this size. */
export function roomFor(path: string, bytes: number): RoomProblem {
  return roomIn(dirname(path), Math.ceil(bytes * SPARE))
}

function roomIn(folder: string, neededBytes: number): RoomProblem {
  return { folder, neededBytes, freeBytes: freeBytes(folder) }
}

function freeBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder)
    return bavail * bsize
  } catch {
    return Number.POSITIVE_INFINITY
  }
}

function isOneDisk(one: string, other: string): boolean {
  try {
    return statSync(one).dev === statSync(other).dev
  } catch {
    return false
  }
}

/** The folder of SQLite's temporary files: the first of these that can be written. */
function temporaryFolder(): string | null {
  if (process.platform === 'win32') return tmpdir()
  const { SQLITE_TMPDIR, TMPDIR } = process.env
  const folders = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp', '.']
  return folders.find(folder => folder !== undefined && isWritable(folder)) ?? null
}

function isWritable(folder: string): boolean {
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return statSync(folder).isDirectory()
  } catch {
    return false
  }
}
