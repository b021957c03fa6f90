/** The words that a setting takes, out of what the server says is allowed; `null`: it takes more than some words. */
export function choicesOf(allowed: string): readonly string[] | null {
  const found = /^(\w+(?:, \w+)+?)(?:(, or none)\b.*)?$/.exec(allowed)
  if (!found) return null
  return [...found[1]!.split(', '), ...(found[2] === undefined ? [] : ['none'])]
}

/** Whether it can be left empty. */
export function mayBeNone(allowed: string): boolean {
  return /\bor (?:0 or )?none\b/.test(allowed)
}
