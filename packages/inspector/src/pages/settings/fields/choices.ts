/** The words that a setting takes, read from the server's text; `null`: it takes more than a few words. */
export function choicesOf(allowed: string): readonly string[] | null {
  const found = /^(\w+(?:, \w+)+?)(?:(, or none)\b.*)?$/.exec(allowed)
  if (!found) return null
  return [...found[1]!.split(', '), ...(found[2] === undefined ? [] : ['none'])]
}

/** Whether the setting may be empty. */
export function mayBeNone(allowed: string): boolean {
  return /\bor (?:0 or )?none\b/.test(allowed)
}
