import type { MessageInput } from 'palimpsest/internals/log/index'
import { foundMessages } from './found-message.ts'
import { idOf, isRecord, nameOf } from './json-value.ts'
import { ToolCalls } from './tool-calls.ts'
import type { FoundConversation } from './transcript.ts'

export interface MessageList {
  readonly id: string | null
  readonly title: string | null
  readonly messages: readonly unknown[]
}

/**
 * How files keep the messages of the APIs: as a list of messages, as an object around such a list, or as a
 * list of either. `null`: none of these.
 */
export function messageLists(value: unknown): readonly MessageList[] | null {
  if (!Array.isArray(value)) return isMessagesObject(value) ? [named(value)] : null
  const isListOfLists = value.length > 0 && value.every(item => Array.isArray(item) || isMessagesObject(item))
  if (!isListOfLists) return [{ id: null, title: null, messages: value }]
  return value.map(item => (Array.isArray(item) ? { id: null, title: null, messages: item } : named(item)))
}

/** Makes each list a conversation. Tool calls are matched only within their own conversation. */
export function readLists(
  value: unknown,
  convert: (message: unknown, calls: ToolCalls) => readonly MessageInput[],
): FoundConversation[] {
  return (messageLists(value) ?? []).map(({ id, title, messages }) => {
    const calls = new ToolCalls()
    return {
      id,
      title,
      messages: messages.flatMap((message, index) => foundMessages(index + 1, () => convert(message, calls))),
    }
  })
}

interface MessagesObject {
  readonly messages: readonly unknown[]
  readonly [field: string]: unknown
}

function isMessagesObject(value: unknown): value is MessagesObject {
  return isRecord(value) && Array.isArray(value['messages'])
}

function named(value: MessagesObject): MessageList {
  return { id: idOf(value['id']), title: nameOf(value['title']), messages: value.messages }
}
