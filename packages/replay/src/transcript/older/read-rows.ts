import { idOf, type JsonRecord, recordOf, textOf } from '../json-value.ts'
import type { FoundConversation, FoundMessage } from '../transcript.ts'
import { convertMessages, counted, type ReadOlderOptions } from './convert-message.ts'
import { firstOf, kindOf, SESSION_ID_FIELDS, TIME_FIELDS, timeOf } from './older-fields.ts'
import { NO_PAST, type PastSummary } from './past.ts'
import { isSummaryRow, type OlderRow } from './recognize-older.ts'

/**
 * Reads rows of messages, each of which says whether it is archived, and rows of summaries, each with the ids
 * of its first and last message.
 */
export function readRows(rows: readonly OlderRow[], options: ReadOlderOptions): FoundConversation[] {
  const bySession = Map.groupBy(rows, ({ value }) => idOf(firstOf(recordOf(value), SESSION_ID_FIELDS)))
  return [...bySession].map(([id, own]) => readSessionRows(id, own, options))
}

function readSessionRows(
  id: string | null,
  rows: readonly OlderRow[],
  options: ReadOlderOptions,
): FoundConversation {
  const messageRows = inOrder(rows.filter(({ value }) => !isSummaryRow(value)))
  const summaryRows = rows.filter(({ value }) => isSummaryRow(value))
  const { messages, after, notes: converted } = convertMessages(messageRows, options)
  const notes = [...converted]
  const ids = messageRows.map(({ value }) => rowId(value))
  const summaries: PastSummary[] = []
  const problems: FoundMessage[] = []
  for (const { place, value } of summaryRows) {
    const row = recordOf(value)
    const text = textOf(firstOf(row, ['summary', 'content', 'text', 'summary_text'])).trim()
    if (text === '') {
      problems.push({ place, problem: 'is a summary without words: it must have summary, content or text' })
      continue
    }
    const { from, to } = rangeOf(row, ids)
    const at = timeOf(firstOf(row, TIME_FIELDS), options.zone)
    summaries.push({ from: after[from]!, to: after[to]!, text, at })
    const counts = Number(firstOf(row, ['msg_count', 'msgCount', 'message_count']) ?? to - from)
    if (to <= from) notes.push(`${place}: the messages of this summary are not in the file`)
    else if (counts !== to - from)
      notes.push(`${place}: msg_count is ${counts}, and ${counted(to - from, 'message')} lie in its range`)
  }
  const archived = messageRows.map(({ value }) => isArchived(recordOf(value)))
  const lastArchived = archived.lastIndexOf(true) + 1
  const between = archived.slice(0, lastArchived).filter(is => !is).length
  if (between > 0)
    notes.push(
      `${counted(between, 'message')} before the last archived one not archived: the cursor has one place, so they are folded, too`,
    )
  const ends = summaries.map(({ from, to }) => (to > from ? to : 0))
  const folded = ends.reduce((most, end) => Math.max(most, end), after[lastArchived]!)
  const foldedAt = summaries.reduce<number | null>(
    (latest, { at }) => (at === null ? latest : Math.max(at, latest ?? at)),
    null,
  )
  const kind = rows.map(({ value }) => kindOf(recordOf(value))).find(kind => kind !== null) ?? null
  return {
    id,
    title: null,
    messages: [...messages, ...problems],
    past: { ...NO_PAST, folded, foldedAt, summaries, kind, notes },
  }
}

function isArchived(row: JsonRecord): boolean {
  const value = firstOf(row, ['is_archived', 'isArchived'])
  return value === true || value === 1 || /^(1|t|true|yes)$/i.test(textOf(value).trim())
}

function rowId(value: unknown): string | null {
  return idOf(firstOf(recordOf(value), ['id', 'msg_id', 'msgId', 'message_id', 'messageId']))
}

/** Sorts by id if all ids are numbers, since a table may be in any order. */
function inOrder(rows: readonly OlderRow[]): readonly OlderRow[] {
  const numbered = rows.map(row => ({ row, number: numberOf(rowId(row.value)) }))
  if (numbered.some(({ number }) => number === null)) return rows
  return numbered.sort((a, b) => compare(a.number!, b.number!)).map(({ row }) => row)
}

/** Ids may be larger than a JavaScript number can hold. */
function numberOf(id: string | null): bigint | null {
  return id !== null && /^\d{1,40}$/.test(id) ? BigInt(id) : null
}

function compare(a: bigint, b: bigint): number {
  return a < b ? -1 : a > b ? 1 : 0
}

/**
 * From the first message's id through the last one's, both included. If all ids are numbers, these two
 * messages themselves may be missing.
 */
function rangeOf(row: JsonRecord, ids: readonly (string | null)[]): { from: number; to: number } {
  const first = idOf(firstOf(row, ['start_msg_id', 'startMsgId']))
  const last = idOf(firstOf(row, ['end_msg_id', 'endMsgId']))
  const [low, high] = [numberOf(first), numberOf(last)]
  const numbers = ids.map(numberOf)
  if (low !== null && high !== null && numbers.every(number => number !== null)) {
    const from = numbers.findIndex(number => number >= low)
    return from === -1
      ? { from: ids.length, to: ids.length }
      : { from, to: numbers.findLastIndex(number => number <= high) + 1 }
  }
  const from = ids.indexOf(first)
  return from === -1 ? { from: 0, to: 0 } : { from, to: ids.lastIndexOf(last) + 1 }
}
