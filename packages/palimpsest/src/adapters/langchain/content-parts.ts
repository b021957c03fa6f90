import type { ContentPart } from '../../log/index.ts'
import { type Block, isObject, text, toAttachment } from './attachments.ts'
import { plainCopy } from './plain-copy.ts'

/** The parts of a message's content without tool calls: a message has a list of its own for these. */
export function toContentParts(content: unknown): ContentPart[] {
  if (typeof content === 'string') return content === '' ? [] : [{ type: 'text', text: content }]
  if (!Array.isArray(content)) return []
  return content.flatMap(block => {
    if (typeof block === 'string') return block === '' ? [] : [{ type: 'text', text: block }]
    return isObject(block) ? toPart(block) : []
  })
}

/**
 * In the content, such blocks repeat the message's own list of calls. While the message streams, they are
 * pieces of it.
 */
export const CALL_TYPES = ['tool_use', 'tool_call', 'function_call', 'functionCall', 'invalid_tool_call']
const CALL_PIECES = ['tool_call_chunk', 'input_json_delta', 'server_tool_call_chunk']
const TEXT_TYPES = ['text', 'text_delta', 'input_text', 'output_text', 'text-plain']

function toPart(block: Block): ContentPart[] {
  const type = text(block['type']) ?? ''
  const said = text(block['text'])
  if (said !== undefined && (TEXT_TYPES.includes(type) || block['source_type'] === 'text'))
    return said === '' ? [] : [{ type: 'text', text: said }]
  if (type === 'refusal') return [{ type: 'text', text: text(block['refusal']) ?? '' }]
  if (CALL_TYPES.includes(type) || CALL_PIECES.includes(type)) return []
  const attachment = toAttachment(block)
  if (attachment) return [attachment]
  return toThought(block) ?? toServerTool(block) ?? [kept(block)]
}

/** A block of an unknown kind is kept as it came, beside an empty thought: no model is sent it. */
function kept(block: Block): ContentPart {
  return { type: 'reasoning', text: '', block: plainCopy(block) } as ContentPart
}

/** A thought with Anthropic's signature: without it Anthropic refuses the thought. */
function toThought(block: Block): ContentPart[] | null {
  const { type, thinking, signature, data, reasoning, summary } = block
  if (type === 'redacted_thinking' && typeof data === 'string') return [thought('', { redactedData: data })]
  if (type === 'thinking')
    return [thought(text(thinking) ?? '', typeof signature === 'string' ? { signature } : null)]
  if (type !== 'reasoning' && type !== 'reasoning_content') return null
  const said = text(reasoning) ?? text(block['text']) ?? summaryText(summary)
  return said === '' ? [kept(block)] : [thought(said, null)]
}

export function thought(said: string, anthropic: Readonly<Record<string, string>> | null): ContentPart {
  const signed = anthropic && { providerOptions: { anthropic } }
  return { type: 'reasoning', text: said, ...signed } as ContentPart
}

export function summaryText(summary: unknown): string {
  if (!Array.isArray(summary)) return ''
  return summary.flatMap(piece => (isObject(piece) ? (text(piece['text']) ?? []) : [])).join('\n')
}

/** A tool that the provider ran itself: its call and result stand in the reply. */
function toServerTool(block: Block): ContentPart[] | null {
  const { type, id, name, tool_use_id, toolCallId } = block
  if (type === 'server_tool_use' || type === 'server_tool_call')
    return [
      {
        type: 'tool-call',
        toolCallId: String(id),
        toolName: String(name),
        input: plainCopy(block['input'] ?? block['args'] ?? {}),
      },
    ]
  const of = text(tool_use_id) ?? text(toolCallId)
  if (of === undefined || typeof type !== 'string' || !/tool_(?:call_)?result$/.test(type)) return null
  const output = withoutSecrets(plainCopy(block['content'] ?? block['output'] ?? ''))
  return [{ type: 'tool-result', toolCallId: of, output }]
}

/** Fields that only the provider can read are long and useless for another model. */
function withoutSecrets(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutSecrets)
  if (!isObject(value)) return value
  const fields = Object.entries(value).filter(([name]) => !name.startsWith('encrypted_'))
  return Object.fromEntries(fields.map(([name, field]) => [name, withoutSecrets(field)]))
}
