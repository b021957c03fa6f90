import { attachmentName, isAttachment } from './attachment.ts'
import { contentText } from './content.ts'
import type { Content, ContentPart, Origin } from './message.ts'
import { oneLine } from './one-line.ts'
import { byOrigin, ownContent } from './origin.ts'
import { headOf } from './whole-characters.ts'

/** Enough to tell which message is meant, and never more than one line. */
export const MAX_QUOTATION_TOKENS = 40
/** Quarters of a token. The log has no tokenizer, so it estimates; the estimate is never much too low. */
const QUARTERS = 4
const LOOKED_AT_CHARACTERS = 400

/**
 * The beginning of a message on one line, for a message that answers it. It holds whole characters and at
 * most `MAX_QUOTATION_TOKENS`.
 */
export function quotationOf({ content }: { readonly content: Content }): string {
  return shortQuotation(contentText(content)) || (typeof content === 'string' ? '' : filesIn(content))
}

/**
 * What a message says in its sender's own words. If there are none: what it passes on, and where that comes
 * from.
 */
export function quotedFrom(message: { readonly content: Content }): {
  readonly text: string
  readonly origin?: Origin
} {
  const own = quotationOf({ content: ownContent(message.content) })
  if (own !== '') return { text: own }
  for (const { origin, content } of byOrigin(message.content)) {
    const text = quotationOf({ content })
    if (text !== '') return { text, ...(origin && { origin }) }
  }
  return { text: '' }
}

export function shortQuotation(said: string): string {
  const text = oneLine(headOf(said, LOOKED_AT_CHARACTERS))
  let left = MAX_QUOTATION_TOKENS * QUARTERS
  let end = 0
  for (const character of text) {
    left -= quartersOf(character.codePointAt(0)!)
    if (left < 0) return `${text.slice(0, end).trimEnd()}…`
    end += character.length
  }
  return said.length > LOOKED_AT_CHARACTERS ? `${text}…` : text
}

/** ASCII, other alphabets, the scripts of East Asia, and all higher code points. */
function quartersOf(code: number): number {
  if (code < 0x80) return 1
  if (code < 0x2e80) return 2
  return code < 0x1_0000 ? QUARTERS : 2 * QUARTERS
}

function filesIn(parts: readonly ContentPart[]): string {
  const names = parts.filter(isAttachment).map(part => {
    const { kind, name } = attachmentName(part)
    return name === '' ? `[${kind}]` : `[${kind}: ${name}]`
  })
  return shortQuotation(names.join(' '))
}
