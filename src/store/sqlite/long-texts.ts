import type { Query, Row, SqlValue, Steps } from '../sql/steps.ts'

/**
 * Long texts of messages are kept in a table of their own (migration 12), and a mark in their row stands for them. Here
 * the one takes the place of the other, on every way in and out: no other code knows of it.
 */

/** Characters. */
const MAX_IN_ROW = 65_536

const MARK = '"\uE000long:'
const MARK_CODE = 0xe000

const WRITES_MESSAGES = /^\s*(?:INSERT INTO|UPDATE) (?:messages|message_versions)\b/

/** Whether a column of a message holds a mark; in SQL. */
export const isMarkSql = (column: string) => `${column} GLOB '${MARK}*'`

/** Whether the query brings a text that is to be kept apart. */
export function bringsLongText({ sql, parameters }: Query): boolean {
  return parameters.some(isKeptApart) && WRITES_MESSAGES.test(sql)
}

/** A text that looks like a mark would be taken for one. */
function isKeptApart(value: SqlValue): value is string {
  return typeof value === 'string' && (value.length > MAX_IN_ROW || value.startsWith(MARK))
}

/** The same query with marks in place of its long texts, which are stored by then. */
export function* keepApart(query: Query): Steps<Query> {
  const parameters: SqlValue[] = []
  for (const value of query.parameters) parameters.push(isKeptApart(value) ? yield* put(value) : value)
  return { ...query, parameters }
}

function* put(text: string): Steps<string> {
  const rows = yield { sql: 'INSERT INTO long_texts (content) VALUES (?1) RETURNING id', parameters: [text] }
  const { id } = (rows as readonly { id: number }[])[0]!
  yield { sql: 'INSERT INTO long_text_uses (id, uses) VALUES (?1, 0)', parameters: [id] }
  return `${MARK}${id}"`
}

export function holdsMark(row: Row): boolean {
  for (const name in row) if (isMark(row[name]!)) return true
  return false
}

function isMark(value: SqlValue): value is string {
  return typeof value === 'string' && value.charCodeAt(1) === MARK_CODE && value.startsWith(MARK)
}

/** The same rows with the texts in place of the marks. */
export function* fillIn(rows: readonly Row[]): Steps<readonly Row[]> {
  const filled: Row[] = []
  for (const row of rows) filled.push(holdsMark(row) ? yield* fillInRow(row) : row)
  return filled
}

function* fillInRow(row: Row): Steps<Row> {
  const filled: Record<string, SqlValue> = { ...row }
  for (const [name, value] of Object.entries(row)) if (isMark(value)) filled[name] = yield* get(value)
  return filled
}

function* get(mark: string): Steps<SqlValue> {
  const id = Number(mark.slice(MARK.length, -1))
  const rows = yield { sql: 'SELECT content FROM long_texts WHERE id = ?1', parameters: [id] }
  const { content } = (rows as readonly { content: string }[])[0] ?? {}
  // A lost page: what is not there cannot be read as if it were.
  if (content === undefined) throw new SyntaxError('a long text that is not there')
  return content
}
