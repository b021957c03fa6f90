import { InvalidMessageError } from 'palimpsest/internals/errors'
import {
  type AttachmentPart,
  asAttachment,
  type Content,
  type ContentPart,
  type MessageInput,
  OTHER_ATTACHMENT_RULE,
  type Role,
} from 'palimpsest/internals/log/index'
import { toContent } from './found-message.ts'
import {
  idOf,
  isRecord,
  type JsonRecord,
  listOf,
  nameOf,
  parsedOrText,
  recordOf,
  textOf,
} from './json-value.ts'
import { readLists } from './message-lists.ts'
import type { ToolCalls } from './tool-calls.ts'
import type { FoundConversation } from './transcript.ts'

/** Reads messages of chat completions, or items of the Responses API. */
export function readOpenAI(value: unknown): FoundConversation[] {
  return readLists(value, convertOpenAI)
}

/** Converts one message or item. */
export function convertOpenAI(message: unknown, calls: ToolCalls): MessageInput[] {
  if (!isRecord(message)) throw new InvalidMessageError('message', message, 'an object with role and content')
  const { role, type } = message
  if (role === undefined && typeof type === 'string' && type !== 'message') return convertItem(message, calls)
  if (role === 'tool' || role === 'function')
    return [toolResult(message['tool_call_id'], textOf(message['name']), message['content'], calls)]
  const content = toContent([...reasoning(message), ...saidParts(message), ...toolCalls(message, calls)])
  // A message may say nothing. But an object without any content is no message.
  if (content === null && message['content'] === undefined) throw noContent(undefined)
  if (content === null) return []
  const externalId = idOf(message['id'])
  return [
    {
      role: (role === 'developer' ? 'system' : role) as Role,
      content,
      sender: nameOf(message['name']),
      ...(externalId !== null && { externalId }),
    },
  ]
}

function noContent(content: unknown): InvalidMessageError {
  return new InvalidMessageError('content', content, 'text, a list of parts, or null beside tool_calls')
}

/**
 * The model's thoughts and calls of tools that OpenAI runs itself are no messages. The reply that follows
 * them is one.
 */
const SILENT_ITEM = /^(reasoning|item_reference|compaction|.*_call|.*_list_tools|mcp_approval_.*)$/

function convertItem(item: JsonRecord, calls: ToolCalls): MessageInput[] {
  const { type, call_id: id, name, arguments: input = item['input'], output } = item
  if (type === 'function_call' || type === 'custom_tool_call')
    return [{ role: 'assistant', content: [toolCall(id, name, input, calls)] }]
  if (type === 'function_call_output' || type === 'custom_tool_call_output')
    return [toolResult(id, '', output, calls)]
  if (SILENT_ITEM.test(textOf(type))) return []
  throw new InvalidMessageError('type', type, 'message, function_call, function_call_output, reasoning')
}

function toolResult(id: unknown, name: string, output: unknown, calls: ToolCalls): MessageInput {
  const text = Array.isArray(output) ? (toContent(output.map(contentPart)) ?? '') : (output ?? '')
  const call = calls.result(id, name)
  if (call === null) return { role: 'tool', content: text as Content }
  const { toolCallId, toolName } = call
  const named = toolName === '' ? {} : { toolName }
  return { role: 'tool', content: [{ type: 'tool-result', toolCallId, ...named, output: text }] }
}

function toolCalls(message: JsonRecord, calls: ToolCalls): ContentPart[] {
  const { function_call: legacy } = message
  const parts = listOf(message['tool_calls']).map(entry => {
    const call = recordOf(entry)
    const { name, arguments: input } = recordOf(call['function'] ?? call['custom'])
    return toolCall(call['id'], name, input ?? recordOf(call['custom'])['input'], calls)
  })
  if (!isRecord(legacy)) return parts
  return [...parts, toolCall(undefined, legacy['name'], legacy['arguments'], calls)]
}

function toolCall(id: unknown, name: unknown, input: unknown, calls: ToolCalls): ContentPart {
  if (typeof name !== 'string')
    throw new InvalidMessageError('tool call', name, 'one with the name of its tool')
  const call = calls.call(id, name)
  return {
    type: 'tool-call',
    ...call,
    input: typeof input === 'string' ? parsedOrText(input) : (input ?? {}),
  }
}

/** A field that OpenAI does not have, but that providers with a compatible API send. */
function reasoning({ reasoning_content: content, reasoning: short }: JsonRecord): ContentPart[] {
  const text = textOf(content) || textOf(short)
  return text === '' ? [] : [{ type: 'reasoning', text }]
}

function saidParts({ content, refusal, audio }: JsonRecord): ContentPart[] {
  const extra = [textOf(refusal), textOf(recordOf(audio)['transcript'])]
  return [...mainParts(content), ...extra.map(text => ({ type: 'text' as const, text }))]
}

function mainParts(content: unknown): ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (content == null) return []
  if (!Array.isArray(content)) throw noContent(content)
  return content.map(contentPart)
}

const PART_TYPES = `text, image_url, input_audio, file, refusal, input_text, output_text, input_image, input_file, ${OTHER_ATTACHMENT_RULE}`

function contentPart(value: unknown): ContentPart {
  if (typeof value === 'string') return { type: 'text', text: value }
  const part = recordOf(value)
  switch (part['type']) {
    case 'text':
    case 'input_text':
    case 'output_text':
      return { type: 'text', text: textOf(part['text']) }
    case 'refusal':
      return { type: 'text', text: textOf(part['refusal']) }
    case 'image_url':
    case 'input_image':
      return image(part)
    case 'input_audio': {
      const { data, format } = recordOf(part['input_audio'] ?? part)
      return { type: 'file', ...given({ data }), mediaType: `audio/${textOf(format) || 'wav'}` }
    }
    case 'file':
    case 'input_file': {
      const { file_data: data, file_id: id, file_url: url, filename } = recordOf(part['file'] ?? part)
      return { type: 'file', ...given({ data, id, url, filename }) }
    }
    default:
      return asAttachment(value) ?? refuse(part['type'] ?? value)
  }
}

function refuse(type: unknown): never {
  throw new InvalidMessageError('content part', type, PART_TYPES)
}

function image(part: JsonRecord): AttachmentPart {
  const { image_url: source, file_id: id } = part
  return { type: 'image', ...given({ image: isRecord(source) ? source['url'] : source, id }) }
}

/** Leaves out the fields that have no value. */
function given(fields: JsonRecord): JsonRecord {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value != null))
}
