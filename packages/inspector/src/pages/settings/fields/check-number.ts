import type { SettingDescription } from '../../../api/types.ts'
import { mayBeNone } from './choices.ts'

/**
 * Whether a number is allowed, by the server's text. So not every typing mistake needs a call. How a number
 * must relate to other numbers, only the server checks.
 */
export function isNumberAllowed({ type, allowed }: SettingDescription, text: string): boolean {
  if (type === 'string') return true
  const given = text.trim()
  if (given === '' || given === 'none') return mayBeNone(allowed)
  const number = Number(given)
  if (!Number.isFinite(number) || (type === 'integer' && !Number.isSafeInteger(number))) return false
  const bound = (pattern: RegExp) => {
    const found = pattern.exec(allowed)
    return found === null ? null : Number(found[1])
  }
  const least = bound(/of at least (-?[\d.]+)/)
  const above = bound(/\babove (-?[\d.]+)/)
  const below = bound(/\bbelow (-?[\d.]+)/)
  return (
    (least === null || number >= least) &&
    (above === null || number > above) &&
    (below === null || number < below)
  )
}
