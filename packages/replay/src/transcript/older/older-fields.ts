import { parseMessageInstant, type SessionKind } from 'palimpsest/internals/log/index'
import { type JsonRecord, textOf } from '../json-value.ts'

/** The names of the same field in older systems. The first name that the record has counts. */
export const TIME_FIELDS = ['timestamp', 'created_at', 'createdAt', 'time', 'sent_at', 'date', 'ts', 'at']
export const SESSION_ID_FIELDS = [
  'session_id',
  'sessionId',
  'chat_id',
  'chatId',
  'conversation_id',
  'conversationId',
]
export const CURSOR_FIELDS = ['last_consolidated', 'lastConsolidated']
export const CURSOR_TIME_FIELDS = ['last_consolidated_at', 'lastConsolidatedAt']
export const ROUND_FIELDS = ['compressedThroughRound', 'compressed_through_round']
export const SUMMARY_FIELDS = ['summaries', 'summary', 'session_memory', 'sessionMemory']

/** `undefined`: the record has none of them. */
export function firstOf(record: JsonRecord, names: readonly string[]): unknown {
  const name = names.find(name => record[name] !== undefined && record[name] !== null)
  return name === undefined ? undefined : record[name]
}

export function hasAny(record: JsonRecord, names: readonly string[]): boolean {
  return names.some(name => name in record)
}

/**
 * A smaller number is in seconds, as in Python. From here on it is in milliseconds, and from
 * `MIN_MICROSECONDS` on in microseconds.
 */
const MIN_MILLISECONDS = 1e11
const MIN_MICROSECONDS = 1e14
/** A time in 1970 comes from a clock that was not set, or from a field that was never written. */
const MIN_INSTANT = Date.UTC(1971, 0, 1)

/** `null`: the value is no time. A time without an offset is read in `zone`. */
export function timeOf(value: unknown, zone: string): number | null {
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value.trim()) ? Number(value) : value
  const instant = parseMessageInstant(typeof number === 'number' ? inMilliseconds(number) : number, zone)
  return instant !== null && instant >= MIN_INSTANT ? instant : null
}

function inMilliseconds(number: number): number {
  if (number < MIN_MILLISECONDS) return number * 1000
  return number < MIN_MICROSECONDS ? number : number / 1000
}

const KINDS: Readonly<Record<string, SessionKind>> = {
  private: 'private',
  group: 'group',
  supergroup: 'group',
  channel: 'group',
  agent: 'agent',
}

export function kindOf(record: JsonRecord): SessionKind | null {
  return KINDS[textOf(firstOf(record, ['kind', 'chat_type', 'chatType', 'type'])).toLowerCase()] ?? null
}
