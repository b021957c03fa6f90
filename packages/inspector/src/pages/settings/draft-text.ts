/** What the reader typed and did not save. The server's answers never touch it. */
interface Edit {
  /** `null`: saving removes the stored value. */
  readonly text: string | null
  /** The value in force when the reader began, to notice a change by another person. */
  readonly base: string
}

export type Draft = Readonly<Record<string, Edit>>

/** A value as a field shows it. A key is never shown. */
export function textOf(value: unknown): string {
  if (value === null || value === undefined || typeof value === 'boolean') return ''
  return Array.isArray(value) ? value.join(', ') : String(value)
}
