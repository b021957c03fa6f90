import { headOf } from 'palimpsest/internals/log/index'

/** Longer than any name on Telegram. */
const MAX_CHARACTERS = 256

/**
 * A name that can be stored and shown, so that no message is lost because of a bad one. Empty: there is no
 * name.
 */
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
