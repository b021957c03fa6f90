import { first, type Query, type Row, type SqlValue, type Steps } from '../sql/steps.ts'

/**
 * The database keeps long texts of messages in a table of their own (migration 12); a mark in their row stands for them.
 * Here the texts take the place of their marks again in all that is read, and the marks that of the texts in what is
 * written: no other code knows of it.
 */

/** Added to the `format` of a row whose text is kept apart. Only the database sets it. */
const KEPT_APART = 8
const MARK = 'long text '

/** The columns in which the text of a message is read, always with its `format` beside it. */
const TEXT_COLUMNS = ['content', 'linked_content', 'calls']

/** What is longer has more octets than the database leaves in a row. */
const MAX_CHARACTERS = 65_536

/** Whether the query brings a long text. The database would move it, but only after it was written to the row. */
export function bringsLongText({ text, parameters }: Query): boolean {
  return text !== undefined && (parameters[text.content] as string).length > MAX_CHARACTERS
}

/** The same query with a mark in place of its text, which is stored by then. */
export function* keepApart({ text, parameters, ...query }: Query): Steps<Query> {
  const { content, format } = text!
  const sql = 'INSERT INTO long_texts (content) VALUES (?1) RETURNING id'
  const { id } = (yield* first<{ id: string }>(sql, parameters[content]!))!
  return {
    ...query,
    parameters: parameters.map((value, place) =>
      place === content ? `${MARK}${id}` : place === format ? (value as number) + KEPT_APART : value,
    ),
  }
}

export function hasMark({ format }: Row): boolean {
  return typeof format === 'number' && format >= KEPT_APART
}

/** The same rows with the texts in place of the marks. */
export function* fillIn(rows: readonly Row[]): Steps<readonly Row[]> {
  const filled: Row[] = []
  for (const row of rows) filled.push(hasMark(row) ? yield* fillInRow(row) : row)
  return filled
}

function* fillInRow(row: Row): Steps<Row> {
  const filled: Record<string, SqlValue> = { ...row, format: (row.format as number) - KEPT_APART }
  for (const column of TEXT_COLUMNS) {
    const mark = row[column]
    if (typeof mark === 'string') filled[column] = yield* readText(mark)
  }
  return filled
}

function* readText(mark: string): Steps<string> {
  const id = mark.slice(MARK.length)
  const row = yield* first<{ content: string }>('SELECT content FROM long_texts WHERE id = ?1', id)
  // A lost page: what is not there cannot be read as if it were.
  if (row === undefined) throw new SyntaxError('a long text that is not there')
  return row.content
}
