import { closeSync, openSync, readSync } from 'node:fs'
import { endianness } from 'node:os'
import { nextTurn } from '../../slices.ts'

/** The committed content of a write-ahead log. */
export interface LogContent {
  /** The salts tell this log from every other log in the same file. */
  readonly salts: string
  readonly pageSize: number
  /**
   * The count of changes in the first and in the last copy of page 1 in the log. `null`: the log has no copy
   * of page 1.
   */
  readonly changes: { readonly first: number; readonly last: number } | null
  /** The copies of the page that was asked for, oldest first: at most the first and the last hundred. */
  readonly copies: readonly Buffer[]
}

const HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24
/** The last bit says in which order the checksums take the bytes. */
const MAGIC = 0x377f0682
const VERSION = 3_007_000
const BYTES_AT_A_TIME = 1_000_000
const MAX_COPIES = 200
/** Where the count of changes stands, in a database and in a page 1 of a log. */
export const CHANGES_AT = 24

/**
 * Reads a log as SQLite does when it finds one: up to the last commit, as far as salts and checksums agree.
 * `null`: there is no log, or nothing was committed to it. It locks nothing, and SQLite has no lock on this
 * file.
 */
export async function readLog(path: string, page: number | null): Promise<LogContent | null> {
  const file = openOrNull(path)
  if (file === null) return null
  try {
    const header = readLogHeader(file)
    return header === null ? null : await readFrames(file, header, page)
  } finally {
    closeSync(file)
  }
}

/** The salts of the log that is there now. `null`: there is none. */
export function readSalts(path: string): string | null {
  const file = openOrNull(path)
  if (file === null) return null
  try {
    return readLogHeader(file)?.salts ?? null
  } finally {
    closeSync(file)
  }
}

function openOrNull(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

interface LogHeader {
  readonly salts: string
  readonly saltBytes: Buffer
  readonly pageSize: number
  readonly order: 'LE' | 'BE'
  readonly sum: Sum
}

/** Two numbers of 32 bits. */
type Sum = readonly [number, number]

function readLogHeader(file: number): LogHeader | null {
  const bytes = Buffer.alloc(HEADER_BYTES)
  if (readSync(file, bytes, 0, HEADER_BYTES, 0) < HEADER_BYTES) return null
  const magic = bytes.readUInt32BE(0)
  const pageSize = bytes.readUInt32BE(8)
  if (magic >>> 1 !== MAGIC >>> 1 || bytes.readUInt32BE(4) !== VERSION || !isPageSize(pageSize)) return null
  const order = magic === MAGIC ? 'LE' : 'BE'
  const sum = sumOf(wordsOf(bytes, order), 0, HEADER_BYTES - 8, [0, 0])
  if (!isSum(bytes, HEADER_BYTES - 8, sum)) return null
  const saltBytes = bytes.subarray(16, 24)
  return { salts: saltBytes.toString('hex'), saltBytes, pageSize, order, sum }
}

function isPageSize(bytes: number): boolean {
  return bytes >= 512 && bytes <= 65_536 && (bytes & (bytes - 1)) === 0
}

async function readFrames(file: number, header: LogHeader, page: number | null): Promise<LogContent | null> {
  const { pageSize, saltBytes, order, salts } = header
  const frameBytes = FRAME_HEADER_BYTES + pageSize
  const chunk = Buffer.alloc(Math.ceil(BYTES_AT_A_TIME / frameBytes) * frameBytes)
  const committed: { changes: LogContent['changes']; copies: Buffer[] } = { changes: null, copies: [] }
  let pending: { changes: number[]; copies: Buffer[] } = { changes: [], copies: [] }
  let hasCommit = false
  let { sum } = header
  for (let position = HEADER_BYTES; ; ) {
    const read = readSync(file, chunk, 0, chunk.length, position)
    const words = wordsOf(chunk, order)
    for (let at = 0; at + frameBytes <= read; at += frameBytes) {
      const number = chunk.readUInt32BE(at)
      if (number === 0 || chunk.compare(saltBytes, 0, 8, at + 8, at + 16) !== 0) return done()
      sum = sumOf(words, at, at + 8, sum)
      sum = sumOf(words, at + FRAME_HEADER_BYTES, at + frameBytes, sum)
      if (!isSum(chunk, at + 16, sum)) return done()
      const body = at + FRAME_HEADER_BYTES
      if (number === 1) pending.changes.push(chunk.readUInt32BE(body + CHANGES_AT))
      if (number === page) pending.copies.push(Buffer.from(chunk.subarray(body, body + pageSize)))
      if (chunk.readUInt32BE(at + 4) !== 0) commit()
    }
    if (read < chunk.length) return done()
    position += read
    await nextTurn()
  }

  function commit(): void {
    hasCommit = true
    const { changes, copies } = pending
    if (changes.length > 0)
      committed.changes = { first: committed.changes?.first ?? changes[0]!, last: changes.at(-1)! }
    committed.copies.push(...copies)
    if (committed.copies.length > MAX_COPIES) committed.copies.splice(MAX_COPIES / 2, copies.length)
    pending = { changes: [], copies: [] }
  }

  function done(): LogContent | null {
    return hasCommit ? { salts, pageSize, ...committed } : null
  }
}

/** The bytes as numbers, in the order in which the log's checksums take them. */
function wordsOf(bytes: Buffer, order: 'LE' | 'BE'): Uint32Array {
  const ordered = order === endianness() ? bytes : Buffer.from(bytes).swap32()
  if (ordered.byteOffset % 4 === 0)
    return new Uint32Array(ordered.buffer, ordered.byteOffset, ordered.length / 4)
  return new Uint32Array(Uint8Array.from(ordered).buffer)
}

/** SQLite's checksum of the bytes between `from` and `to`. Both must be at the beginning of a number. */
function sumOf(words: Uint32Array, from: number, to: number, [first, second]: Sum): Sum {
  let [one, two] = [first, second]
  for (let index = from / 4; index < to / 4; index += 2) {
    one = (one + words[index]! + two) | 0
    two = (two + words[index + 1]! + one) | 0
  }
  return [one, two]
}

function isSum(bytes: Buffer, at: number, [one, two]: Sum): boolean {
  return bytes.readUInt32BE(at) === one >>> 0 && bytes.readUInt32BE(at + 4) === two >>> 0
}
