/** What a line means. */
export type TypedLine =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'message'; readonly text: string }
  | { readonly kind: 'command'; readonly name: string; readonly rest: string }

/** `/name rest` is a command; `//` begins a message that begins with `/`. */
export function readTypedLine(line: string): TypedLine {
  const text = line.trim()
  if (text === '') return { kind: 'nothing' }
  if (text.startsWith('//')) return { kind: 'message', text: text.slice(1) }
  if (!text.startsWith('/')) return { kind: 'message', text }
  const name = /^\S*/.exec(text.slice(1))![0]
  return { kind: 'command', name: name.toLowerCase(), rest: text.slice(1 + name.length).trim() }
}

/** Writes a text so that it is read as a message, even if it begins with `/`. */
export function asMessage(text: string): string {
  const trimmed = text.trimStart()
  return trimmed.startsWith('/') ? `/${trimmed}` : text
}

const BIDI_MARKS = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu

/**
 * The message as the person would type it. Control and direction characters are removed: they could move the
 * cursor or turn the direction of a line.
 */
export function toTypedLine(message: string): string {
  const line = message
    .replace(/[\s\p{Zl}\p{Zp}]+/gu, ' ')
    .replace(/\p{Cc}/gu, '')
    .replace(BIDI_MARKS, '')
  return asMessage(line.replace(/ +/g, ' ').trim())
}
