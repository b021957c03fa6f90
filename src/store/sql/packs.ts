import type { Driver } from './driver.ts'
import { allIn, runIn } from './many.ts'
import { type Answered, type Asked, all, first, isMany, type Row, run, type Steps } from './steps.ts'

/**
 * Texts that are hardly ever read again, compressed together (migration 17). Their rows have marks in place of them. A
 * mark and its place in a pack come and go in one transaction, so that a pack never tells what no row does: an erasure
 * that takes a text from its row takes it from the pack with `forgetPacked`.
 */

/** What is packed, by table. All of it is JSON, which a mark is not. */
const COLUMNS = {
  segments: ['text', 'summary', 'events', 'details'],
  facts: ['line'],
  document_versions: ['back', 'whole'],
  documents: ['content'],
} as const
type Column = (typeof COLUMNS)[keyof typeof COLUMNS][number]

/** The texts of one row. */
export type Texts = Readonly<Partial<Record<Column, string>>>

/** Whose they are. */
export type PackOwner = { readonly session: number } | { readonly document: number }

const MARK = 'packed '
/** For SQL: whether a column has a mark. Give it another name where the mark itself is to be read. */
export const isPacked = (column: Column) => `substr(${column}, 1, ${MARK.length}) = '${MARK}'`

/** A longer pack is smaller on disk, and takes longer to be added to. */
const MAX_PLACES = 48
const MAX_OCTETS = 100_000
/** A shorter text is not worth its mark. To compress a longer one would stop the event loop. */
const MIN_CHARACTERS = 40
const MAX_CHARACTERS = 60_000

export function isWorthPacking(text: string): boolean {
  return text.length >= MIN_CHARACTERS && text.length <= MAX_CHARACTERS && !text.startsWith(MARK)
}

/** 1: texts are packed. In other databases a program of an earlier version may be at work. */
export function* isCompact(): Steps<boolean> {
  const row = yield* first<{ is_compact: number }>('SELECT is_compact FROM layout')
  return row?.is_compact === 1
}

/** Puts the texts of rows into packs. Their marks, in the same order. */
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

/** The texts of a row that is read often, by themselves: its mark. */
export function* keepTexts(owner: PackOwner, texts: Texts): Steps<string> {
  const id = yield* insertPack(owner, {
    places: 0,
    octets: octetsOf(texts),
    data: Buffer.from(JSON.stringify([texts])),
  })
  return `${MARK}${id} 0`
}

interface Pack {
  /** `null`: it is new. */
  readonly id: number | null
  /** `null`: the place was given up. */
  readonly places: readonly (Texts | null)[]
  readonly octets: number
}

interface PackRow {
  readonly id: number
  readonly places: number
  readonly octets: number
  readonly data: Uint8Array
}

/** Where there is room in it. */
function* newestPack(owner: PackOwner): Steps<Pack | null> {
  const [column, id] = 'session' in owner ? ['session_id', owner.session] : ['document_id', owner.document]
  const row = yield* first<PackRow>(
    `SELECT id, places, octets, data FROM packs WHERE ${column} = ?1 AND places > 0 ORDER BY id DESC LIMIT 1`,
    id,
  )
  if (!row || row.places >= MAX_PLACES || row.octets >= MAX_OCTETS) return null
  return (yield* lockPacks([row.id])).get(row.id) ?? null
}

function toPack(row: PackRow): Pack {
  return { id: row.id, octets: row.octets, places: unpack(row) }
}

/** At least one. */
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
    // A lost page: the driver tells of damage.
    throw new SyntaxError('a pack that cannot be read', { cause })
  }
}

interface Place {
  readonly pack: number
  readonly place: number
}

function placeOf(mark: string): Place {
  const [pack, place] = mark.slice(MARK.length).split(' ').map(Number)
  return { pack: pack!, place: place! }
}

/** The places of rows that have gone, or whose texts have. What is no mark is nothing. */
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

/** As they are, and as they stay until the transaction ends: on PostgreSQL not all who come here hold the owner's lock. */
function* lockPacks(ids: readonly number[]): Steps<ReadonlyMap<number, Pack>> {
  const rows = yield* allIn<PackRow>(
    'UPDATE packs SET places = places WHERE id IN (*) RETURNING id, places, octets, data',
    [],
    ids,
  )
  return new Map(rows.map(row => [row.id, toPack(row)]))
}

function* readPacks(ids: readonly number[]): Steps<ReadonlyMap<number, Pack>> {
  const rows = yield* allIn<PackRow>('SELECT id, places, octets, data FROM packs WHERE id IN (*)', [], ids)
  return new Map(rows.map(row => [row.id, toPack(row)]))
}

/** A driver in whose rows the texts stand, and never their marks: no other code knows of packs when it reads. */
export function unpackingDriver(driver: Driver): Driver {
  return {
    name: driver.name,
    dialect: driver.dialect,
    ...(driver.queuesFolds !== undefined && { queuesFolds: driver.queuesFolds }),
    get erasedList() {
      return driver.erasedList ?? null
    },
    open: () => driver.open(),
    close: () => driver.close(),
    read: steps => driver.read(() => unpacking(steps())),
    write: (steps, options) => writeUnpacking(driver, steps, options),
    scrub: onScrub => driver.scrub(onScrub),
    ...(driver.readScrub && { readScrub: erasure => driver.readScrub!(erasure) }),
    ...(driver.checkUp && { checkUp: request => driver.checkUp!(request) }),
  }
}

