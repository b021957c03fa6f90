import type { Content, ContentPart, Interruption, Undelivered } from './message.ts'

/** What a person reads: the text parts. Tools, files and reasoning are left out. */
export function contentText(content: Content): string {
  if (typeof content === 'string') return content
  return content
    .filter(part => part.type === 'text')
    .map(part => part.text)
    .join('\n')
}

/** Why a reply is not whole. `null`: it is whole. */
export function interruptionOf(content: Content): Interruption | null {
  if (typeof content === 'string') return null
  for (const part of content) if (part.type === 'text' && part.interrupted) return part.interrupted
  return null
}

/** How much of the text no person has read, because the platform refused it. `null`: all was delivered. */
export function undeliveredOf(content: Content): Undelivered | null {
  if (typeof content === 'string') return null
  for (const part of content) if (part.type === 'text' && part.undelivered) return part.undelivered
  return null
}

/**
 * All text that a model is charged for: what a person reads, plus reasoning, tool calls and their results.
 * Attachments are not text, and their bytes must never be counted as text.
 */
export function modelText(content: Content): string {
  if (typeof content === 'string') return content
  return content.map(partText).filter(Boolean).join('\n')
}

function partText(part: ContentPart): string {
  switch (part.type) {
    case 'text':
    case 'reasoning':
      return part.text
    case 'tool-call':
      return `${part.toolName} ${jsonText(part.input)}`
    case 'tool-result':
      return `${part.toolName ?? ''} ${jsonText(withoutMedia(part.output))}`
    default:
      return ''
  }
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

/** How many pictures and files a tool gave, in the form of the AI SDK. Their bytes are no text. */
export function mediaIn(output: unknown): number {
  return mediaList(output)?.filter(isMedia).length ?? 0
}

function withoutMedia(output: unknown): unknown {
  const list = mediaList(output)
  if (!list?.some(isMedia)) return output
  return { type: 'content', value: list.map(item => (isMedia(item) ? { type: item.type } : item)) }
}

type Item = { readonly type?: unknown }

function mediaList(output: unknown): readonly Item[] | null {
  const { type, value } = (output ?? {}) as { type?: unknown; value?: unknown }
  return type === 'content' && Array.isArray(value) ? value : null
}

function isMedia(item: Item): boolean {
  return typeof item === 'object' && item !== null && item.type !== 'text'
}
