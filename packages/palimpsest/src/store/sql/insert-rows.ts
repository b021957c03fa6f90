import type { SqlValue, Steps, TextPlace } from './steps.ts'

/** Rows are inserted in few different numbers, so that there are few statements to prepare. */
const SIZES = [64, 8, 1]

/** Inserts many rows with few statements, because each statement is a way to the database and back. */
export function* insertRows(
  table: string,
  columns: readonly string[],
  rows: readonly (readonly SqlValue[])[],
): Steps<void> {
  const text = textPlace(table, columns)
  let from = 0
  for (const size of SIZES)
    for (; rows.length - from >= size; from += size)
      yield {
        sql: statement(table, columns, size),
        parameters: rows.slice(from, from + size).flat(),
        isUnread: true,
        ...(text && { text }),
      }
}

function textPlace(table: string, columns: readonly string[]): TextPlace | null {
  if (table !== 'messages' && table !== 'message_versions') return null
  return {
    content: columns.indexOf('content'),
    format: columns.indexOf('format'),
    rowLength: columns.length,
  }
}

function statement(table: string, columns: readonly string[], rows: number): string {
  return `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${rowMarks(rows, columns.length)}`
}

/** The parameters of `rows` rows, row by row: `(?1, ?2), (?3, ?4)`. */
export function rowMarks(rows: number, columns: number): string {
  const values = Array.from({ length: rows }, (_, row) => {
    const marks = Array.from({ length: columns }, (_, column) => `?${row * columns + column + 1}`)
    return `(${marks.join(', ')})`
  })
  return values.join(', ')
}
