/** A block of code between two lines of backticks or tildes. */
export interface Fence {
  readonly mark: string
  readonly language: string
}

const FENCE = /^ {0,3}(`{3,}|~{3,})(.*)$/
const MAX_LANGUAGE_CHARACTERS = 40

/** The fence that this line opens. `null`: it opens none. */
export function opensFence(line: string): Fence | null {
  const found = FENCE.exec(line)
  if (!found) return null
  const [, mark, info] = found as unknown as [string, string, string]
  // Such a line holds inline code.
  if (mark.startsWith('`') && info.includes('`')) return null
  const [language = ''] = info.trim().split(/\s/, 1)
  return { mark, language: language.length > MAX_LANGUAGE_CHARACTERS ? '' : language }
}

export function closesFence(line: string, { mark }: Fence): boolean {
  const said = line.trim()
  return said.length >= mark.length && said === mark[0]!.repeat(said.length)
}
