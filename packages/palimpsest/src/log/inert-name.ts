import { oneLine } from './one-line.ts'
import { headOf } from './whole-characters.ts'

/** The brackets of our own marks, and format characters, which are invisible. */
const BRACKETS_AND_FORMAT = /[\p{Cf}[\]<>()]/gu
const MAX_NAME_CHARACTERS = 60

/** A name for an attribution, on one line and without the brackets of our own marks. */
export function inertName(name: string): string {
  const clean = oneLine(name.replace(BRACKETS_AND_FORMAT, ' '))
  if (clean.length <= MAX_NAME_CHARACTERS) return clean
  return `${headOf(clean, MAX_NAME_CHARACTERS)}…`
}

/** A name in a list of people. It has no character that separates people, or a name from its id. */
export function listedName(name: string): string {
  return oneLine(inertName(name).replace(/[,，;；]/g, ' '))
}

/** An id in the same form. An id that had to be changed gets a digest, so that no two look alike. */
export function inertId(id: string): string {
  return toldApart(id, inertName(id))
}

export function listedId(id: string): string {
  return toldApart(id, listedName(id))
}

function toldApart(id: string, name: string): string {
  if (name === id) return id
  // A top-level import would cost every start 6 ms.
  const hash = process.getBuiltinModule('node:crypto').createHash('sha1')
  return `${name}#${hash.update(id).digest('hex').slice(0, 6)}`
}
