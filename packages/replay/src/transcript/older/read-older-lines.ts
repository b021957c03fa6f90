import type { Document } from '../find-layout.ts'
import { idOf, isRecord, recordOf } from '../json-value.ts'
import type { FoundConversation, TranscriptProblem } from '../transcript.ts'
import type { ReadOlderOptions } from './convert-message.ts'
import { firstOf, SESSION_ID_FIELDS } from './older-fields.ts'
import { readOlderSession } from './read-older.ts'
import { readRows } from './read-rows.ts'
import { isMetadata, isRow } from './recognize-older.ts'

interface FoundInLines {
  readonly conversations: readonly FoundConversation[]
  readonly problems: readonly TranscriptProblem[]
}

/**
 * Reads lines that form a session only together: rows of tables, or messages under a line with their cursor.
 * `null`: the lines are neither.
 */
export function readOlderLines(
  documents: readonly Document[],
  options: ReadOlderOptions,
): FoundInLines | null {
  const lines = documents.filter(({ line }) => line !== null)
  const first = lines[0]?.value
  if (isMetadata(first)) {
    const rest = lines.slice(1)
    const places = rest.map(({ line }) => `line ${line}`)
    const id = idOf(firstOf(recordOf(first), ['id', ...SESSION_ID_FIELDS, 'key']))
    const session = { ...recordOf(first), messages: rest.map(({ value }) => value) }
    return { conversations: [readOlderSession(session, id, { ...options, places })], problems: [] }
  }
  if (!lines.some(({ value }) => isRow(value))) return null
  const problems = lines
    .filter(({ value }) => !isRecord(value))
    .map(({ line }) => ({
      place: `line ${line}`,
      line: line!,
      problem: 'is no row of messages or summaries',
    }))
  const rows = lines
    .filter(({ value }) => isRecord(value))
    .map(({ line, value }) => ({ place: `line ${line}`, value }))
  return { conversations: readRows(rows, options), problems }
}
