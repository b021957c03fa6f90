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
 * How older systems kept their sessions: one with a cursor, a summary, a memo or two histories; many, by the ids of
 * their chats; or rows of tables. It is seen from what the value holds.
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
  /** The key that it stood under; `null`: it stood in a list. */
  readonly id: string | null
  readonly session: JsonRecord
}

export interface OlderRow {
  /** `line 7`, `messages 7`. */
  readonly place: string
  readonly value: unknown
}

/** `null`: it is none of them. */
export function findOlder(value: unknown): OlderValue | null {
  if (Array.isArray(value)) return findInList(value)
  if (!isRecord(value)) return null
  // A session's messages may be rows; what tells it from a table is a cursor of its own.
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

/** `{ chat_id: { messages, … } }`, or `{ chat_id: [messages] }`. What else stands there is no chat, and is named. */
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

/** Neither the providers' messages nor ours have such a field. */
function isTimedMessage(value: unknown): boolean {
  return isMessage(value) && hasAny(recordOf(value), ['timestamp'])
}

/** Of a table of messages that are archived one by one, or of one of summaries. */
export function isRow(value: unknown): boolean {
  return isSummaryRow(value) || hasAny(recordOf(value), ['is_archived', 'isArchived'])
}

export function isSummaryRow(value: unknown): boolean {
  const row = recordOf(value)
  return hasAny(row, ['start_msg_id', 'startMsgId']) && hasAny(row, ['end_msg_id', 'endMsgId'])
}

/** A file with a session of one message a line begins with it. */
export function isMetadata(value: unknown): boolean {
  const record = recordOf(value)
  return !('role' in record) && !('messages' in record) && hasAny(record, CURSOR_FIELDS)
}
