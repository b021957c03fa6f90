/** One instruction a line, of a text or of a list of texts, without empty ones; `null`: it is neither. */
export function instructionLines(given: unknown): readonly string[] | null {
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (!texts.every(text => typeof text === 'string')) return null
  return texts
    .flatMap(text => text.split(/\r?\n/))
    .map(line => line.trim())
    .filter(line => line !== '')
}
