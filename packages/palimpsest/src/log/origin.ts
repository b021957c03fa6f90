import { InvalidMessageError } from '../errors.ts'
import { meantBy, optionsOf } from '../known-options.ts'
import { isAttachment } from './attachment.ts'
import { contentText } from './content.ts'
import { inertName } from './inert-name.ts'
import { MESSAGE_INSTANT_RULE, parseMessageInstant } from './instant.ts'
import type { Content, ContentPart, Origin } from './message.ts'
import { oneLine } from './one-line.ts'
import { headOf } from './whole-characters.ts'

/**
 * Parts that hold what their sender did not say: whose words they are, and how they came into the message.
 */

export const ORIGIN_KINDS = ['forward', 'quote', 'reply', 'link'] as const

const FIELDS = optionsOf<Origin>({ kind: true, from: true, at: true, chat: true, url: true })
const FROM = optionsOf<NonNullable<Origin['from']>>({ id: true, name: true })
const MAX_CHARACTERS = 4_096
/** The most characters of a name in quotes. */
const MAX_SHOWN_CHARACTERS = 50
const TEXT_RULE = `text of 1 to ${MAX_CHARACTERS} characters without NUL and lone surrogates`

/** Refuses unknown fields: a misspelt one would turn another person's words into the sender's own. */
export function normalizeOrigin(value: unknown, path: string): Origin {
  checkFields(value, path, FIELDS)
  const { kind, from, at, chat, url } = value as Readonly<Record<string, unknown>>
  if (!isKind(kind)) throw new InvalidMessageError(`${path}.kind`, kind, ORIGIN_KINDS.join(', '))
  return {
    kind,
    ...(from != null && { from: normalizeFrom(from, `${path}.from`) }),
    ...(at != null && { at: normalizeAt(at, `${path}.at`) }),
    ...(chat != null && { chat: checkText(chat, `${path}.chat`) }),
    ...(url != null && { url: checkText(url, `${path}.url`) }),
  }
}

function normalizeFrom(value: unknown, path: string): NonNullable<Origin['from']> {
  checkFields(value, path, FROM)
  const { id, name } = value as Readonly<Record<string, unknown>>
  if (id == null && name == null) throw new InvalidMessageError(path, value, 'an id, a name, or both')
  return {
    ...(id != null && { id: checkText(id, `${path}.id`) }),
    ...(name != null && { name: checkText(name, `${path}.name`) }),
  }
}

function normalizeAt(value: unknown, path: string): string {
  const instant = parseMessageInstant(value, 'UTC')
  if (instant === null) throw new InvalidMessageError(path, value, MESSAGE_INSTANT_RULE)
  return new Date(instant).toISOString()
}

function checkFields(value: unknown, path: string, fields: ReadonlySet<string>): void {
  const names = [...fields].join(', ')
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidMessageError(path, value, `an object with ${names}`)
  for (const [field, given] of Object.entries(value)) {
    if (fields.has(field) || given == null) continue
    const meant = meantBy(field, fields)
    const suggestion = meant === null ? '' : `${path}.${meant} (the nearest); `
    throw new InvalidMessageError(`${path}.${field}`, given, `${suggestion}the fields ${names}`)
  }
}

function checkText(value: unknown, path: string): string {
  const isText = typeof value === 'string' && value !== '' && value.length <= MAX_CHARACTERS
  if (isText && value.isWellFormed() && !value.includes('\0')) return value
  throw new InvalidMessageError(path, value, TEXT_RULE)
}

function isKind(kind: unknown): kind is Origin['kind'] {
  return (ORIGIN_KINDS as readonly unknown[]).includes(kind)
}

/**
 * `null`: the words are the sender's own. A value that an older version stored under this name may be
 * anything.
 */
export function originOf(part: ContentPart): Origin | null {
  if (part.type !== 'text' && !isAttachment(part)) return null
  const { origin } = part
  return typeof origin === 'object' && origin !== null && isKind(origin.kind) ? origin : null
}

export function hasOrigins(content: Content): boolean {
  return typeof content !== 'string' && content.some(part => originOf(part) !== null)
}

/** Leaves out what the sender passed on, quoted or answers. */
export function ownContent(content: Content): Content {
  return hasOrigins(content)
    ? (content as readonly ContentPart[]).filter(part => originOf(part) === null)
    : content
}

/**
 * What the sender said. It decides whom a message calls, what it orders, and what is learned about the
 * sender.
 */
export function ownText(content: Content): string {
  return contentText(ownContent(content))
}

/** Neighbouring parts with the same origin. */
export interface ContentOfOrigin {
  /** `null`: the sender's own words. */
  readonly origin: Origin | null
  readonly content: Content
}

export function byOrigin(content: Content): readonly ContentOfOrigin[] {
  if (!hasOrigins(content)) return [{ origin: null, content }]
  const groups: { readonly origin: Origin | null; readonly content: ContentPart[] }[] = []
  for (const part of content as readonly ContentPart[]) {
    const origin = originOf(part)
    const last = groups.at(-1)
    if (last && JSON.stringify(last.origin) === JSON.stringify(origin)) last.content.push(part)
    else groups.push({ origin, content: [part] })
  }
  return groups
}

/** The part repeats what the message answers. */
export function isAnswered({ kind }: Origin): boolean {
  return kind === 'quote' || kind === 'reply'
}

/**
 * The name of a person of whom only the name is known. It stands in quotes, since it may not be the person
 * with that name here.
 */
export function nameOnly({ id, name }: NonNullable<Origin['from']>): string | null {
  if (id !== undefined || name === undefined) return null
  const shown = oneLine(inertName(name).replace(/[“”:：]/g, ' '))
  if (shown === '') return ''
  return shown.length <= MAX_SHOWN_CHARACTERS ? `“${shown}”` : `“${headOf(shown, MAX_SHOWN_CHARACTERS)}…”`
}

/** The names by which a caller may search for it. */
export function originNames({ from, chat, url }: Origin): readonly string[] {
  return [from?.name, chat, url].filter(name => name !== undefined)
}
