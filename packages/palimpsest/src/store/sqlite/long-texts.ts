import { first, type Steps } from '../sql/steps.ts'

/** Texts of messages that are too long to stand beside others have a table of their own (migration 12). */

/** Added to the `format` of a row whose text is in that table. */
export const IN_LONG_TEXTS = 8
/** SQLite moves a text with more octets by itself. */
export const MAX_OCTETS_BESIDE_OTHERS = 65_536

const MARK = 'long text '

/** Stores the text, and answers with the mark for its row. */
export function* keepLong(text: string): Steps<string> {
  const sql = 'INSERT INTO long_texts (content) VALUES (?1) RETURNING id'
  const { id } = (yield* first<{ id: string }>(sql, text))!
  return `${MARK}${id}`
}

export function* readLong(mark: string): Steps<string> {
  const id = mark.slice(MARK.length)
  const row = yield* first<{ content: string }>('SELECT content FROM long_texts WHERE id = ?1', id)
  // A page was lost. A missing text must not look like one that was read.
  if (row === undefined) throw new SyntaxError('a long text that is not there')
  return row.content
}
