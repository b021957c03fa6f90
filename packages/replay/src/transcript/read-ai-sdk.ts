import { InvalidMessageError } from 'palimpsest/internals/errors'
import type { ContentPart, MessageInput, Role } from 'palimpsest/internals/log/index'
import { toContent } from './found-message.ts'
import { idOf, instantOf, isRecord, type JsonRecord, recordOf, textOf } from './json-value.ts'
import { readLists } from './message-lists.ts'
import type { ToolCalls } from './tool-calls.ts'
import type { FoundConversation } from './transcript.ts'
import { readUiMessage } from './ui-message.ts'

/** Reads UI messages, as `useChat` keeps them, or model messages, as `generateText` takes them. */
export function readAiSdk(value: unknown): FoundConversation[] {
  return readLists(value, convertAiSdk)
}

/** Converts one message. */
export function convertAiSdk(value: unknown, calls: ToolCalls): MessageInput[] {
  if (!isRecord(value))
    throw new InvalidMessageError('message', value, 'an object with role and parts or content')
  const inputs = Array.isArray(value['parts']) ? readUiMessage(value, calls) : modelMessage(value, calls)
  const at = instantOf(value['createdAt']) ?? instantOf(recordOf(value['metadata'])['createdAt'])
  const id = idOf(value['id'])
  return inputs.map((input, index) => ({
    ...input,
    at,
    externalId: id === null || index === 0 ? id : `${id}:${index + 1}`,
  }))
}

function modelMessage({ role, content }: JsonRecord, calls: ToolCalls): MessageInput[] {
  if (!Array.isArray(content))
    return content === '' ? [] : [{ role: role as Role, content: content as string }]
  const parts = content.map(part => modelPart(part, calls)).filter(part => part !== null)
  const said = toContent(parts)
  return said === null ? [] : [{ role: role as Role, content: said }]
}

/**
 * The parts are close to ours. Earlier versions of the SDK called the fields `args` and `result`. `null`: the
 * part says nothing.
 */
function modelPart(value: unknown, calls: ToolCalls): ContentPart | null {
  const part = recordOf(value)
  const { args, result, ...fields } = part
  switch (part['type']) {
    case 'tool-call': {
      const call = calls.call(part['toolCallId'], textOf(part['toolName']))
      return { ...fields, type: 'tool-call', ...call, input: part['input'] ?? args ?? {} }
    }
    case 'tool-result': {
      const call = calls.result(part['toolCallId'], textOf(part['toolName']))
      const output = part['output'] ?? result ?? ''
      return { ...fields, type: 'tool-result', ...(call ?? { toolCallId: 'unknown' }), output }
    }
    case 'custom':
    case 'reasoning-file':
      return null
    default:
      // The part may be unknown to us, too. The check of every message refuses it and names it.
      return value as ContentPart
  }
}
