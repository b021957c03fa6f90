/** Breaks a text between words. Further lines are indented like the first one, or by `indent`. */
export function fill(text: string, columns: number, indent = text.search(/\S|$/)): string {
  const lines: string[] = []
  let line = ''
  for (const word of text.split(/(?<=\S) /)) {
    const longer = lines.length === 0 && line === '' ? word : `${line} ${word}`
    const isBroken = longer.length > columns && line !== ''
    if (isBroken) lines.push(line)
    line = isBroken ? ' '.repeat(indent) + word : longer
  }
  return [...lines, line].join('\n')
}
