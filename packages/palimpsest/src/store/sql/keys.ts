/** What an index can hold in either database, with room to spare. */
const MAX_KEY = 200

/**
 * An id as an index holds it: itself, or where it is too long, its beginning and a digest. The latter
 * is always longer than the former can be, so the two never meet.
 */
export function keyOf(id: string): string {
  if (id.length <= MAX_KEY) return id
  return `${id.slice(0, MAX_KEY).toWellFormed()}#${digestOf(id)}`
}

export function digestOf(text: string): string {
  // Loaded only where it is needed: most programs never do.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(text).digest('hex')
}

const ERASED_PREFIX = '\u0001erased#'

/**
 * What is left of the external id of an erased message, so that it is known should the platform deliver it again.
 * The same in every session and database, so that it holds for forks and copies, too.
 */
export function erasedKey(externalId: string): string {
  return ERASED_PREFIX + digestOf(externalId)
}

/** The digest alone, and back: as an exported session has it. */
export function digestOfErased(key: string): string {
  return key.slice(ERASED_PREFIX.length)
}

export function keyOfErased(digest: string): string {
  return ERASED_PREFIX + digest
}
