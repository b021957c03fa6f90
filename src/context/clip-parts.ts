import { attachmentKind, type ContentPart, isAttachment, modelText } from '../log/index.ts'
import { estimateTokens, FLAT_TOKENS } from '../tokens/index.ts'
import { clipText } from './clip-text.ts'

export type Clip = (text: string) => string

/** The last ones, as many as there is room for. */
export function attachmentsWithin(parts: readonly ContentPart[], tokens: number): ReadonlySet<ContentPart> {
  const kept = new Set<ContentPart>()
  let left = tokens
  for (const part of parts.toReversed()) {
    if (!isAttachment(part)) continue
    left -= FLAT_TOKENS[attachmentKind(part) === 'image' ? 'image' : 'file']
    if (left < 0) break
    kept.add(part)
  }
  return kept
}

/**
 * Of a message that is too large, each text keeps its share of the room, half of which is for what is no text where
 * there is any. `where`: what it is a part of, such as "message 12". `all`: what its text comes to, where that is known.
 */
export function clipper(
  parts: readonly ContentPart[],
  tokens: number,
  { where, all: known }: { readonly where: string; readonly all?: number | undefined },
): Clip {
  const attached = parts.some(part => isAttachment(part) || part.type === 'reasoning')
  const room = attached ? tokens / 2 : tokens
  const texts = parts.filter(part => part.type !== 'reasoning')
  const all = Math.max(1, known ?? estimateTokens(modelText(texts)))
  const isOne = texts.length === 1 && texts[0]!.type === 'text'
  const of = where && ` of ${where}`
  return text => {
    if (text === '') return text
    const whole = isOne ? all : estimateTokens(text)
    const share = Math.floor((room * whole) / Math.max(all, room))
    return clipText(text, share, leftOut => `[… ${leftOut} characters${of} are left out here …]`, whole)
  }
}
