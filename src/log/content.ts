import type { Content, ContentPart } from './message.ts'

/** What a person would read: the text parts, and nothing of tools, files and reasoning. */
export function contentText(content: Content): string {
  if (typeof content === 'string') return content
  return content
    .filter(part => part.type === 'text')
    .map(part => part.text)
    .join('\n')
}

/**
 * All text that a model is charged for: what a person reads, plus reasoning, tool calls and their results.
 * Attachments are not text: their bytes must never be counted as such.
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
      return `${part.toolName ?? ''} ${jsonText(part.output)}`
    default:
      return ''
  }
}

function jsonText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
