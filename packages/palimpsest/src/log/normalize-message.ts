import { InvalidMessageError } from '../errors.ts'
import { meantBy, optionsOf } from '../known-options.ts'
import { ATTACHMENT_TYPES, asAttachment, isAttachment, OTHER_ATTACHMENT_RULE } from './attachment.ts'
import { isZone, MESSAGE_INSTANT_RULE, parseMessageInstant } from './instant.ts'
import {
  type AttachmentPart,
  type Content,
  type ContentPart,
  type Message,
  type NewMessage,
  ROLES,
  type Role,
  type Sender,
} from './message.ts'
import { normalizeOrigin } from './origin.ts'

/**
 * A message from a caller: short to write for a person, exact for a program. `text` is the same as a
 * `content` that is a string.
 */
export type MessageInput = MessageFields &
  ({ readonly content: Content; readonly text?: never } | { readonly text: string; readonly content?: never })

interface MessageFields {
  readonly role: Role
  /** A bare string is an id, which is also the name. */
  readonly sender?: string | Sender | null
  /** Left out: now. */
  readonly at?: Date | string | number | null
  readonly zone?: string | null
  readonly externalId?: string | null
  readonly replyTo?: number | string | null
}

export const MAX_ID_CHARACTERS = 4_096
/** Far above any model's window. Anything larger is a file, not a message. */
export const MAX_CONTENT_CHARACTERS = 16_000_000

/** Deeper than any real message. The limit protects the call stack. */
const MAX_DEPTH = 200

const FIELDS = ['role', 'content', 'text', 'sender', 'at', 'zone', 'externalId', 'replyTo']
const TAKEN: ReadonlySet<string> = new Set(FIELDS)

const SENDER = optionsOf<Sender>({ id: true, name: true, isSelf: true })

/**
 * Further fields that a message may have. They come with it, and ignoring them loses nothing: fields of a
 * message that was read from the log, and what messages of the AI SDK tell their provider.
 */
const BESIDE: ReadonlySet<string> = new Set([
  ...optionsOf<Omit<Message, keyof NewMessage>>({
    id: true,
    seq: true,
    appendedAt: true,
    version: true,
    archived: true,
    answered: true,
  }),
  'providerOptions',
])

/**
 * Checks and completes a message. An error names the field that cannot be taken, and nothing has happened
 * yet.
 */
export function normalizeMessage(
  input: MessageInput,
  defaults: { readonly zone: string; readonly unknownFields?: 'ignore' | 'refuse' },
): NewMessage {
  if (typeof input !== 'object' || input === null || Array.isArray(input))
    throw new InvalidMessageError('message', input, `an object with ${FIELDS.join(', ')}`)
  if (!ROLES.includes(input.role)) throw new InvalidMessageError('role', input.role, ROLES.join(', '))
  if (defaults.unknownFields === 'refuse') checkFields(input)
  const zone = normalizeZone(input.zone)
  return {
    role: input.role,
    content: normalizeContent(input),
    sender: normalizeSender(input.sender),
    at: normalizeInstant(input.at, zone ?? defaults.zone),
    zone,
    externalId: input.externalId == null ? null : checkId('externalId', input.externalId),
    replyTo: normalizeReplyTo(input.replyTo),
  }
}

function checkFields(input: MessageInput): void {
  // An `id` without a `seq` is a caller's own id: the external id was meant.
  const isFromLog = 'seq' in input
  checkKnown(input, '', {
    taken: TAKEN,
    isBeside: field => BESIDE.has(field) && (field !== 'id' || isFromLog),
  })
  const { sender } = input
  if (typeof sender === 'object' && sender !== null)
    checkKnown(sender, 'sender.', { taken: SENDER, isBeside: () => false })
}

