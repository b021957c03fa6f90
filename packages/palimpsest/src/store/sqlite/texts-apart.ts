import { isCompact } from '../sql/packs.ts'
import { MAX_FORMAT } from '../sql/rows.ts'
import { type Query, type Row, runSync, type SqlValue, type Steps } from '../sql/steps.ts'
import { IN_LONG_TEXTS, keepLong, MAX_OCTETS_BESIDE_OTHERS, readLong } from './long-texts.ts'
import { fillHoles, type Hole, IN_PARTS, keepInParts, octetsInMark, parseMark } from './text-parts.ts'

/** The columns in which the text of a message is read. Its `format` is always beside it. */
const TEXT_COLUMNS = ['content', 'linked_content', 'calls']

/**
 * The limit for all texts of a row together. With the numbers of the row, this is less than SQLite keeps in
 * one page with other rows.
 */
export const MAX_OCTETS_IN_ROW = 900
/** The most octets that one UTF-16 unit of JavaScript takes. */
const MAX_OCTETS_A_CHARACTER = 3
/** A shorter text stays in its row, even beside very long ids of another program. */
const MIN_OCTETS_APART = 200

/**
 * Some texts are stored elsewhere than in their rows, and the rows have marks in place of them. In what is
 * written, this puts marks in the place of the texts. In everything that is read, it puts the texts back. No
 * other code knows of it. Only the `format` of a row tells a mark from a text.
 */
export class TextsApart {
  readonly #maxInRow: number
  /** Once the database is compact, it stays so. */
  #isCompact = false

  constructor(maxInRow: number = MAX_OCTETS_IN_ROW) {
    this.#maxInRow = maxInRow
  }

  /** Whether the query may bring a text that must not stand in its row. */
  brings({ text, parameters }: Query): boolean {
    if (text === undefined) return false
    let characters = 0
    for (const value of parameters) if (typeof value === 'string') characters += value.length
    if (characters * MAX_OCTETS_A_CHARACTER <= this.#maxInRow) return false
    return characters > this.#maxInRow || octetsOf(parameters) > this.#maxInRow
  }

  /** Stores such texts, and answers with the same query with marks in place of them. */
  *keepApart({ text, ...query }: Query): Steps<Query> {
    const parameters = [...query.parameters]
    const { content, format, rowLength = parameters.length } = text!
    for (let start = 0; start < parameters.length; start += rowLength) {
      const kept = yield* this.#keep(parameters.slice(start, start + rowLength), content)
      if (kept === null) continue
      parameters[start + content] = kept.mark
      parameters[start + format] = (parameters[start + format] as number) + kept.raise
    }
    return { ...query, parameters }
  }

  /** `null`: the text stays in its row. */
  *#keep(row: readonly SqlValue[], place: number): Steps<{ mark: string; raise: number } | null> {
    const text = row[place] as string
    const octets = Buffer.byteLength(text)
    if (octets > MAX_OCTETS_BESIDE_OTHERS) return { mark: yield* keepLong(text), raise: IN_LONG_TEXTS }
    const isLeft = octetsOf(row) <= this.#maxInRow || octets < Math.min(MIN_OCTETS_APART, this.#maxInRow)
    if (isLeft || !(yield* this.#isCompactNow())) return null
    return { mark: yield* keepInParts(text, octets), raise: IN_PARTS }
  }

  /** An operator may make the database compact at any time. */
  *#isCompactNow(): Steps<boolean> {
    if (this.#isCompact) return true
    this.#isCompact = yield* isCompact()
    return this.#isCompact
  }

  /** How many octets of these rows are stored in parts. */
  octetsInParts(rows: readonly Row[]): number {
    let octets = 0
    for (const row of rows)
      if (isInParts(row))
        for (const column of TEXT_COLUMNS) {
          const mark = row[column]
          if (typeof mark === 'string') octets += parseMark(mark).octets
        }
    return octets
  }

  /** Puts the texts in the place of the marks in these rows. */
  *fillIn(rows: readonly Row[]): Steps<readonly Row[]> {
    const holes: Hole[] = []
    for (const row of rows as readonly Record<string, SqlValue>[]) {
      if (!hasMark(row)) continue
      const raise = isInParts(row) ? IN_PARTS : IN_LONG_TEXTS
      row['format'] = (row['format'] as number) - raise
      for (const column of TEXT_COLUMNS) {
        const mark = row[column]
        if (typeof mark !== 'string') continue
        if (raise === IN_LONG_TEXTS) row[column] = yield* readLong(mark)
        else
          holes.push({
            mark: parseMark(mark),
            fill: text => {
              row[column] = text
            },
          })
      }
    }
    if (holes.length > 0) yield* fillHoles(holes)
    return rows
  }
}

type Execute = (query: Query) => readonly Row[]

/**
 * For a driver of a database with this schema. `execute` carries out a query as it is, with marks in place of
 * texts that are stored elsewhere. The function that is returned does the same with the texts themselves: no
 * code outside a driver sees a mark. A job is for a queue, and this schema has no queue.
 */
export function withTextsApart(
  execute: Execute,
  texts: TextsApart = new TextsApart(),
  beforeFilling: (rows: readonly Row[]) => void = () => {},
): Execute {
  return query => {
    if (query.job !== undefined) return []
    const rows = execute(texts.brings(query) ? runSync(texts.keepApart(query), execute) : query)
    if (!rows.some(hasMark)) return rows
    beforeFilling(rows)
    return runSync(texts.fillIn(rows), execute)
  }
}

/** The octets of the text in a row of this table, found without reading the text. */
export function octetsOfText(table: string): string {
  return `CASE WHEN ${table}.format >= ${IN_LONG_TEXTS} THEN ${MAX_OCTETS_BESIDE_OTHERS}
    WHEN ${table}.format >= ${IN_PARTS} THEN ${octetsInMark(`${table}.content`)}
    ELSE octet_length(${table}.content) END`
}

export function hasMark({ format }: Row): boolean {
  return typeof format === 'number' && format > MAX_FORMAT
}

function isInParts({ format }: Row): boolean {
  return typeof format === 'number' && format >= IN_PARTS && format < IN_LONG_TEXTS
}

function octetsOf(row: readonly SqlValue[]): number {
  let octets = 0
  for (const value of row) if (typeof value === 'string') octets += Buffer.byteLength(value)
  return octets
}
