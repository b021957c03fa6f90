export type Json = Readonly<Record<string, unknown>>

export function isObject(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** The objects of a list; a value that is no list has none. */
export function objectsIn(value: unknown): readonly Json[] {
  return Array.isArray(value) ? value.filter(isObject) : []
}

export function stringIn(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Of a string, or of a list of parts: those that hold a `text`. */
export function plainText(content: unknown): string {
  if (typeof content === 'string') return content
  return objectsIn(content)
    .flatMap(({ text }) => (typeof text === 'string' ? [text] : []))
    .join('\n')
}

/** JSON as it is written; what is no JSON stays the text that it is. */
export function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