/** An empty extra field, such as `refusal: null` of other libraries, is no loss. */
function checkKnown(
  input: object,
  path: string,
  { taken, isBeside }: { readonly taken: ReadonlySet<string>; readonly isBeside: (field: string) => boolean },
): void {
  for (const field of Object.keys(input)) {
    const value = (input as Readonly<Record<string, unknown>>)[field]
    if (taken.has(field) || value == null || isBeside(field)) continue
    const meant = meantBy(field, taken)
    const suggestion = meant === null ? '' : `${path}${meant} (the nearest); `
    throw new InvalidMessageError(
      `${path}${field}`,
      value,
      `${suggestion}the fields ${[...taken].join(', ')}`,
    )
  }
}

/**
 * An id is any text of 1 to 4,096 characters that both databases can hold. Slashes, dots and emoji are
 * allowed.
 */
export function checkId(field: string, value: unknown): string {
  if (isId(value)) return value
  throw new InvalidMessageError(field, value, ID_RULE)
}

export const ID_RULE = `text of 1 to ${MAX_ID_CHARACTERS} characters without NUL and lone surrogates`

export function isId(value: unknown): value is string {
  return (
    typeof value === 'string' && value.length > 0 && value.length <= MAX_ID_CHARACTERS && isStorable(value)
  )
}

export const NEW_ID_RULE = `${ID_RULE}; . and .. are none, since a path means something else by them`

/** For new ids only. An older database may have such ids; they can still be read and erased. */
export function isNewId(value: unknown): value is string {
  return isId(value) && value !== '.' && value !== '..'
}

function isStorable(text: string): boolean {
  return text.isWellFormed() && !text.includes('\0')
}

export function normalizeContent(input: { readonly content?: Content; readonly text?: string }): Content {
  const content = input.content ?? input.text
  if (input.content !== undefined && input.text !== undefined && input.content !== input.text)
    throw new InvalidMessageError('text', input.text, 'either content or text, not both')
  if (input.content === undefined && typeof input.text !== 'string')
    throw new InvalidMessageError(
      input.text === undefined ? 'content' : 'text',
      input.text,
      'text; or content: text, or a list of parts',
    )
  if (typeof content === 'string') {
    checkSize(content.length)
    if (content.length === 0) throw emptyContent(content)
    return content
  }
  if (!Array.isArray(content)) throw new InvalidMessageError('content', content, 'text, or a list of parts')
  if (content.length === 0) throw emptyContent(content)
  content.forEach(checkPart)
  return plainCopy(content)
}

function emptyContent(content: unknown): InvalidMessageError {
  return new InvalidMessageError('content', content, 'at least one character, or at least one part')
}

function checkSize(characters: number): void {
  if (characters > MAX_CONTENT_CHARACTERS)
    throw new InvalidMessageError(
      'content',
      `${characters} characters`,
      `at most ${MAX_CONTENT_CHARACTERS} characters; store what is larger elsewhere and refer to it in a file part`,
    )
}

/**
 * Parts are stored as JSON. Bytes become base64. What JSON would drop or change is refused here instead of
 * being lost there.
 */
function plainCopy(content: readonly ContentPart[]): readonly ContentPart[] {
  const parts = content.map((part, index) => plainPart(part, `content[${index}]`))
  checkSize(JSON.stringify(parts).length)
  return parts as ContentPart[]
}

function plainPart(part: ContentPart, path: string): unknown {
  const plain = plainValue(part, path, []) as ContentPart
  if ((plain.type !== 'text' && !isAttachment(plain)) || plain.origin === undefined) return plain
  const { origin, ...rest } = plain
  return origin === null ? rest : { ...rest, origin: normalizeOrigin(origin, `${path}.origin`) }
}

function plainValue(value: unknown, path: string, parents: readonly unknown[]): unknown {
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (typeof value === 'number' && Number.isFinite(value)) return value
  if (value instanceof Uint8Array) return Buffer.from(value).toString('base64')
  if (value instanceof ArrayBuffer) return Buffer.from(value).toString('base64')
  if (typeof value !== 'object' || parents.includes(value) || parents.length > MAX_DEPTH)
    throw notPlain(path, value)
  if ('toJSON' in value && typeof value.toJSON === 'function')
    return plainValue(value.toJSON(), path, [...parents, value])
  const inside = [...parents, value]
  if (Array.isArray(value)) return value.map((item, index) => plainValue(item, `${path}[${index}]`, inside))
  const prototype = Object.getPrototypeOf(value)
  if (prototype !== null && Object.getPrototypeOf(prototype) !== null) throw notPlain(path, value)
  const fields = Object.entries(value).filter(([, field]) => field !== undefined)
  return Object.fromEntries(
    fields.map(([name, field]) => [name, plainValue(field, `${path}.${name}`, inside)]),
  )
}

