import type { Content } from 'palimpsest/internals/log/index'

/**
 * Marks a reply that the platform did not take. It is in the log, and people have read none of it, or only
 * its beginning.
 */
export function markedUndelivered(content: Content, isShownInPart: boolean): Content {
  const undelivered = isShownInPart ? ('rest' as const) : ('all' as const)
  const parts = typeof content === 'string' ? [{ type: 'text' as const, text: content }] : content
  return parts.map(part => (part.type === 'text' ? { ...part, undelivered } : part))
}

/** The content only repeats what people wrote. */
export function isRepetition(content: Content): boolean {
  return typeof content !== 'string' && content.some(part => part.type === 'text' && part.recalled === true)
}