/** How often a text may be taken away between the look at its row and the look at its pack. */
const MAX_TRIES = 5

/**
 * On PostgreSQL each statement of a transaction that writes sees what others have committed by then: a text whose pack is
 * not there any more is no damage yet. It is, if it is not there each time.
 */
async function writeUnpacking<Result>(
  driver: Driver,
  steps: () => Steps<Result>,
  options: Parameters<Driver['write']>[1],
): Promise<Result> {
  for (let tries = driver.dialect.locksSessions ? MAX_TRIES : 1; ; tries--) {
    const missing = new Set<unknown>()
    try {
      return await driver.write(() => unpacking(steps(), missing), options)
    } catch (error) {
      if (missing.size === 0 || tries === 1) throw error
    }
  }
}

function* unpacking<Result>(steps: Steps<Result>, missing?: Set<unknown>): Steps<Result> {
  let next = steps.next()
  while (!next.done) {
    let answered: Answered
    try {
      answered = yield* filled(next.value, yield next.value)
    } catch (error) {
      if (error instanceof MissingTextError) missing?.add(error)
      next = steps.throw(error)
      continue
    }
    next = steps.next(answered)
  }
  return next.value
}

/** A lost page: the driver tells of damage. */
class MissingTextError extends SyntaxError {}

function* filled(asked: Asked, answered: Answered): Steps<Answered> {
  if (!isMany(asked)) return yield* fillIn(asked.sql, answered as readonly Row[])
  if (asked.every(({ sql }) => columnsOf(sql).length === 0)) return answered
  const all: (readonly Row[])[] = []
  for (const [place, rows] of (answered as readonly (readonly Row[])[]).entries())
    all.push(yield* fillIn(asked[place]!.sql, rows))
  return all
}

/** By statement: there are few, and each is used again and again. */
const known = new Map<string, readonly Column[]>()
const MAX_KNOWN = 10_000

function columnsOf(sql: string): readonly Column[] {
  let columns = known.get(sql)
  if (columns === undefined) {
    columns = findColumns(sql)
    if (known.size >= MAX_KNOWN) known.clear()
    known.set(sql, columns)
  }
  return columns
}

/** Those that the statement names, of tables that it names. Messages have a `content`, too, and it is no JSON. */
function findColumns(sql: string): readonly Column[] {
  const words = new Set(sql.match(/\w+/g))
  const columns = Object.entries(COLUMNS).flatMap(([table, names]): readonly Column[] =>
    words.has(table) && !(table === 'documents' && words.has('messages')) ? names : [],
  )
  return columns.filter(column => words.has(column))
}

function* fillIn(sql: string, rows: readonly Row[]): Steps<readonly Row[]> {
  const [row] = rows
  const columns = row ? columnsOf(sql).filter(column => column in row) : []
  if (columns.length === 0) return rows
  const marked = (each: Row) => columns.filter(column => isMark(each[column]))
  const ids = new Set(rows.flatMap(each => marked(each).map(column => placeOf(each[column] as string).pack)))
  const packs = ids.size === 0 ? null : yield* readPacks([...ids])
  if (packs === null && !columns.includes('summary')) return rows
  return rows.map(each => {
    const texts = marked(each).map(column => [column, textAt(packs!, each[column] as string, column)])
    return withSummary(texts.length === 0 ? each : { ...each, ...Object.fromEntries(texts) })
  })
}

const WITHIN = 'in text '

/** A summary that its segment's text has word for word is kept there alone: where in it. */
export function summaryWithin(text: string, summary: string): string {
  const start = summary.length < MIN_CHARACTERS ? -1 : text.indexOf(summary)
  return start === -1 ? JSON.stringify(summary) : `${WITHIN}${start} ${summary.length}`
}

function withSummary(row: Row): Row {
  const { summary, text } = row
  if (typeof summary !== 'string' || !summary.startsWith(WITHIN)) return row
  const [start, length] = summary.slice(WITHIN.length).split(' ').map(Number)
  const whole = JSON.parse(text as string) as string
  return { ...row, summary: JSON.stringify(whole.slice(start, start! + length!)) }
}

export function isMark(value: unknown): boolean {
  return typeof value === 'string' && value.startsWith(MARK)
}

function textAt(packs: ReadonlyMap<number, Pack>, mark: string, column: Column): string {
  const { pack, place } = placeOf(mark)
  const text = packs.get(pack)?.places[place]?.[column]
  // What is not there cannot be read as if it were.
  if (text === undefined) throw new MissingTextError('a packed text that is not there')
  return text
}

/** Every place that is taken, as a mark: of one owner. For those who check that rows and packs agree. */
export function* marksOf(owner: PackOwner): Steps<readonly string[]> {
  const [column, id] = 'session' in owner ? ['session_id', owner.session] : ['document_id', owner.document]
  const rows = yield* all<PackRow>(
    `SELECT id, places, octets, data FROM packs WHERE ${column} = ?1 ORDER BY id`,
    id,
  )
  return rows.flatMap(row =>
    unpack(row).flatMap((texts, place) => (texts === null ? [] : [`${MARK}${row.id} ${place}`])),
  )
}
