const DIMENSIONS = 1536

/**
 * An embedding without a model: each character and each pair of neighbours is hashed to a dimension. It is kind to
 * whoever searches with it, since a word is near to every text that has its characters in that order.
 */
export function embed(text: string): number[] {
  const vector = new Array<number>(DIMENSIONS).fill(0)
  const characters = [...text.toLowerCase().normalize('NFKC')].filter(each => /[\p{L}\p{N}]/u.test(each))
  for (const [index, character] of characters.entries()) {
    vector[place(character)]! += 0.3
    const next = characters[index + 1]
    if (next !== undefined) vector[place(character + next)]! += 1
  }
  const length = Math.hypot(...vector) || 1
  return vector.map(each => each / length)
}

/** FNV-1a. */
function place(text: string): number {
  let hash = 0x811c9dc5
  for (const character of text) hash = Math.imul(hash ^ character.codePointAt(0)!, 0x01000193)
  return (hash >>> 0) % DIMENSIONS
}
