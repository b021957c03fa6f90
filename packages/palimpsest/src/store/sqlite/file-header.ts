import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import { isMainThread } from 'node:worker_threads'
import { BoundedMap } from '../../bounded-map.ts'
import { fileAt } from './connection.ts'
import { CHANGES_AT } from './log-file.ts'

interface FileHeader {
  readonly pageSize: number
  /** How often page 1 was changed. */
  readonly changes: number
}

/**
 * `empty`: there is no file, or nothing is in it. `null`: it is no file of SQLite, or it is not read here.
 */
export type HeaderRead = FileHeader | 'empty' | null

const HEADER_BYTES = 100
const BEGINNING = 'SQLite format 3\0'
const MAX_KEPT = 32

/**
 * When a process closes any descriptor of a file, POSIX releases all locks that the process has on that file.
 * SQLite's connections in other threads rely on their locks. So one descriptor for each file is kept open. A
 * descriptor of a thread would be closed with its thread, so the header is not read there.
 */
const kept = new BoundedMap<string, number>(MAX_KEPT, (_file, descriptor) => closeSync(descriptor))
const KEEPS = process.platform !== 'win32'

/**
 * Reads the header of the file alone, without what is in its log. SQLite itself does not tell these numbers.
 */
export function readHeader(path: string): HeaderRead {
  const bytes = Buffer.alloc(HEADER_BYTES)
  const file = fileAt(path)
  if (file === null) return 'empty'
  if (KEEPS && !isMainThread) return null
  try {
    const read = KEEPS ? readSync(descriptorOf(path, file), bytes, 0, HEADER_BYTES, 0) : readOnce(path, bytes)
    if (read === 0) return 'empty'
    if (read < HEADER_BYTES || bytes.toString('latin1', 0, BEGINNING.length) !== BEGINNING) return null
  } catch {
    return null
  }
  const size = bytes.readUInt16BE(16)
  return { pageSize: size === 1 ? 65_536 : size, changes: bytes.readUInt32BE(CHANGES_AT) }
}

function descriptorOf(path: string, file: string): number {
  const known = kept.get(file)
  kept.delete(file)
  const descriptor = known ?? openSync(path, 'r')
  const { dev, ino } = fstatSync(descriptor, { bigint: true })
  kept.set(`${dev} ${ino}`, descriptor)
  return descriptor
}

function readOnce(path: string, bytes: Buffer): number {
  const descriptor = openSync(path, 'r')
  try {
    return readSync(descriptor, bytes, 0, bytes.length, 0)
  } finally {
    closeSync(descriptor)
  }
}
