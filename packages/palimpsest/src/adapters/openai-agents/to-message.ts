import type { AgentInputItem } from '@openai/agents'
import { InvalidArgumentError } from '../../errors.ts'
import type { Role } from '../../log/index.ts'
import {
  asItem,
  CALLS,
  type Extras,
  type Item,
  type ItemMessage,
  isRecord,
  pick,
  RESULTS,
  type StoredPart,
  without,
} from './item-format.ts'
import { packBytes } from './packed-bytes.ts'

/**
 * An item as a message of the log. Text, thoughts, pictures, files, calls and results become parts that can
 * be searched, measured, folded and paired. Everything else is kept beside these parts, so that `toItem`
 * gives the same item again.
 */
export function toMessage(item: AgentInputItem): ItemMessage {
  if (!isRecord(item)) throw new InvalidArgumentError('item', item, 'an item of the Agents SDK: an object')
  const given = asItem(item)
  const message =
    linkMessage(given) ??
    hostedMessage(given) ??
    thoughtMessage(given) ??
    spokenMessage(given) ??
    whole(given)
  if (typeof message.content === 'string') return message
  return { role: message.role, content: packBytes(message.content) }
}

/** An empty thought is never shown as text, so it can carry what the log has no form for. */
function carrier(agents: Extras): StoredPart {
  return { type: 'reasoning', text: '', agents }
}

function whole(item: Item): ItemMessage {
  return { role: 'assistant', content: [carrier({ whole: item })] }
}

function withItem(parts: readonly StoredPart[], item: Item): readonly StoredPart[] {
  const [first, ...others] = parts
  if (first === undefined) return [carrier({ item })]
  return [{ ...first, agents: { item, ...first.agents } }, ...others]
}

function linkMessage(item: Item): ItemMessage | null {
  const type = String(item['type'])
  const isCall = Object.hasOwn(CALLS, type)
  const kind = isCall ? CALLS[type] : Object.hasOwn(RESULTS, type) ? RESULTS[type] : undefined
  if (kind === undefined) return null
  const toolCallId = kind.hasOwnId ? searchId(item) : item['callId']
  const toolName = kind.toolName ?? item['name']
  if (typeof toolCallId !== 'string' || typeof toolName !== 'string') return null
  const said = [...kind.payload, ...(kind.hasOwnId ? [] : ['callId']), ...(kind.toolName ? [] : ['name'])]
  const agents = { item: without(item, said) }
  const payload = kind.payload.length === 1 ? item[kind.payload[0]!] : pick(item, kind.payload)
  if (isCall)
    return {
      role: 'assistant',
      content: [
        { type: 'tool-call', toolCallId, toolName, ...given('input', payload), agents },
      ] as StoredPart[],
    }
  const { shown, rest } = kind.isContent ? splitOutput(payload) : { shown: payload, rest: undefined }
  const part = {
    type: 'tool-result',
    toolCallId,
    toolName,
    ...given('output', shown),
    agents: { ...agents, ...given('output', rest) },
  }
  return { role: 'tool', content: [part] as StoredPart[] }
}

function given(field: string, value: unknown): Item {
  return value === undefined ? {} : { [field]: value }
}

/** A search that the provider makes itself waits for no result, so it has no id here. */
function searchId(item: Item): unknown {
  const { execution, call_id, callId, providerData } = item
  const data = isRecord(providerData) ? providerData : {}
  if ((execution ?? data['execution']) === 'server') return null
  return [data['call_id'], data['callId'], call_id, callId].find(id => typeof id === 'string' && id !== '')
}

/** Texts as the log has them; pictures and files by their names alone, since their bytes are no text. */
function splitOutput(output: unknown): { shown: unknown; rest: Item | readonly Item[] | undefined } {
  const entries = Array.isArray(output) ? output : [output]
  if (typeof output === 'string' || !entries.every(isEntry)) return { shown: output, rest: undefined }
  const split = entries.map(entry =>
    typeof entry['text'] === 'string'
      ? { shown: { type: 'text', text: entry['text'] }, rest: without(entry, ['text']) }
      : {
          shown: { type: /image|screenshot/.test(entry.type) ? 'image' : 'file', text: undefined },
          rest: entry,
        },
  )
  const rest = split.map(each => each.rest)
  const [first, ...others] = split.map(each => each.shown)
  const shown = first?.text !== undefined && others.length === 0 ? first.text : split.map(each => each.shown)
  return { shown, rest: Array.isArray(output) ? rest : rest[0]! }
}

function isEntry(value: unknown): value is Item & { readonly type: string } {
  return isRecord(value) && typeof value['type'] === 'string'
}

/** A provider's own tool has its call and its result in one item. A tool that needs approval waits for it. */
function hostedMessage(item: Item): ItemMessage | null {
  const { type, name, id, providerData } = item
  if (type !== 'hosted_tool_call' || typeof name !== 'string') return null
  const data = isRecord(providerData) ? providerData : {}
  const approval = approvalPart(name, { ...data, id: data['id'] ?? id })
  if (approval)
    return { role: approval.role, content: [{ ...approval.part, agents: { whole: item } } as StoredPart] }
  const link = { toolCallId: typeof id === 'string' ? id : name, toolName: name }
  const agents = { item: without(item, ['name', 'arguments', 'output']) }
  const parts = [
    { type: 'tool-call', ...link, ...given('input', item['arguments']), agents },
    { type: 'tool-result', ...link, ...given('output', item['output']) },
  ]
  return { role: 'assistant', content: parts as StoredPart[] }
}

