import { isRecord, listOf, recordOf } from './json-value.ts'
import { messageLists } from './message-lists.ts'
import { findOlder } from './older/recognize-older.ts'
import type { TranscriptFormat } from './transcript.ts'

export type JsonFormat = Exclude<TranscriptFormat, 'palimpsest'>

/** The reader for a parsed file, chosen by its content. `null`: there is none. */
export function recognize(value: unknown): JsonFormat | null {
  if (recordOf(value)['format'] === 'palimpsest-session') return 'palimpsest-session'
  if (isChatGpt(value)) return 'chatgpt'
  if (isTelegram(value)) return 'telegram'
  if (findOlder(value) !== null) return 'older'
  const lists = messageLists(value)
  if (lists === null) return null
  const messages = lists.flatMap(list => list.messages)
  if (messages.some(isAiSdkMessage)) return 'ai-sdk'
  // A list without messages is a conversation, too.
  return messages.length === 0 || messages.some(isOpenAIMessage) ? 'openai' : null
}

/** A line of a transcript in our own format, valid or not. */
export function looksLikeMessage(value: unknown): boolean {
  return isRecord(value) && ['role', 'text', 'content'].some(field => field in value)
}

function isChatGpt(value: unknown): boolean {
  const conversations = Array.isArray(value) ? value : [value]
  return conversations.some(conversation => isRecord(recordOf(conversation)['mapping']))
}

function isTelegram(value: unknown): boolean {
  if (!isRecord(value)) return false
  const { chats, left_chats: leftChats, messages, type, name } = value
  if ([chats, leftChats].some(chats => Array.isArray(recordOf(chats)['list']))) return true
  if (!Array.isArray(messages)) return false
  return messages.length === 0
    ? typeof type === 'string' && name !== undefined
    : messages.some(isTelegramMessage)
}

function isTelegramMessage(value: unknown): boolean {
  const { type, role, date, date_unixtime: unixTime } = recordOf(value)
  const isDated = date !== undefined || unixTime !== undefined
  return (type === 'message' || type === 'service') && role === undefined && isDated
}

const AI_SDK_PARTS = ['image', 'reasoning', 'tool-call', 'tool-result']

export function isAiSdkMessage(value: unknown): boolean {
  const { role, parts, content } = recordOf(value)
  if (typeof role !== 'string') return false
  if (Array.isArray(parts)) return true
  return listOf(content).some(part => {
    const { type, data } = recordOf(part)
    return AI_SDK_PARTS.includes(type as string) || (type === 'file' && data !== undefined)
  })
}

const OPENAI_FIELDS = ['content', 'tool_calls', 'function_call', 'refusal', 'audio']

function isOpenAIMessage(value: unknown): boolean {
  const { role, type, ...fields } = recordOf(value)
  if (typeof role === 'string') return OPENAI_FIELDS.some(field => field in fields)
  return type === 'function_call' || type === 'function_call_output'
}
