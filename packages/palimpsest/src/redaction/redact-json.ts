import { isKeyCharacter } from './characters.ts'
import type { RedactText } from './redact.ts'
import type { Steps } from './steps.ts'

/**
 * A JSON value with all its texts redacted, the names of fields included. A value that does not change is the
 * same object, so a caller sees by comparing that nothing changed.
 */
export function* redactJson<Json>(value: Json, redact: RedactText, field?: string): Steps<Json> {
  return (yield* redactValue(value, redact, field)) as Json
}

function* redactValue(value: unknown, redact: RedactText, field?: string): Steps<unknown> {
  if (typeof value === 'string') return isBytes(value) ? value : yield* redact.inSteps(value, field)
  if (typeof value === 'number') return redactNumber(value, redact, field)
  if (typeof value !== 'object' || value === null) return value
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    const json: unknown = value.toJSON()
    const redacted = yield* redactValue(json, redact, field)
    return redacted === json ? value : redacted
  }
  if (Array.isArray(value)) return yield* redactList(value, redact, field)
  return yield* redactObject(value, redact)
}

/**
 * A card's number is at least this large. A smaller number tells nothing by itself, and its marker would not
 * be a number any more.
 */
const MIN_NUMBER = 1e13

function redactNumber(value: number, redact: RedactText, field?: string): unknown {
  if (!Number.isSafeInteger(value) || value < MIN_NUMBER) return value
  const digits = String(value)
  const redacted = redact(digits, field)
  return redacted === digits ? value : redacted
}

/** How many values of a list or an object are redacted between two yields. */
const STEP_VALUES = 64

function* redactList(
  list: readonly unknown[],
  redact: RedactText,
  field?: string,
): Steps<readonly unknown[]> {
  const redacted: unknown[] = []
  let isChanged = false
  for (const item of list) {
    const value = yield* redactValue(item, redact, field)
    isChanged ||= value !== item
    redacted.push(value)
    if (redacted.length % STEP_VALUES === 0) yield
  }
  return isChanged ? redacted : list
}

/**
 * Redacts a record that the caller did not design: its field names stay, and so do the values of the fields
 * in `keys`.
 */
export function* redactFields<Fields extends object>(
  record: Fields,
  redact: RedactText,
  keys: ReadonlySet<string>,
): Steps<Fields> {
  return (yield* redactObject(record, redact, keys)) as Fields
}

function* redactObject(object: object, redact: RedactText, keys?: ReadonlySet<string>): Steps<object> {
  const isAttachment = bearsBytes(object)
  const names = new FieldNames()
  let isChanged = false
  const fields: [string, unknown][] = []
  for (const [name, value] of Object.entries(object)) {
    const isKept = keys?.has(name) || (isAttachment && isBytesField(name, value))
    const redacted = isKept ? value : yield* redactValue(value, redact, name)
    const newName = keys ? name : names.free(yield* redact.inSteps(name))
    isChanged ||= redacted !== value || newName !== name
    fields.push([newName, redacted])
    if (fields.length % STEP_VALUES === 0) yield
  }
  return isChanged ? Object.fromEntries(fields) : object
}

/** Redaction may make two names equal. Both fields stay. */
class FieldNames {
  readonly #taken = new Set<string>()
  /** For each name the last number that was added to it. */
  readonly #counts = new Map<string, number>()

  free(name: string): string {
    let free = name
    if (this.#taken.has(name)) {
      let count = this.#counts.get(name) ?? 1
      do free = `${name} (${++count})`
      while (this.#taken.has(free))
      this.#counts.set(name, count)
    }
    this.#taken.add(free)
    return free
  }
}

/** Fields that hold bytes. Bytes are no text, and a hook that changed a picture would only break it. */
const BYTES_FIELDS: ReadonlySet<string> = new Set([
  'data',
  'image',
  'audio',
  'video',
  'file',
  'bytes',
  'base64',
  'file_data',
])
const MIN_BYTES = 64
const DATA_URL = /^data:[\w.+/-]{0,100}(?:;[\w.=-]{1,100}){0,4};base64,/

function isBytesField(name: string, value: unknown): boolean {
  return BYTES_FIELDS.has(name) && typeof value === 'string' && isBase64(value, 0, MIN_BYTES)
}

function isBytes(text: string): boolean {
  if (!text.startsWith('data:')) return false
  const head = DATA_URL.exec(text.slice(0, 1_000))
  return head !== null && isBase64(text, head[0].length, 0)
}

/** A loop and not a pattern: a pattern runs out of stack on the bytes of a large picture. */
function isBase64(text: string, from: number, least: number): boolean {
  let end = text.length
  while (end > from && text.length - end < 2 && text.charCodeAt(end - 1) === 61) end--
  if (end - from < least) return false
  for (let index = from; index < end; index++) {
    const code = text.charCodeAt(index)
    if (!isKeyCharacter(code) && code !== 43 && code !== 47) return false
  }
  return true
}

/** Whether the object tells which kind of bytes it holds. */
function bearsBytes(object: object): boolean {
  const { type, mediaType, mimeType, media_type, mime_type, format, filename } = object as Readonly<
    Record<string, unknown>
  >
  return (
    // The last two are OpenAI's, in an object of their own: `{ data, format }`, `{ file_data, filename }`.
    [mediaType, mimeType, media_type, mime_type, format, filename].some(name => typeof name === 'string') ||
    'file_data' in object ||
    (typeof type === 'string' &&
      /^(?:input[-_])?(?:image|file|media|audio|video|document)(?:[-_]|$)/.test(type))
  )
}
