import { allIn, runIn } from './many.ts'
import { all, first, run, type Steps } from './steps.ts'

/**
 * Texts that are hardly ever read again are compressed together (migration 17). Their rows have marks in
 * place of the texts. A mark and its place in a pack come and go in one transaction, so a pack never holds a
 * text that no row has. An erasure that takes a text from its row takes it from the pack with `forgetPacked`.
 */

/** The packed columns of each table. All of them hold JSON, and a mark is not JSON. */
export const PACKED_COLUMNS = {
  segments: ['text', 'summary', 'events', 'details'],
  facts: ['line'],
  document_versions: ['back', 'whole'],
  documents: ['content'],
} as const
export type PackedColumn = (typeof PACKED_COLUMNS)[keyof typeof PACKED_COLUMNS][number]

/** The texts of one row. */
export type Texts = Readonly<Partial<Record<PackedColumn, string>>>

/** The session or the document that the texts belong to. */
export type PackOwner = { readonly session: number } | { readonly document: number }

const ofOwner = (owner: PackOwner) => ('session' in owner ? 'session_id = ?1' : 'document_id = ?1')
const idOf = (owner: PackOwner) => ('session' in owner ? owner.session : owner.document)

const MARK = 'packed '
/**
 * SQL that tests whether a column holds a mark. To read the mark itself, select the column under another
 * name.
 */
export const isPacked = (column: PackedColumn) => `substr(${column}, 1, ${MARK.length}) = '${MARK}'`

/** A longer pack saves more room on disk, but takes longer to extend. */
const MAX_PLACES = 48
const MAX_OCTETS = 100_000
/** A shorter text is not worth its mark. Compressing a longer one would stop the event loop for too long. */
const MIN_CHARACTERS = 40
const MAX_CHARACTERS = 60_000

export function isWorthPacking(text: string): boolean {
  return text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS && !text.startsWith(MARK)
}

/**
 * The values of `layout`. 0: a program of an earlier version may be at work, so nothing is packed. 2: new
 * texts are packed, and some older ones are not packed yet. 1: everything is packed.
 */
const [WHOLLY, FROM_NOW_ON] = [1, 2]

/** Whether new texts are packed. */
export function* isCompact(): Steps<boolean> {
  const state = yield* readLayout()
  return state === WHOLLY || state === FROM_NOW_ON
}

/** Whether a compaction would find nothing left to pack. */
export function* isWhollyCompact(): Steps<boolean> {
  return (yield* readLayout()) === WHOLLY
}

function* readLayout(): Steps<number | undefined> {
  return (yield* first<{ is_compact: number }>('SELECT is_compact FROM layout'))?.is_compact
}

/** This is never undone. */
export function* beginCompaction(): Steps<void> {
  yield* run(`UPDATE layout SET is_compact = ${FROM_NOW_ON} WHERE is_compact = 0`)
}

export function* endCompaction(): Steps<void> {
  yield* run(`UPDATE layout SET is_compact = ${WHOLLY} WHERE is_compact = ${FROM_NOW_ON}`)
}

/** Puts the texts of rows into packs. Returns their marks, in the same order. */
export function* packTexts(owner: PackOwner, rows: readonly Texts[]): Steps<readonly string[]> {
  const marks: string[] = []
  let pack = rows.length === 0 ? null : yield* newestPack(owner)
  for (let from = 0; from < rows.length; ) {
    pack ??= { id: null, places: [], octets: 0 }
    const count = countFitting(rows, from, pack)
    const added = rows.slice(from, from + count)
    const id = yield* writePack(owner, {
      id: pack.id,
      places: [...pack.places, ...added],
      octets: pack.octets + added.reduce((sum, texts) => sum + octetsOf(texts), 0),
    })
    for (const place of added.keys()) marks.push(`${MARK}${id} ${pack.places.length + place}`)
    from += count
    pack = null
  }
  return marks
}

/** Stores the texts of a row that is read often in a pack of their own. Returns the mark. */
export function* keepTexts(owner: PackOwner, texts: Texts): Steps<string> {
  const id = yield* insertPack(owner, {
    places: 0,
    octets: octetsOf(texts),
    data: Buffer.from(JSON.stringify([texts])),
  })
  return `${MARK}${id} 0`
}

export interface Pack {
  /** `null`: the pack is new. */
  readonly id: number | null
  /** `null`: the place is no longer used. */
  readonly places: readonly (Texts | null)[]
  readonly octets: number
}

interface PackRow {
  readonly id: number
  readonly places: number
  readonly octets: number
  readonly data: Uint8Array
}

/** The newest pack, if it has room. */
function* newestPack(owner: PackOwner): Steps<Pack | null> {
  const row = yield* first<Omit<PackRow, 'data'>>(
    `SELECT id, places, octets FROM packs WHERE ${ofOwner(owner)} AND places > 0 ORDER BY id DESC LIMIT 1`,
    idOf(owner),
  )
  if (!row || row.places >= MAX_PLACES || row.octets >= MAX_OCTETS) return null
  return (yield* lockPacks([row.id])).get(row.id) ?? null
}

