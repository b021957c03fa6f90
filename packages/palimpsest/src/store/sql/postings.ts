import { MAX_COUNT, MAX_LENGTH, type Postings } from '../../search/session-index.ts'

/**
 * The packed index of a session. Each term has rows for the messages that hold it. A row is known by its
 * first message. It holds the difference from each message to the next, with a bit that says whether a count
 * above 1 follows. Each block of messages holds, for every message, its number of terms, its speaker and its
 * time.
 */

export const BLOCK_MESSAGES = 4096
/**
 * In bytes. A rare term has one row, whatever the session's length. SQLite would keep larger rows on pages of
 * their own.
 */
const MAX_ROW_BYTES = 800

export function blockOf(seq: number): number {
  return Math.floor(seq / BLOCK_MESSAGES)
}

export interface PostingsRow {
  /** Not above any message of this row, and above all messages of earlier rows. */
  readonly first: number
  readonly data: Uint8Array
}

/** A message that holds a term, and how often. */
export type Place = readonly [seq: number, count: number]

class Reader {
  readonly #data: Uint8Array
  #at = 0

  constructor(data: Uint8Array) {
    this.#data = data
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#data.length
  }

  number(): number {
    const data = this.#data
    let byte = data[this.#at++]!
    if (byte < 0x80) return byte
    let value = byte & 0x7f
    let factor = 0x80
    do {
      byte = data[this.#at++]!
      value += (byte & 0x7f) * factor
      factor *= 0x80
    } while (byte >= 0x80)
    return value
  }

  signed(): number {
    const value = this.number()
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2
  }

  bytes(length: number): Uint8Array {
    this.#at += length
    return this.#data.subarray(this.#at - length, this.#at)
  }
}

class Writer {
  #data = new Uint8Array(64)
  #length = 0

  get length(): number {
    return this.#length
  }

  number(value: number): void {
    this.#reserve(10)
    let rest = value
    while (rest >= 0x80) {
      this.#data[this.#length++] = (rest % 0x80) | 0x80
      rest = Math.floor(rest / 0x80)
    }
    this.#data[this.#length++] = rest
  }

  signed(value: number): void {
    this.number(value >= 0 ? value * 2 : -value * 2 - 1)
  }

  bytes(bytes: Uint8Array): void {
    this.#reserve(bytes.length)
    this.#data.set(bytes, this.#length)
    this.#length += bytes.length
  }

  end(): Uint8Array {
    return this.#data.slice(0, this.#length)
  }

  #reserve(bytes: number): void {
    if (this.#length + bytes <= this.#data.length) return
    const larger = new Uint8Array(Math.max(this.#data.length * 2, this.#length + bytes))
    larger.set(this.#data)
    this.#data = larger
  }
}

/** The postings of one term. The rows are in ascending order. */
export function unpackPostings(rows: readonly PostingsRow[]): Postings {
  // A posting takes one byte at least.
  const most = rows.reduce((sum, { data }) => sum + data.length, 0)
  const seqs = new Uint32Array(most)
  const counts = new Uint8Array(most)
  let length = 0
  for (const { first, data } of rows) {
    const reader = new Reader(data)
    let seq = first
    while (!reader.isAtEnd) {
      const packed = reader.number()
      seq += Math.floor(packed / 2)
      seqs[length] = seq
      counts[length] = packed % 2 === 1 ? reader.number() : 1
      length += 1
    }
  }
  return { seqs: seqs.subarray(0, length), counts: counts.subarray(0, length) }
}

function placesIn(rows: readonly PostingsRow[]): readonly Place[] {
  const { seqs, counts } = unpackPostings(rows)
  return Array.from(seqs, (seq, place) => [seq, counts[place]!] as const)
}

/** The places are in ascending order. `first` is not above any of them. */
function packPostings(first: number, places: readonly Place[]): readonly PostingsRow[] {
  const rows: PostingsRow[] = []
  let writer = new Writer()
  let [begin, previous] = [first, first]
  for (const [seq, count] of places) {
    if (writer.length >= MAX_ROW_BYTES) {
      rows.push({ first: begin, data: writer.end() })
      writer = new Writer()
      begin = seq
      previous = seq
    }
    previous = writePlace(writer, previous, seq, count)
  }
  return writer.length === 0 ? rows : [...rows, { first: begin, data: writer.end() }]
}

/**
 * The new last rows of a term: what lies above `above` is removed, and `places` are added, all of which lie
 * above it.
 */
export function endPostings(
  rows: readonly PostingsRow[],
  { above, places }: { above: number; places: readonly Place[] },
): readonly PostingsRow[] {
  const kept = placesIn(rows).filter(([seq]) => seq <= above)
  const added = places.filter(([, count]) => count > 0).toSorted(([one], [other]) => one - other)
  const all = [...kept, ...added]
  return all.length === 0 ? [] : packPostings(Math.min(rows[0]?.first ?? all[0]![0], all[0]![0]), all)
}

export function holdsAny(row: PostingsRow, wanted: readonly number[]): boolean {
  const { seqs } = unpackPostings([row])
  return wanted.some(seq => seqs.includes(seq))
}

/** A row after its messages hold the term this often; 0 means not at all. `null`: the row is empty. */
export function changePostings(row: PostingsRow | undefined, places: readonly Place[]): PostingsRow | null {
  const changed = new Map(places)
  const others = row ? placesIn([row]).filter(([seq]) => !changed.has(seq)) : []
  const added = [...changed].filter(([, count]) => count > 0)
  const all = [...others, ...added].toSorted(([one], [other]) => one - other)
  if (all.length === 0) return null
  const first = row?.first ?? all[0]![0]
  // One row stays one row: each edited message adds at most one posting.
  const writer = new Writer()
  let previous = first
  for (const [seq, count] of all) previous = writePlace(writer, previous, seq, count)
  return { first, data: writer.end() }
}

function writePlace(writer: Writer, previous: number, seq: number, count: number): number {
  writer.number((seq - previous) * 2 + (count > 1 ? 1 : 0))
  if (count > 1) writer.number(Math.min(count, MAX_COUNT))
  return seq
}

/** The speaker of a message: a role, and the sender's row or none. */
export interface BlockSpeaker {
  readonly role: number
  readonly senderId: number | null
}

export interface BlockEntry {
  /** 0: nothing of the message can be found. */
  readonly length: number
  readonly speaker: BlockSpeaker
  readonly minute: number
}

/** Indexed by the place of a message in its block, or in its session. */
export interface Columns {
  readonly lengths: Uint16Array
  readonly speakers: Uint32Array
  readonly minutes: Int32Array
}

/** A length that does not fit in its byte is in the list at the end. */
const LONG = 255

/**
 * Unpacks a block. It holds its speakers and its number of places. Then follow, column by column, the
 * lengths, the speakers, and the minutes as differences. At the end come the places and lengths of long
 * messages. `speakerPlace` gives the number of a speaker in the columns.
 */
export function unpackColumns(data: Uint8Array, speakerPlace: (speaker: BlockSpeaker) => number): Columns {
  const reader = new Reader(data)
  const known = readSpeakers(reader).map(speakerPlace)
  const count = reader.number()
  const columns = emptyColumns(count)
  const { lengths, speakers, minutes } = columns
  lengths.set(reader.bytes(count))
  const isWide = known.length > 256
  const said = reader.bytes(isWide ? 2 * count : count)
  for (let place = 0; place < count; place++)
    speakers[place] = known[isWide ? said[2 * place]! + 256 * said[2 * place + 1]! : said[place]!]!
  let minute = 0
  for (let place = 0; place < count; place++) {
    if (lengths[place] === 0) continue
    minute += reader.signed()
    minutes[place] = minute
  }
  while (!reader.isAtEnd) {
    const place = reader.number()
    lengths[place] = reader.number()
  }
  return columns
}

export function emptyColumns(count: number): Columns {
  return {
    lengths: new Uint16Array(count),
    speakers: new Uint32Array(count),
    minutes: new Int32Array(count),
  }
}

function readSpeakers(reader: Reader): readonly BlockSpeaker[] {
  const speakers: BlockSpeaker[] = []
  for (let left = reader.number(); left > 0; left--) {
    const role = reader.number()
    const senderId = reader.number()
    speakers.push({ role, senderId: senderId === 0 ? null : senderId })
  }
  return speakers
}

/** A block after these changes. Nothing can be found of a message without an entry. */
export function changeBlock(
  data: Uint8Array | undefined,
  changes: readonly { readonly place: number; readonly entry: BlockEntry | null }[],
): Uint8Array {
  const speakers: BlockSpeaker[] = []
  const known = new Map<number, number>()
  const speakerPlace = (speaker: BlockSpeaker) => {
    const name = speakerNumber(speaker)
    const place = known.get(name) ?? speakers.push(speaker) - 1
    known.set(name, place)
    return place
  }
  const columns = emptyColumns(BLOCK_MESSAGES)
  if (data) {
    const before = unpackColumns(data, speakerPlace)
    columns.lengths.set(before.lengths)
    columns.speakers.set(before.speakers)
    columns.minutes.set(before.minutes)
  }
  for (const { place, entry } of changes) {
    columns.lengths[place] = Math.min(entry?.length ?? 0, MAX_LENGTH)
    columns.speakers[place] = entry ? speakerPlace(entry.speaker) : 0
    columns.minutes[place] = entry?.minute ?? 0
  }
  return packColumns(columns, speakers)
}

function packColumns({ lengths, speakers, minutes }: Columns, known: readonly BlockSpeaker[]): Uint8Array {
  const places = lengths.findLastIndex(length => length > 0) + 1
  const writer = new Writer()
  writer.number(known.length)
  for (const { role, senderId } of known) {
    writer.number(role)
    writer.number(senderId ?? 0)
  }
  writer.number(places)
  writer.bytes(Uint8Array.from(lengths.subarray(0, places), length => Math.min(length, LONG)))
  const said = speakers.subarray(0, places)
  writer.bytes(
    known.length > 256
      ? Uint8Array.from({ length: 2 * places }, (_, byte) =>
          byte % 2 === 0 ? said[byte >> 1]! & 255 : said[byte >> 1]! >> 8,
        )
      : Uint8Array.from(said),
  )
  let minute = 0
  for (let place = 0; place < places; place++) {
    if (lengths[place] === 0) continue
    writer.signed(minutes[place]! - minute)
    minute = minutes[place]!
  }
  for (let place = 0; place < places; place++)
    if (lengths[place]! >= LONG) {
      writer.number(place)
      writer.number(lengths[place]!)
    }
  return writer.end()
}

/** No two speakers have the same number. */
export function speakerNumber({ role, senderId }: BlockSpeaker): number {
  return (senderId ?? 0) * 4 + role
}
