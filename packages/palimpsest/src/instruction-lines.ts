/**
 * One instruction a line, from a text or a list of texts, without empty lines. `null`: the input is neither.
 */
export function instructionLines(given: unknown): readonly string[] | null {
  const texts: readonly unknown[] = Array.isArray(given) ? given : [given]
  if (!texts.every(text => typeof text === 'string')) return null
  return texts
    .flatMap(text => text.split(/\r?\n/))
    .map(line => line.trim())
    .filter(line => line !== '')
}