function notPlain(path: string, value: unknown): InvalidMessageError {
  return new InvalidMessageError(
    path,
    typeof value === 'object' ? Object.prototype.toString.call(value) : value,
    'what JSON can hold: text, finite numbers, true, false, null, lists and plain objects; or bytes',
  )
}

type RequiredFields = Readonly<Record<string, 'string' | 'boolean'>>

const PART_TYPES: Readonly<Record<Exclude<ContentPart, AttachmentPart>['type'], RequiredFields>> = {
  text: { text: 'string' },
  reasoning: { text: 'string' },
  'tool-call': { toolCallId: 'string', toolName: 'string' },
  'tool-result': { toolCallId: 'string' },
  'tool-approval-request': { approvalId: 'string' },
  'tool-approval-response': { approvalId: 'string', approved: 'boolean' },
}

const PART_RULE = [...Object.keys(PART_TYPES), ...ATTACHMENT_TYPES, OTHER_ATTACHMENT_RULE].join(', ')

function checkPart(part: unknown, index: number): void {
  const type = (part as ContentPart | null)?.type
  const fields = type && Object.hasOwn(PART_TYPES, type) ? PART_TYPES[type as 'text'] : undefined
  if (!fields) {
    if (asAttachment(part)) return
    throw new InvalidMessageError(`content[${index}].type`, type, PART_RULE)
  }
  for (const [field, expected] of Object.entries(fields)) {
    const value = (part as Record<string, unknown>)[field]
    if (typeof value !== expected)
      throw new InvalidMessageError(`content[${index}].${field}`, value, `a ${expected}`)
  }
}

function normalizeSender(sender: MessageInput['sender']): Sender | null {
  if (sender == null || sender === '') return null
  if (typeof sender === 'string') return { id: checkId('sender', sender), name: sender }
  if (typeof sender !== 'object')
    throw new InvalidMessageError('sender', sender, 'a name, or { id, name, isSelf }')
  const { id, name, isSelf } = sender
  if (name != null && (typeof name !== 'string' || name.length > MAX_ID_CHARACTERS || !isStorable(name)))
    throw new InvalidMessageError(
      'sender.name',
      name,
      `text of at most ${MAX_ID_CHARACTERS} characters without NUL and lone surrogates`,
    )
  if (isSelf !== undefined && typeof isSelf !== 'boolean')
    throw new InvalidMessageError('sender.isSelf', isSelf, 'true or false')
  return {
    id: checkId('sender.id', id ?? name),
    ...(name != null && { name }),
    ...(isSelf && { isSelf }),
  }
}

function normalizeZone(zone: unknown): string | null {
  if (zone == null) return null
  if (typeof zone === 'string' && isZone(zone)) return zone
  throw new InvalidMessageError('zone', zone, 'an IANA time zone such as "Asia/Shanghai" or "UTC"')
}

function normalizeInstant(at: unknown, zone: string): number | null {
  if (at == null) return null
  const instant = parseMessageInstant(at, zone)
  if (instant === null) throw new InvalidMessageError('at', at, MESSAGE_INSTANT_RULE)
  return instant
}

function normalizeReplyTo(replyTo: unknown): number | string | null {
  if (replyTo == null) return null
  if (typeof replyTo === 'number' && Number.isSafeInteger(replyTo) && replyTo > 0) return replyTo
  if (typeof replyTo === 'string') return checkId('replyTo', replyTo)
  throw new InvalidMessageError('replyTo', replyTo, 'a seq (1, 2, 3 …) or an external id')
}
