export type Json = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The objects of a list. Any other value has none. */
export function objectsIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function stringIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** The text of a string, or of a list of parts with a `text`. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  return objectsIn(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n')
}

/** The parsed JSON. Any other text stays as it is. */
export function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
