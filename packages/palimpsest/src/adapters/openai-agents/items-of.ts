import type { AgentInputItem } from '@openai/agents'
import { type RenderedPart, renderMessage } from '../../context/index.ts'
import type { Language } from '../../language/index.ts'
import type { Message, SessionKind } from '../../log/index.ts'
import type { Item } from './item-format.ts'
import { toItem } from './to-item.ts'

export interface ItemRules {
  readonly kind: SessionKind
  /** The language of what the engine writes in the items. */
  readonly language: Language
}

/**
 * A message of the log as items: the item that it was made from, or items made for a message that came
 * another way.
 */
export function itemsOf(message: Message, rules: ItemRules): readonly AgentInputItem[] {
  // Items have no senders. In a group a reader has to see who speaks.
  const isNamed = rules.kind === 'group' && message.role === 'user' && message.sender !== null
  const item = isNamed ? null : toItem(message)
  return item ? [item] : (otherItems(message, rules) as unknown as AgentInputItem[])
}

function otherItems(message: Message, rules: ItemRules): readonly Item[] {
  const { role, parts } = renderMessage(
    { ...message, turn: 0, tokens: 0 },
    { ...rules, reasoning: 'drop', clipTokens: Number.MAX_SAFE_INTEGER },
  )
  const items: Item[] = []
  let spoken: Item[] = []
  const speak = () => {
    if (spoken.length > 0) items.push(spokenItem(role, spoken))
    spoken = []
  }
  for (const part of parts) {
    if (part.type === 'shown') {
      const entry = spokenEntry(part.part, role)
      if (entry) spoken.push(entry)
      continue
    }
    speak()
    items.push(linkItem(part))
  }
  speak()
  return items
}

function spokenItem(role: string, content: readonly Item[]): Item {
  if (role === 'assistant') return { type: 'message', role, status: 'completed', content }
  return { type: 'message', role: 'user', content }
}

type Shown = Extract<RenderedPart, { type: 'shown' }>['part']

function spokenEntry(part: Shown, role: string): Item | null {
  if (part.type === 'text')
    return { type: role === 'assistant' ? 'output_text' : 'input_text', text: part.text }
  if (part.type !== 'file') return null
  const { data, mediaType, filename } = part
  const isUrl = /^(?:https?|data):/i.test(data)
  const url = isUrl ? data : `data:${mediaType};base64,${data}`
  if (mediaType.startsWith('image')) return { type: 'input_image', image: url }
  const file = isUrl && !data.startsWith('data:') ? { url } : url
  return { type: 'input_file', file, ...(filename !== undefined && { filename }) }
}

function linkItem(part: Exclude<RenderedPart, { type: 'shown' }>): Item {
  const link = { callId: part.id, name: part.toolName, status: 'completed' }
  return part.type === 'call'
    ? { type: 'function_call', ...link, arguments: JSON.stringify(part.input) }
    : { type: 'function_call_result', ...link, output: part.text }
}
