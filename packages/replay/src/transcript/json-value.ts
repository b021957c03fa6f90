import { isId, parseMessageInstant } from 'palimpsest/internals/log/index'

/** A value in a file that another program wrote. Any field may be missing or have another type. */
export type JsonRecord = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is JsonRecord {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function recordOf(value: unknown): JsonRecord {
  return isRecord(value) ? value : {}
}

export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

export function textOf(value: unknown): string {
  return typeof value === 'string' ? value : ''
}

/** Platforms use numbers or texts as ids. An empty text is no id. */
export function idOf(value: unknown): string | null {
  const id = typeof value === 'number' ? String(value) : value
  return isId(id) ? id : null
}

/** A name or a title to show. It has no lone surrogates and no NUL, since no database takes them. */
export function nameOf(value: unknown): string | null {
  const name = textOf(value).toWellFormed().replaceAll('\0', '').trim()
  return name === '' ? null : name
}

/** `null`: the time is unknown. It never throws, because a message matters more than its time. */
export function instantOf(value: unknown): number | null {
  return value === 0 ? null : parseMessageInstant(value, 'UTC')
}

export function instantOfSeconds(value: unknown): number | null {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof seconds === 'number' ? instantOf(seconds * 1000) : null
}

/** A tool's arguments are usually the text of a JSON object. A text that is cut off stays a text. */
export function parsedOrText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : text
  } catch {
    return text
  }
}
