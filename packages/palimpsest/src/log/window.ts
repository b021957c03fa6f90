import { InvalidMessageError } from '../errors.ts'
import type { Content, Role, Sender } from './message.ts'
import { normalizeMessage } from './normalize-message.ts'

/**
 * A message of a window: a message of the log, word for word, or one that stands for others. Plain JSON;
 * other fields are kept as they came.
 */
export interface WindowMessage {
  readonly role: Role
  readonly content: Content
  /** The `seq` of the message in the log. Left out: the window made this message itself. */
  readonly seq?: number
  readonly sender?: Sender
  /** When it was said: ISO 8601, UTC. */
  readonly at?: string
  readonly [field: string]: unknown
}

const NAMED = ['role', 'content', 'text', 'seq', 'sender', 'at']
/** Other fields of a message of the log. The log itself knows their values best. */
const KNOWN_BY_THE_LOG = ['id', 'appendedAt', 'zone', 'externalId', 'replyTo', 'version', 'archived']
const DEEPEST = 200

/**
 * Checks a message of a window. An error names the field that cannot be taken. The result shares no objects
 * with the input.
 */
export function normalizeWindowMessage(value: unknown, field: string): WindowMessage {
  const given = value as Readonly<Record<string, unknown>>
  const { role, content, sender, at } = normalized(given, field)
  const seq = given['seq'] ?? undefined
  if (seq !== undefined && !(Number.isSafeInteger(seq) && (seq as number) > 0))
    throw new InvalidMessageError(`${field}.seq`, seq, 'the seq of a message of the log, or none')
  const left = seq === undefined ? NAMED : [...NAMED, ...KNOWN_BY_THE_LOG]
  const others = Object.entries(given).filter(([name, other]) => !left.includes(name) && other !== undefined)
  return {
    ...(seq !== undefined && { seq: seq as number }),
    role,
    content,
    ...(sender && { sender }),
    ...(at !== null && { at: new Date(at).toISOString() }),
    ...Object.fromEntries(others.map(([name, other]) => [name, plain(other, `${field}.${name}`, 0)])),
  }
}

function normalized(given: Readonly<Record<string, unknown>>, field: string) {
  try {
    const { role, content, text, sender, at } = given ?? {}
    const isObject = typeof given === 'object' && !Array.isArray(given)
    const asked = isObject ? { role, content, text, sender, at } : given
    return normalizeMessage(asked as never, { zone: 'UTC' })
  } catch (error) {
    if (!(error instanceof InvalidMessageError)) throw error
    const { field: inner, value, allowed } = error.details
    throw new InvalidMessageError(inner === 'message' ? field : `${field}.${inner}`, value, allowed)
  }
}

/** What JSON would drop or change is refused here instead of being lost there. */
function plain(value: unknown, path: string, depth: number): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (value instanceof Date && !Number.isNaN(value.getTime())) return value.toISOString()
  if (typeof value === 'object' && depth < DEEPEST) {
    if (Array.isArray(value)) return value.map((item, index) => plain(item, `${path}[${index}]`, depth + 1))
    const prototype = Object.getPrototypeOf(value)
    if (prototype === null || Object.getPrototypeOf(prototype) === null)
      return Object.fromEntries(
        Object.entries(value)
          .filter(([, item]) => item !== undefined)
          .map(([name, item]) => [name, plain(item, `${path}.${name}`, depth + 1)]),
      )
  }
  throw new InvalidMessageError(
    path,
    typeof value === 'object' ? Object.prototype.toString.call(value) : value,
    'what JSON can hold: text, finite numbers, true, false, null, lists and plain objects',
  )
}
