import { headOf } from 'palimpsest/internals/log/index'

/** Longer than any name on Telegram. */
const MAX_CHARACTERS = 256

/** A name as it can be stored and shown, so that no message is lost because of one. Empty: there is none. */
export function cleanName(name: unknown): string {
  if (typeof name !== 'string') return ''
  return headOf(
    name
      .toWellFormed()
      .replace(/\p{Cc}+/gu, ' ')
      .trim(),
    MAX_CHARACTERS,
  )
}
