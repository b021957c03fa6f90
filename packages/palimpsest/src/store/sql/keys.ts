/** The longest id that an index of either database holds, with room to spare. */
const MAX_KEY = 200

/**
 * An id as an index holds it. A short id is kept as it is. A long one becomes its beginning and a digest.
 * That is always longer than any short id, so the two never meet.
 */
export function keyOf(id: string): string {
  if (id.length <= MAX_KEY) return id
  return `${id.slice(0, MAX_KEY).toWellFormed()}#${digestOf(id)}`
}

export function digestOf(text: string): string {
  // Loaded only when needed: most programs never need it.
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256').update(text).digest('hex')
}

const ERASED_PREFIX = '\u0001erased#'

/**
 * What is left of the external id of an erased message. By it the message is known if the platform delivers
 * it again. It is the same in every session and database, so it holds for forks and copies, too.
 */
export function erasedKey(externalId: string): string {
  return ERASED_PREFIX + digestOf(externalId)
}

/** The digest alone, and back: an exported session holds the digest. */
export function digestOfErased(key: string): string {
  return key.slice(ERASED_PREFIX.length)
}

export function keyOfErased(digest: string): string {
  return ERASED_PREFIX + digest
}
