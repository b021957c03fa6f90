import type { CompactionStep } from '../sql/compact.ts'
import { MAX_FORMAT } from '../sql/rows.ts'
import { all, first, type SqlValue, type Steps } from '../sql/steps.ts'
import { MAX_OCTETS_IN_ROW } from './texts-apart.ts'

/** The tables with their keys. */
const TABLES = [
  { table: 'messages', key: ['session_id', 'seq'] },
  { table: 'message_versions', key: ['session_id', 'seq', 'version'] },
] as const

const ROWS_A_SLICE = 1_000
const OCTETS_A_SLICE = 200_000

interface Place {
  /** The place in `TABLES`. */
  readonly table: number
  /** All rows through this one are done. `null`: none is done. */
  readonly after: readonly SqlValue[] | null
  readonly seen: number
  /** The number of rows, roughly. */
  readonly total: number
}

interface RowSize {
  readonly [column: string]: SqlValue
  readonly octets: number
  readonly is_too_long: number
}

/**
 * Moves texts out of their rows if they make the rows spill over. It reads each text and writes it again; the
 * driver then puts the text elsewhere.
 */
export const compactTexts: CompactionStep<Place> = {
  name: 'texts',
  share: ({ seen, total }) => Math.min(1, seen / Math.max(1, total)),
  *run(cursor) {
    const place = cursor ?? { table: 0, after: null, seen: 0, total: yield* countRoughly() }
    const { table, key } = TABLES[place.table]!
    const rows = yield* readSizes(place)
    const done: RowSize[] = []
    let octets = 0
    for (const row of rows) {
      if (octets > OCTETS_A_SLICE) break
      done.push(row)
      if (row.is_too_long === 0) continue
      octets += row.octets
      yield* writeAgain(
        table,
        key,
        key.map(column => row[column]!),
      )
    }
    const seen = place.seen + done.length
    const last = done.at(-1)
    if (rows.length === ROWS_A_SLICE || done.length < rows.length)
      return { ...place, seen, after: key.map(column => last![column]!) }
    if (place.table + 1 === TABLES.length) return null
    return { ...place, seen, table: place.table + 1, after: null }
  },
}

/** Counts by the last message of each session: to count all messages would take as long as many slices. */
function* countRoughly(): Steps<number> {
  const row = yield* first<{ count: number | null }>(
    'SELECT sum((SELECT max(seq) FROM messages WHERE session_id = sessions.id)) AS count FROM sessions',
  )
  return row?.count ?? 0
}

/** SQLite finds these sizes in the rows themselves, so no text is read. */
function* readSizes({ table: number, after }: Place): Steps<readonly RowSize[]> {
  const { table, key } = TABLES[number]!
  const columns = key.join(', ')
  const marks = key.map((_, place) => `?${place + 1}`).join(', ')
  return yield* all<RowSize>(
    `SELECT ${columns}, octet_length(content) AS octets,
       format <= ${MAX_FORMAT} AND octet_length(content) > ${MAX_OCTETS_IN_ROW} AS is_too_long
     FROM ${table} ${after === null ? '' : `WHERE (${columns}) > (${marks})`}
     ORDER BY ${columns} LIMIT ${ROWS_A_SLICE}`,
    ...(after ?? []),
  )
}

function* writeAgain(table: string, key: readonly string[], values: readonly SqlValue[]): Steps<void> {
  const where = (from: number) => key.map((column, place) => `${column} = ?${place + from}`).join(' AND ')
  const { content, format } = (yield* first<{ content: string; format: number }>(
    `SELECT content, format FROM ${table} WHERE ${where(1)}`,
    ...values,
  ))!
  yield {
    sql: `UPDATE ${table} SET content = ?1, format = ?2 WHERE ${where(3)}`,
    parameters: [content, format, ...values],
    isUnread: true,
    text: { content: 0, format: 1 },
  }
}
