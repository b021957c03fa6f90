/** What an index can hold in either database, with room to spare. */
const LONGEST_KEY = 200

/**
 * An id as an index holds it: itself, or where it is too long, its beginning and a digest. The latter
 * is always longer than the former can be, so the two never meet.
 */
export function keyOf(id: string): string {
  if (id.length <= LONGEST_KEY) return id
  // Loaded only where it is needed: most programs never do.
  const { createHash } = process.getBuiltinModule('node:crypto')
  const digest = createHash('sha256').update(id).digest('hex')
  return `${id.slice(0, LONGEST_KEY).toWellFormed()}#${digest}`
}
