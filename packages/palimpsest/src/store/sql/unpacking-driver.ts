import { BoundedMap } from '../../bounded-map.ts'
import type { Driver } from './driver.ts'
import { isMark, PACKED_COLUMNS, type Pack, type PackedColumn, placeOf, readPacks } from './packs.ts'
import { type Answered, type Asked, isMany, type Row, type Steps } from './steps.ts'
import { withSummary } from './summary-within.ts'

/**
 * A driver whose rows hold the texts and never their marks. So no other code that reads needs to know of
 * packs.
 */
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

/** How often a text may be removed between reading its row and reading its pack. */
const MAX_TRIES = 5

/**
 * Beside other writers, each statement of a transaction sees what those have committed by then. So a missing
 * pack is no proof of damage yet. It is damage if the pack is missing each time.
 */
async function writeUnpacking<Result>(
  driver: Driver,
  steps: () => Steps<Result>,
  options: Parameters<Driver['write']>[1],
): Promise<Result> {
  for (let tries = driver.dialect.writers === 'row-locks' ? MAX_TRIES : 1; ; tries--) {
    const seen = { isMissing: false }
    try {
      return await driver.write(() => unpacking(steps(), seen), options)
    } catch (error) {
      if (!seen.isMissing || tries === 1) throw error
    }
  }
}

/** Sets `seen.isMissing` if a text was not in the place of its mark. */
function* unpacking<Result>(steps: Steps<Result>, seen = { isMissing: false }): Steps<Result> {
  let next = steps.next()
  while (!next.done) {
    let answered: Answered
    try {
      answered = yield* filled(next.value, yield next.value)
    } catch (error) {
      if (error instanceof MissingTextError) seen.isMissing = true
      next = steps.throw(error)
      continue
    }
    next = steps.next(answered)
  }
  return next.value
}

/** A lost page. The driver reports the damage. */
class MissingTextError extends SyntaxError {}

function* filled(asked: Asked, answered: Answered): Steps<Answered> {
  if (!isMany(asked)) return yield* fillIn(asked.sql, answered as readonly Row[])
  if (asked.every(({ sql }) => columnsOf(sql).length === 0)) return answered
  const all: (readonly Row[])[] = []
  for (const [place, rows] of (answered as readonly (readonly Row[])[]).entries())
    all.push(yield* fillIn(asked[place]!.sql, rows))
  return all
}

/** Kept by statement: there are few, and each is used again and again. */
const known = new BoundedMap<string, readonly PackedColumn[]>(10_000)

function columnsOf(sql: string): readonly PackedColumn[] {
  let columns = known.get(sql)
  if (columns === undefined) {
    columns = findColumns(sql)
    known.set(sql, columns)
  }
  return columns
}

/**
 * The packed columns that the statement names, of tables that it names. Messages also have a `content`, which
 * is not JSON.
 */
function findColumns(sql: string): readonly PackedColumn[] {
  const words = new Set(sql.match(/\w+/g))
  const columns = Object.entries(PACKED_COLUMNS).flatMap(([table, names]): readonly PackedColumn[] =>
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

function textAt(packs: ReadonlyMap<number, Pack>, mark: string, column: PackedColumn): string {
  const { pack, place } = placeOf(mark)
  const text = packs.get(pack)?.places[place]?.[column]
  // A missing text must not be read as if it were there.
  if (text === undefined) throw new MissingTextError('a packed text that is not there')
  return text
}
