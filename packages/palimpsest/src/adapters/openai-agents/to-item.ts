import type { AgentInputItem } from '@openai/agents'
import {
  CALLS,
  type Extras,
  type Item,
  type ItemMessage,
  isRecord,
  RESULTS,
  type StoredPart,
} from './item-format.ts'
import { unpackBytes } from './packed-bytes.ts'

/** The item from which `toMessage` made a message; `null`: the message came another way. */
export function toItem(message: ItemMessage): AgentInputItem | null {
  const item = readItem(message)
  return item as unknown as AgentInputItem | null
}

function readItem({ role, content }: ItemMessage): Item | null {
  if (typeof content === 'string') return plainItem(role, content)
  const parts = unpackBytes(content) as readonly StoredPart[]
  const extras = parts[0]?.agents
  if (!isRecord(extras)) return null
  if (isRecord(extras.whole)) return extras.whole
  if (!isRecord(extras.item)) return null
  const type = String(extras.item['type'])
  const kind = Object.hasOwn(CALLS, type)
    ? CALLS[type]
    : Object.hasOwn(RESULTS, type)
      ? RESULTS[type]
      : undefined
  const [first] = parts
  if (first?.type === 'tool-call' && type === 'hosted_tool_call')
    return hostedItem(first, parts[1], extras.item)
  if (kind && (first?.type === 'tool-call' || first?.type === 'tool-result'))
    return linkItem(first, kind, extras.item)
  if (type === 'reasoning') return thoughtItem(parts, extras.item)
  return spokenItem(role, parts, extras.item)
}

function plainItem(role: ItemMessage['role'], text: string): Item | null {
  if (role === 'tool') return null
  if (role !== 'assistant') return { type: 'message', role, content: text }
  return { type: 'message', role, status: 'completed', content: [{ type: 'output_text', text }] }
}

type LinkPart = Extract<StoredPart, { type: 'tool-call' | 'tool-result' }> & { readonly agents?: Extras }

function linkItem(part: LinkPart, kind: (typeof CALLS)[string], item: Item): Item {
  const { toolCallId, toolName, agents } = part
  const payload = part.type === 'tool-call' ? part.input : joinOutput(part.output, agents?.output)
  const [field, ...others] = kind.payload
  return {
    ...item,
    ...(!kind.toolName && { name: toolName }),
    ...(!kind.hasOwnId && { callId: toolCallId }),
    ...(others.length > 0 ? (payload as Item) : payload !== undefined && { [field!]: payload }),
  }
}

function joinOutput(shown: unknown, rest: Extras['output']): unknown {
  if (rest === undefined) return shown
  const entries: readonly Item[] = Array.isArray(rest) ? rest : [rest]
  const texts = Array.isArray(shown) ? shown : [{ text: shown }]
  const joined = entries.map((entry, index) => {
    const { text } = (texts[index] ?? {}) as { text?: unknown }
    return typeof text === 'string' ? { ...entry, text } : entry
  })
  return Array.isArray(rest) ? joined : joined[0]
}

function hostedItem(call: LinkPart, result: StoredPart | undefined, item: Item): Item {
  const input = call.type === 'tool-call' ? call.input : undefined
  const output = result?.type === 'tool-result' ? result.output : undefined
  return {
    ...item,
    name: call.toolName,
    ...(input !== undefined && { arguments: input }),
    ...(output !== undefined && { output }),
  }
}

function thoughtItem(parts: readonly StoredPart[], item: Item): Item {
  const texts = (field: 'entry' | 'raw') =>
    parts.flatMap(part => {
      const entry = part.type === 'reasoning' ? part.agents?.[field] : undefined
      return entry ? [{ ...entry, text: (part as { text: string }).text }] : []
    })
  const [content, rawContent] = [texts('entry'), texts('raw')]
  return { ...item, ...(content.length > 0 && { content }), ...(rawContent.length > 0 && { rawContent }) }
}

function spokenItem(role: ItemMessage['role'], parts: readonly StoredPart[], item: Item): Item {
  if ('content' in item) return { ...item, role }
  const [first] = parts
  const isText = first?.type === 'text' && first.agents?.entry === undefined
  return { ...item, role, content: isText ? first.text : parts.map(spokenEntry) }
}

function spokenEntry(part: StoredPart): Item {
  const { entry = {} } = part.agents ?? {}
  if (part.type === 'text') return { ...entry, [textField(entry)]: part.text }
  const { image, data, id, url, filename } = part as Item
  const field = attachmentField(entry)
  const bytes = image ?? data
  return {
    ...entry,
    ...(bytes !== undefined && { [field]: bytes }),
    ...(id !== undefined && { [field]: { id } }),
    ...(url !== undefined && { [field]: { url } }),
    ...(filename !== undefined && { filename }),
  }
}

function textField({ type }: Item): string {
  return type === 'refusal' ? 'refusal' : type === 'audio' ? 'transcript' : 'text'
}

function attachmentField({ type }: Item): string {
  if (type === 'audio') return 'audio'
  return type === 'image' || type === 'input_image' ? 'image' : 'file'
}