function toPack(row: PackRow): Pack {
  return { id: row.id, octets: row.octets, places: unpack(row) }
}

/** The number of rows that fit; at least one. */
function countFitting(rows: readonly Texts[], from: number, pack: Pack): number {
  let { octets } = pack
  let count = 0
  while (from + count < rows.length && pack.places.length + count < MAX_PLACES && octets < MAX_OCTETS) {
    octets += octetsOf(rows[from + count]!)
    count += 1
  }
  return count
}

function octetsOf(texts: Texts | null): number {
  return texts === null ? 0 : Object.values(texts).reduce((sum, text) => sum + text.length, 0)
}

function* writePack(owner: PackOwner, { id, places, octets }: Pack): Steps<number> {
  const data = pack(places)
  if (id !== null) {
    yield* run(
      'UPDATE packs SET places = ?2, octets = ?3, data = ?4 WHERE id = ?1',
      id,
      places.length,
      octets,
      data,
    )
    return id
  }
  return yield* insertPack(owner, { places: places.length, octets, data })
}

function* insertPack(owner: PackOwner, { places, octets, data }: Omit<PackRow, 'id'>): Steps<number> {
  const row = yield* first<{ id: number }>(
    'INSERT INTO packs (session_id, document_id, places, octets, data) VALUES (?1, ?2, ?3, ?4, ?5) RETURNING id',
    'session' in owner ? owner.session : null,
    'document' in owner ? owner.document : null,
    places,
    octets,
    data,
  )
  return row!.id
}

function pack(places: readonly (Texts | null)[]): Uint8Array {
  const { deflateRawSync } = process.getBuiltinModule('node:zlib')
  return deflateRawSync(JSON.stringify(places))
}

function unpack({ places, data }: Pick<PackRow, 'places' | 'data'>): readonly (Texts | null)[] {
  const { inflateRawSync } = process.getBuiltinModule('node:zlib')
  try {
    const json =
      places === 0 ? Buffer.from(data.buffer, data.byteOffset, data.byteLength) : inflateRawSync(data)
    return JSON.parse(json.toString())
  } catch (cause) {
    // A lost page. The driver reports the damage.
    throw new SyntaxError('a pack that cannot be read', { cause })
  }
}

interface Place {
  readonly pack: number
  readonly place: number
}

export function placeOf(mark: string): Place {
  const [pack, place] = mark.slice(MARK.length).split(' ').map(Number)
  return { pack: pack!, place: place! }
}

/** Frees the places of rows that are gone, or whose texts are gone. A value that is not a mark is ignored. */
export function* forgetPacked(marks: readonly string[]): Steps<void> {
  const places = Map.groupBy(marks.filter(mark => mark.startsWith(MARK)).map(placeOf), each => each.pack)
  if (places.size === 0) return
  const emptied: number[] = []
  for (const [id, packed] of yield* lockPacks([...places.keys()])) {
    const gone = new Set(places.get(id)!.map(({ place }) => place))
    const left = packed.places.map((texts, place) => (gone.has(place) ? null : texts))
    const octets = left.reduce((sum, texts) => sum + octetsOf(texts), 0)
    if (left.every(texts => texts === null)) emptied.push(id)
    else yield* run('UPDATE packs SET octets = ?2, data = ?3 WHERE id = ?1', id, octets, pack(left))
  }
  yield* runIn('DELETE FROM packs WHERE id IN (*)', [], emptied)
}

/**
 * Reads packs and locks them until the transaction ends. On PostgreSQL not every caller holds the owner's
 * lock.
 */
function* lockPacks(ids: readonly number[]): Steps<ReadonlyMap<number, Pack>> {
  const rows = yield* allIn<PackRow>(
    'UPDATE packs SET places = places WHERE id IN (*) RETURNING id, places, octets, data',
    [],
    ids,
  )
  return new Map(rows.map(row => [row.id, toPack(row)]))
}

export function* readPacks(ids: readonly number[]): Steps<ReadonlyMap<number, Pack>> {
  const rows = yield* allIn<PackRow>('SELECT id, places, octets, data FROM packs WHERE id IN (*)', [], ids)
  return new Map(rows.map(row => [row.id, toPack(row)]))
}

export function isMark(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(MARK)
}

/** Every used place of one owner, as a mark. For checks that rows and packs agree. */
export function* marksOf(owner: PackOwner): Steps<readonly string[]> {
  const rows = yield* all<PackRow>(
    `SELECT id, places, octets, data FROM packs WHERE ${ofOwner(owner)} ORDER BY id`,
    idOf(owner),
  )
  return rows.flatMap(row =>
    unpack(row).flatMap((texts, place) => (texts === null ? [] : [`${MARK}${row.id} ${place}`])),
  )
}
