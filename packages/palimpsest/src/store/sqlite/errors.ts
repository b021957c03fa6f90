import { PalimpsestError, StoreError } from '../../errors.ts'

const BUSY = 5
const LOCKED = 6
const CORRUPT = 11
const FULL = 13
const TOO_LONG = 18
const NOT_A_DATABASE = 26
/**
 * A reader that may not write to the index of the log has found no place in it. It finds a place as soon as
 * another connection reads.
 */
const READ_ONLY_CANTLOCK = 520
const IO_ERROR = 10
/** SQLite's extended codes SHMOPEN, SHMSIZE, SHMLOCK and SHMMAP. */
const SHARED_MEMORY = [18, 19, 20, 21]

/** SQLite's result code, without the extension in its upper bits. */
function resultCode(error: unknown): number | null {
  const code = extendedCode(error)
  return code === null ? null : code & 0xff
}

function extendedCode(error: unknown): number | null {
  const code = (error as { errcode?: unknown } | null)?.errcode
  return typeof code === 'number' ? code : null
}

/** Another connection writes now: wait and try again. */
export function isBusy(error: unknown): boolean {
  const code = resultCode(error)
  return code === BUSY || code === LOCKED || extendedCode(error) === READ_ONLY_CANTLOCK
}

/** There is no room on the disk. */
export function isFull(error: unknown): boolean {
  return resultCode(error) === FULL
}

/**
 * SQLite found a damaged page, or stored data cannot be read. Mistakes of a program, and texts that are too
 * long for it, have the same error code. They are not counted here: one call that fails is no reason to stop
 * all others.
 */
export function isDamage(error: unknown): boolean {
  if (!PalimpsestError.isInstance(error) || error.code !== 'store_corrupt') return false
  const code = resultCode(error.cause)
  return code === CORRUPT || code === NOT_A_DATABASE || error.cause instanceof SyntaxError
}

/** A value is longer than this connection accepts. */
export function isTooLong(error: unknown): boolean {
  return resultCode(error) === TOO_LONG
}

/** Opening, sizing, locking or mapping the index of the log (`-shm`) failed. */
export function isSharedMemoryError(error: unknown): boolean {
  const code = extendedCode(error)
  return SHARED_MEMORY.some(extension => code === (IO_ERROR | (extension << 8)))
}

export function toStoreError(error: unknown, name: string): unknown {
  if (PalimpsestError.isInstance(error)) return error
  switch (resultCode(error)) {
    case null:
      return error
    case BUSY:
    case LOCKED:
      return new StoreError(
        'store_busy',
        name,
        'another process kept the database locked for too long. Nothing was stored; try again.',
        error,
      )
    case 8:
      return new StoreError(
        'store_read_only',
        name,
        'the database cannot be written. Check the permissions of the file and of its folder.',
        error,
      )
    case FULL:
      return new StoreError(
        'store_full',
        name,
        'the disk is full. Nothing was stored, and what was stored is safe; make room and try again.',
        error,
      )
    case CORRUPT:
      return new StoreError(
        'store_corrupt',
        name,
        'the database is damaged. Nothing was changed. Copy the file with its -wal, then put a backup back with ' +
          '"palimpsest restore", or recover it with: sqlite3 FILE ".recover" | sqlite3 NEW',
        error,
      )
    case NOT_A_DATABASE:
      return new StoreError(
        'store_corrupt',
        name,
        'this file is not a SQLite database, or its first page is torn. Nothing was changed; name another file.',
        error,
      )
    case 14:
      return new StoreError(
        'store_unavailable',
        name,
        'the database cannot be opened. Check that the folder exists and can be written.',
        error,
      )
    default:
      return new StoreError('store_failed', name, (error as Error).message, error)
  }
}
