/** Text that is already HTML or SVG. Any other text is escaped where it is put in. */
export class Markup {
  readonly text: string

  constructor(text: string) {
    this.text = text
  }
}

export type Content = Markup | string | number | null | readonly Content[]

export function markup(pieces: TemplateStringsArray, ...values: readonly Content[]): Markup {
  return new Markup(pieces.reduce((text, piece, index) => text + toText(values[index - 1] ?? null) + piece))
}

function toText(content: Content): string {
  if (content === null) return ''
  if (content instanceof Markup) return content.text
  if (typeof content === 'number') return String(Math.round(content * 100) / 100)
  if (typeof content === 'string') return escapeMarkup(content)
  return content.map(toText).join('')
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

/** Characters that HTML forbids, control characters and lone surrogates become a replacement character. */
export function escapeMarkup(text: string): string {
  return text
    .toWellFormed()
    .replace(/[^\P{Cc}\t\n\r]|[\u{fdd0}-\u{fdef}]|[\ufffe\uffff]/gu, '\u{fffd}')
    .replace(/[&<>"']/g, character => ENTITIES[character]!)
}

/** Marks up a sentence in which names stand between backticks. */
export function withCode(sentence: string): Markup {
  const parts = sentence.split('`')
  return markup`${parts.map((part, index) => (index % 2 === 1 ? markup`<code>${part}</code>` : part))}`
}

/** The same sentence as plain text, where names cannot have a typeface of their own. */
export function withoutCode(sentence: string): string {
  return sentence.replaceAll('`', '')
}
