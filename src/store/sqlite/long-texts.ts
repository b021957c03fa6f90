import { first, type Row, type SqlValue, type Steps } from '../sql/steps.ts'

/**
 * The database keeps long texts of messages in a table of their own (migration 12); a mark in their row stands for them.
 * Here the texts take the place of their marks again, in all that is read: no other code knows of it.
 */

/** Added to the `format` of a row whose text is kept apart. Only the database sets it. */
const KEPT_APART = 8
const MARK = '"long text '

/** The columns in which the text of a message is read, always with its `format` beside it. */
const TEXT_COLUMNS = ['content', 'linked_content', 'calls']

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
  const id = Number.parseInt(mark.slice(MARK.length), 10)
  const row = yield* first<{ content: string }>('SELECT content FROM long_texts WHERE id = ?1', id)
  // A lost page: what is not there cannot be read as if it were.
  if (row === undefined) throw new SyntaxError('a long text that is not there')
  return row.content
}
