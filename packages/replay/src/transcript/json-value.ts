import { isId, parseMessageInstant } from 'palimpsest/internals/log/index'

/** What stands in a file that somebody else wrote: any field may be missing, or be something else. */
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

/** Platforms number their messages or name them; an empty name is none. */
export function idOf(value: unknown): string | null {
  const id = typeof value === 'number' ? String(value) : value
  return isId(id) ? id : null
}

/** A name or a title for people: half characters and NUL, which no database takes, are made good. */
export function nameOf(value: unknown): string | null {
  const name = textOf(value).toWellFormed().replaceAll('\0', '').trim()
  return name === '' ? null : name
}

/** `null`: unknown. Never an error: a message matters more than its time. */
export function instantOf(value: unknown): number | null {
  return value === 0 ? null : parseMessageInstant(value, 'UTC')
}

export function instantOfSeconds(value: unknown): number | null {
  const seconds = typeof value === 'string' && value.trim() !== '' ? Number(value) : value
  return typeof seconds === 'number' ? instantOf(seconds * 1000) : null
}

/** Arguments are written as the text of a JSON object; what is cut off stays the text it is. */
export function parsedOrText(text: string): unknown {
  try {
    const value: unknown = JSON.parse(text)
    return isRecord(value) ? value : text
  } catch {
    return text
  }
}
