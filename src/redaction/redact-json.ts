import type { RedactText } from './redact.ts'

/**
 * A JSON value with all its texts redacted, the names of fields too. What does not change is the same object, so
 * that whoever compares sees at once that nothing did.
 */
export function redactJson<Json>(value: Json, redact: RedactText, field?: string): Json {
  return redactValue(value, redact, field) as Json
}

function redactValue(value: unknown, redact: RedactText, field?: string): unknown {
  if (typeof value === 'string') return isBytes(value) ? value : redact(value, field)
  if (typeof value === 'number') return redactNumber(value, redact, field)
  if (typeof value !== 'object' || value === null) return value
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const json: unknown = value.toJSON()
    const redacted = redactValue(json, redact, field)
    return redacted === json ? value : redacted
  }
  if (Array.isArray(value)) return redactList(value, redact, field)
  return redactObject(value, redact)
}

/** As long as the number of a card. A shorter one says nothing by itself, and would not be a number any more. */
const LEAST_NUMBER = 1e13

function redactNumber(value: number, redact: RedactText, field?: string): unknown {
  if (!Number.isSafeInteger(value) || value < LEAST_NUMBER) return value
  const digits = String(value)
  const redacted = redact(digits, field)
  return redacted === digits ? value : redacted
}

function redactList(list: readonly unknown[], redact: RedactText, field?: string): readonly unknown[] {
  const redacted = list.map(item => redactValue(item, redact, field))
  return redacted.some((item, index) => item !== list[index]) ? redacted : list
}

/** The fields of a record that is not of the caller's making: their names stay, and so do the values of `keys`. */
export function redactFields<Fields extends object>(
  record: Fields,
  redact: RedactText,
  keys: ReadonlySet<string>,
): Fields {
  return redactObject(record, redact, keys) as Fields
}

function redactObject(object: object, redact: RedactText, keys?: ReadonlySet<string>): object {
  const isAttachment = bearsBytes(object)
  let isChanged = false
  const fields = new Map<string, unknown>()
  for (const [name, value] of Object.entries(object)) {
    const isKept = keys?.has(name) || (isAttachment && isBytesField(name, value))
    const redacted = isKept ? value : redactValue(value, redact, name)
    const newName = keys ? name : freeName(redact(name), fields)
    isChanged ||= redacted !== value || newName !== name
    fields.set(newName, redacted)
  }
  return isChanged ? Object.fromEntries(fields) : object
}

/** Two names may have become one; both fields stay. */
function freeName(name: string, taken: ReadonlyMap<string, unknown>): string {
  let free = name
  for (let count = 2; taken.has(free); count++) free = `${name} (${count})`
  return free
}

/** Bytes are no text, and a hook that changed a picture would only break it. */
const BYTES_FIELDS: ReadonlySet<string> = new Set(['data', 'image', 'file', 'bytes', 'base64', 'file_data'])
const BASE64 = /^[A-Za-z0-9+/_-]{64,}={0,2}$/
const DATA_URL = /^data:[\w.+/-]{0,100}(?:;[\w.=-]{1,100}){0,4};base64,[A-Za-z0-9+/_-]*={0,2}$/

function isBytesField(name: string, value: unknown): boolean {
  return BYTES_FIELDS.has(name) && typeof value === 'string' && BASE64.test(value)
}

function isBytes(text: string): boolean {
  return text.startsWith('data:') && DATA_URL.test(text)
}

/** Something that says which kind of bytes it holds. */
function bearsBytes(object: object): boolean {
  const { type, mediaType, mimeType, media_type } = object as Readonly<Record<string, unknown>>
  return (
    [mediaType, mimeType, media_type].some(name => typeof name === 'string') ||
    (typeof type === 'string' && /^(?:image|file|media|audio|video)(?:[-_]|$)/.test(type))
  )
}
