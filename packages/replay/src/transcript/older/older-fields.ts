import { parseMessageInstant, type SessionKind } from 'palimpsest/internals/log/index'
import { type JsonRecord, textOf } from '../json-value.ts'

/** The names that older systems have for the same thing. The first that is there counts. */
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

/** `undefined`: none of them is there. */
export function firstOf(record: JsonRecord, names: readonly string[]): unknown {
  const name = names.find(name => record[name] !== undefined && record[name] !== null)
  return name === undefined ? undefined : record[name]
}

export function hasAny(record: JsonRecord, names: readonly string[]): boolean {
  return names.some(name => name in record)
}

/** Below it a number is seconds, as Python has them; from there on milliseconds, and then microseconds. */
const MIN_MILLISECONDS = 1e11
const MIN_MICROSECONDS = 1e14
/** What is dated 1970 was a clock or a field that nothing was written to. */
const MIN_INSTANT = Date.UTC(1971, 0, 1)

/** `null`: it is no time. One without an offset is read in `zone`. */
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
