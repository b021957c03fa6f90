/** What somebody typed and has not saved: the server's answers never touch it. */
interface Edit {
  /** `null`: what is stored is to be taken away. */
  readonly text: string | null
  /** What was in force when they began, to notice somebody else's change. */
  readonly base: string
}

export type Draft = Readonly<Record<string, Edit>>

/** A value as a field shows it; a key is never shown. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean') return ''
  return Array.isArray(value) ? value.join(', ') : String(value)
}
