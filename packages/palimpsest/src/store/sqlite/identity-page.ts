import type { Identity } from '../store.ts'

const TABLE_LEAF = 0x0d
const LEAF_HEADER_BYTES = 8
const ID = /^[0-9a-f]{32}$/

/**
 * Reads the identity of the database from a copy of the page that holds its table. `null`: it is not in this
 * page.
 */
export function identityIn(page: Buffer): Identity | null {
  try {
    if (page[0] !== TABLE_LEAF || page.readUInt16BE(3) !== 1) return null
    const record = readRecord(page, page.readUInt16BE(LEAF_HEADER_BYTES))
    const [row, id, generation, generationKey] = record
    if (record.length !== 4 || row !== null || typeof id !== 'string' || !ID.test(id)) return null
    if (typeof generation !== 'number' || typeof generationKey !== 'string') return null
    return { id, generation, generationKey }
  } catch {
    // The page belongs to something else by now.
    return null
  }
}

type Value = number | string | null

/** Reads a row of a table; the whole row is in one page: https://sqlite.org/fileformat2.html#record_format */
function readRecord(page: Buffer, cell: number): readonly Value[] {
  const [, rowAt] = readNumber(page, cell)
  const [, headerAt] = readNumber(page, rowAt)
  const [headerBytes, typesAt] = readNumber(page, headerAt)
  const values: Value[] = []
  let valueAt = headerAt + headerBytes
  for (let at = typesAt; at < headerAt + headerBytes; ) {
    const [type, next] = readNumber(page, at)
    const bytes = bytesOf(type)
    values.push(columnValue(page, type, valueAt))
    valueAt += bytes
    at = next
  }
  return values
}

/** SQLite's numbers have one to nine bytes; ours have at most five. */
function readNumber(page: Buffer, at: number): readonly [number, number] {
  let number = 0
  for (let next = at; ; ) {
    const byte = page.readUInt8(next++)
    number = number * 128 + (byte & 0x7f)
    if (byte < 0x80) return [number, next]
  }
}

const INTEGER_BYTES = [0, 1, 2, 3, 4, 6, 8, 8, 0, 0]

function bytesOf(type: number): number {
  return INTEGER_BYTES[type] ?? Math.floor((type - 12) / 2)
}

function columnValue(page: Buffer, type: number, at: number): Value {
  if (type >= 1 && type <= 5) return page.readIntBE(at, bytesOf(type))
  if (type === 8 || type === 9) return type - 8
  return type >= 13 && type % 2 === 1 ? page.toString('utf8', at, at + bytesOf(type)) : null
}
