import { PalimpsestError } from 'palimpsest/internals/errors'
import type { Content, ContentPart, MessageInput } from 'palimpsest/internals/log/index'
import type { FoundMessage } from './transcript.ts'

/**
 * What one message of the file becomes: usually one of our messages, sometimes several or none, or a problem.
 */
export function foundMessages(
  where: number | string,
  convert: () => readonly MessageInput[],
): FoundMessage[] {
  const place = typeof where === 'number' ? `message ${where}` : where
  try {
    return convert().map((input, index) => ({ place: index === 0 ? place : `${place}.${index + 1}`, input }))
  } catch (error) {
    if (PalimpsestError.isInstance(error)) return [{ place, problem: error.message }]
    throw error
  }
}

/** `null`: the message says nothing. Parts that are all plain text become one text. */
export function toContent(parts: readonly ContentPart[]): Content | null {
  const said = parts.filter(part => part.type !== 'text' || part.text !== '')
  if (said.length === 0) return null
  const isPlain = said.every(part => part.type === 'text' && Object.keys(part).length === 2)
  return isPlain ? said.map(part => part['text' as never]).join('\n') : said
}