function approvalPart(name: string, data: Item): { role: Role; part: StoredPart } | null {
  const { id, approval_request_id: request, approve } = data
  if (name === 'mcp_approval_request' && typeof id === 'string')
    return { role: 'assistant', part: { type: 'tool-approval-request', approvalId: id } }
  if (name === 'mcp_approval_response' && typeof request === 'string')
    return {
      role: 'tool',
      part: { type: 'tool-approval-response', approvalId: request, approved: approve === true },
    }
  return null
}

function thoughtMessage(item: Item): ItemMessage | null {
  const { type, content, rawContent } = item
  if (type !== 'reasoning' || !isTexts(content) || (rawContent !== undefined && !isTexts(rawContent)))
    return null
  const thought = (entry: TextEntry, field: 'entry' | 'raw'): StoredPart => ({
    type: 'reasoning',
    text: entry.text,
    agents: { [field]: without(entry, ['text']) },
  })
  const parts = [
    ...content.map(entry => thought(entry, 'entry')),
    ...(rawContent ?? []).map(entry => thought(entry, 'raw')),
  ]
  // An empty list is kept, so that it differs from a missing one.
  const empty = pick(item, [
    content.length === 0 ? 'content' : '',
    rawContent?.length === 0 ? 'rawContent' : '',
  ])
  const fields = { ...without(item, ['content', 'rawContent']), ...empty }
  return { role: 'assistant', content: withItem(parts, fields) }
}

type TextEntry = Item & { readonly text: string }

function isTexts(value: unknown): value is readonly TextEntry[] {
  return Array.isArray(value) && value.every(entry => isRecord(entry) && typeof entry['text'] === 'string')
}

function spokenMessage(item: Item): ItemMessage | null {
  const { type = 'message', role, content } = item
  if (type !== 'message' || (role !== 'user' && role !== 'assistant' && role !== 'system')) return null
  const text = plainText(item)
  if (text !== null) return { role, content: text }
  const fields = without(item, ['role', 'content'])
  if (typeof content === 'string')
    return { role, content: withItem([{ type: 'text', text: content }], fields) }
  if (!Array.isArray(content) || !content.every(isEntry)) return null
  const parts = content.map(spokenPart)
  return { role, content: withItem(parts, parts.length === 0 ? { ...fields, content } : fields) }
}

/** A bare text from which `toItem` makes the same item. `null`: the item has more to it. */
function plainText(item: Item): string | null {
  const { type, role, status, content } = item
  const isReply = role === 'assistant'
  const fields = ['type', 'role', 'content', ...(isReply ? ['status'] : [])]
  const isBare = type === 'message' && Object.keys(without(item, fields)).length === 0
  if (!isBare || (isReply && status !== 'completed')) return null
  if (!isReply) return typeof content === 'string' && content !== '' ? content : null
  const [entry, ...others] = Array.isArray(content) ? content : []
  if (!isRecord(entry) || others.length > 0 || Object.keys(entry).length !== 2) return null
  const isText = entry['type'] === 'output_text' && typeof entry['text'] === 'string' && entry['text'] !== ''
  return isText ? (entry['text'] as string) : null
}

function spokenPart(entry: Item & { readonly type: string }): StoredPart {
  switch (entry.type) {
    case 'input_text':
    case 'output_text':
    case 'text':
      return textPart(entry, 'text')
    case 'refusal':
      return textPart(entry, 'refusal')
    case 'audio':
      // The written text of the audio, where there is one.
      return entry['transcript'] ? textPart(entry, 'transcript') : attachment(entry, 'audio')
    case 'image':
    case 'input_image':
      return attachment(entry, 'image')
    default:
      return attachment(entry, 'file')
  }
}

function textPart(entry: Item, field: string): StoredPart {
  const text = entry[field]
  if (typeof text !== 'string') return attachment(entry, null)
  return { type: 'text', text, agents: { entry: without(entry, [field]) } }
}

/** Uses the log's own fields for bytes, addresses and the provider's files. */
function attachment(entry: Item, field: string | null): StoredPart {
  const source = field === null ? undefined : entry[field]
  const type = field === 'image' ? 'image' : 'file'
  const file = pick(entry, ['filename'])
  const known = knownSource(source, type)
  const said = known === null || field === null ? ['filename'] : ['filename', field]
  return { type, ...known, ...file, agents: { entry: without(entry, said) } }
}

/** `null`: the entry is stored as it came. */
function knownSource(source: unknown, type: 'image' | 'file'): Item | null {
  if (typeof source === 'string') return { [type === 'image' ? 'image' : 'data']: source }
  if (!isRecord(source) || Object.keys(source).length !== 1) return null
  const known = pick(source, ['id', 'url'])
  return typeof Object.values(known)[0] === 'string' ? known : null
}
