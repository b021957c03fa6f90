import type { Person } from './person.ts'
import { namesAlone } from './who-is-who.ts'

const LETTER = /[\p{L}\p{M}\p{N}]/u
/** Scripts without spaces between words. There a name may end anywhere. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u

/**
 * Whether a name stands as a word of its own anywhere in a text, without the id of one of these people beside
 * it.
 */
export function standsAlone(text: string, name: string, people: readonly Person[]): boolean {
  for (let at = text.indexOf(name); at >= 0; at = text.indexOf(name, at + name.length))
    if (isWordAt(text, at, name) && !people.some(person => isToldAt(text, { at, name }, person))) return true
  return false
}

function isToldAt(text: string, { at, name }: { at: number; name: string }, person: Person): boolean {
  return isMarkedAt(text, at + name.length, person) || isListedAt(text, at, person)
}

/** The name stands behind the id as an earlier name: `Robert (u3; earlier Bob)`. */
function isListedAt(text: string, at: number, { id }: Person): boolean {
  const opening = text.lastIndexOf(' (', at)
  const [shownId = ''] = namesAlone({ id, names: [] })
  return opening >= 0 && text.startsWith(`${shownId};`, opening + 2) && !/[)\n]/.test(text.slice(opening, at))
}

/** No letter continues the word before or behind it. */
export function isWordAt(text: string, at: number, name: string): boolean {
  const end = at + name.length
  const [first = '', last = ''] = [name.slice(0, 1), name.slice(-1)]
  return !goesOn(text.slice(Math.max(0, at - 1), at), first) && !goesOn(last, text.slice(end, end + 1))
}

/** The id already stands behind it. */
export function isMarkedAt(text: string, end: number, { id }: Person): boolean {
  const [shownId = ''] = namesAlone({ id, names: [] })
  // In a list of people, the earlier names follow the id.
  return text.startsWith(` (${shownId})`, end) || text.startsWith(` (${shownId};`, end)
}

function goesOn(one: string, next: string): boolean {
  return LETTER.test(one) && LETTER.test(next) && !UNSPACED.test(one) && !UNSPACED.test(next)
}
