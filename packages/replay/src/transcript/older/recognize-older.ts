import { isRecord, type JsonRecord, recordOf } from '../json-value.ts'
import {
  CURSOR_FIELDS,
  CURSOR_TIME_FIELDS,
  firstOf,
  hasAny,
  ROUND_FIELDS,
  SESSION_ID_FIELDS,
  SUMMARY_FIELDS,
} from './older-fields.ts'

/**
 * How older systems kept their sessions: one session with a cursor, a summary, a memo or two histories; many
 * sessions, by the ids of their chats; or rows of tables. The kind is recognised by the content.
 */
export type OlderValue =
  | { readonly kind: 'session'; readonly session: JsonRecord; readonly id: unknown }
  | {
      readonly kind: 'sessions'
      readonly sessions: readonly OlderSession[]
      readonly others: readonly string[]
    }
  | { readonly kind: 'rows'; readonly rows: readonly OlderRow[] }

interface OlderSession {
  /** The key of the session in the file; `null`: the session was in a list. */
  readonly id: string | null
  readonly session: JsonRecord
}

export interface OlderRow {
  /** For example `line 7` or `messages 7`. */
  readonly place: string
  readonly value: unknown
}

/** `null`: the value is none of them. */
export function findOlder(value: unknown): OlderValue | null {
  if (Array.isArray(value)) return findInList(value)
  if (!isRecord(value)) return null
  // A session's messages may look like rows. Only a session has a cursor of its own; a table has none.
  const tables = hasCursor(value) ? [] : Object.entries(value).filter(([, list]) => isTable(list))
  if (tables.some(([, list]) => (list as readonly unknown[]).some(isRow)))
    return {
      kind: 'rows',
      rows: tables.flatMap(([name, list]) =>
        (list as readonly unknown[]).map((row, index) => ({ place: `${name} ${index + 1}`, value: row })),
      ),
    }
  if (isOlderSession(value))
    return { kind: 'session', session: value, id: firstOf(value, ['id', ...SESSION_ID_FIELDS, 'key']) }
  return findByIds(value) ?? findByIds(recordOf(firstOf(value, WRAPPERS)))
}

function isTable(list: unknown): boolean {
  return Array.isArray(list) && list.some(row => isRow(row) || isMessage(row))
}

const WRAPPERS = ['sessions', 'chats', 'conversations']

function findInList(values: readonly unknown[]): OlderValue | null {
  if (values.some(isRow))
    return { kind: 'rows', rows: values.map((value, index) => ({ place: `row ${index + 1}`, value })) }
  if (!values.some(value => isRecord(value) && isOlderSession(value))) return null
  return {
    kind: 'sessions',
    sessions: values.map(value => ({ id: null, session: recordOf(value) })),
    others: [],
  }
}

/**
 * Reads `{ chat_id: { messages, … } }` or `{ chat_id: [messages] }`. `others` names the keys that hold no
 * chat.
 */
function findByIds(value: JsonRecord): OlderValue | null {
  if (Array.isArray(value['messages'])) return null
  const sessions: OlderSession[] = []
  const others: string[] = []
  for (const [id, chat] of Object.entries(value)) {
    if (isRecord(chat) && (Array.isArray(chat['messages']) || isOlderSession(chat)))
      sessions.push({ id, session: chat })
    else if (Array.isArray(chat) && chat.length > 0 && chat.every(isMessage))
      sessions.push({ id, session: { messages: chat } })
    else others.push(id)
  }
  return sessions.length === 0 ? null : { kind: 'sessions', sessions, others }
}

const HISTORIES = ['full_chat_history', 'current_chat_history']

function hasCursor(record: JsonRecord): boolean {
  return hasAny(record, [...CURSOR_FIELDS, ...CURSOR_TIME_FIELDS, ...ROUND_FIELDS])
}

function isOlderSession(record: JsonRecord): boolean {
  if (HISTORIES.some(name => Array.isArray(record[name]))) return true
  const { messages, rounds } = record
  if (Array.isArray(rounds) && hasAny(record, ROUND_FIELDS)) return true
  if (!Array.isArray(messages)) return false
  return hasCursor(record) || hasAny(record, [...SUMMARY_FIELDS, 'memo']) || messages.some(isTimedMessage)
}

function isMessage(value: unknown): boolean {
  const { role, content, text } = recordOf(value)
  return typeof role === 'string' && (content !== undefined || text !== undefined)
}

/** Neither the providers' messages nor ours have a field `timestamp`. */
function isTimedMessage(value: unknown): boolean {
  return isMessage(value) && hasAny(recordOf(value), ['timestamp'])
}

/** A row of a table of messages, each with its own mark for archived, or of a table of summaries. */
export function isRow(value: unknown): boolean {
  return isSummaryRow(value) || hasAny(recordOf(value), ['is_archived', 'isArchived'])
}

export function isSummaryRow(value: unknown): boolean {
  const row = recordOf(value)
  return hasAny(row, ['start_msg_id', 'startMsgId']) && hasAny(row, ['end_msg_id', 'endMsgId'])
}

/** The first line of a file that holds one session with one message a line. */
export function isMetadata(value: unknown): boolean {
  const record = recordOf(value)
  return !('role' in record) && !('messages' in record) && hasAny(record, CURSOR_FIELDS)
}
