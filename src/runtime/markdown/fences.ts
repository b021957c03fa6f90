/** A block of code between two lines of backticks or tildes. */
export interface Fence {
  readonly mark: string
  readonly language: string
}

const FENCE = /^ {0,3}(`{3,}|~{3,})[ \t]*([^\s`]{0,40})[^`\n]*$/

/** Of a line that opens one; `null`: it does not. */
export function opensFence(line: string): Fence | null {
  const found = FENCE.exec(line)
  return found ? { mark: found[1]!, language: found[2]! } : null
}

export function closesFence(line: string, { mark }: Fence): boolean {
  const said = line.trim()
  return said.length >= mark.length && said === mark[0]!.repeat(said.length)
}
