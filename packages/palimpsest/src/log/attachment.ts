import type { AttachmentPart, ContentPart } from './message.ts'

/**
 * Reads parts that are no text, as libraries and platforms write them: the kind of each, where it is, and
 * what is known of it without its bytes. All code that reads such parts uses this file.
 */

/** The parts that the log knows by their own fields. Every other part is an attachment. */
const OTHER_TYPES: ReadonlySet<string> = new Set<Exclude<ContentPart, AttachmentPart>['type']>([
  'text',
  'reasoning',
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'tool-approval-response',
])

export function isAttachment(part: ContentPart): part is AttachmentPart {
  return !OTHER_TYPES.has(part.type)
}

/**
 * A type that sounds like text or a tool call is refused as an attachment. If it is misspelt, the model would
 * never see it.
 */
const OTHERWISE_SAID = /text|reason|think|refus|tool|function|call|result|approval/i
const TYPE_NAME = /^[\w.:/-]{1,64}$/

/**
 * Takes a value from a caller as an attachment. `null`: it is none. A part of a type that is not listed has
 * to say where it is, or what it is called.
 */
export function asAttachment(value: unknown): AttachmentPart | null {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null
  const part = value as Fields
  return isListed(part['type']) || isOtherAttachment(part) ? (value as AttachmentPart) : null
}

function isListed(type: unknown): boolean {
  return (ATTACHMENT_TYPES as readonly unknown[]).includes(type)
}

function isOtherAttachment(part: Fields): boolean {
  const { type } = part
  if (typeof type !== 'string' || !TYPE_NAME.test(type) || OTHERWISE_SAID.test(type)) return false
  return summarizeAttachment(part).ref !== null || attachmentValues(part).length > 0
}

/** For the text of an error. */
export const OTHER_ATTACHMENT_RULE = 'or another kind of attachment, with one of file, url, path, id, name'

export type AttachmentKind = 'image' | 'audio' | 'video' | 'file'

/** By the name of the part's type, or else by its media type. */
export function attachmentKind(part: Fields): AttachmentKind {
  return kindIn(String(part['type'])) ?? kindIn(attachmentMediaType(part) ?? '') ?? 'file'
}

function kindIn(name: string): AttachmentKind | null {
  if (/image|photo|picture/i.test(name)) return 'image'
  if (/audio|voice/i.test(name)) return 'audio'
  return /video/i.test(name) ? 'video' : null
}

type Fields = Readonly<Record<string, unknown>>

/** Fields in which parts of various libraries hold an object with the rest. */
const INNER_FIELDS = [
  'image_url',
  'audio_url',
  'video_url',
  'input_audio',
  'image',
  'audio',
  'video',
  'file',
  'document',
  'source',
  'data',
]

/** The part itself, and the objects in it with further fields. */
function placesOf(part: Fields): readonly Fields[] {
  const inner = INNER_FIELDS.map(field => part[field]).filter(isPlainObject)
  return [part, ...inner]
}

function isPlainObject(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !isBinary(value)
}

function isBinary(value: object): boolean {
  return value instanceof URL || value instanceof ArrayBuffer || ArrayBuffer.isView(value)
}

/** These fields may hold base64 without saying so. */
const BYTES_FIELDS = ['image', 'data', 'file_data', 'audio', 'video']
/** These fields hold an address or a data URL. */
const ADDRESS_FIELDS = ['url', 'image_url', 'audio_url', 'video_url', 'file_url', 'file', 'uri']

/**
 * What a provider may fetch or read: addresses, data URLs and base64. Images and files are read from the same
 * fields as in older versions, so that contexts that show one stay as they are.
 */
export function attachmentValues(part: Fields): readonly string[] {
  if (part['type'] === 'image' || part['type'] === 'file') {
    const [image, data, url] = [part['image'], part['data'], part['url']].map(textOf)
    const isLink = url != null && /^https?:/i.test(url)
    return [image, data, isLink ? url : null].filter(value => value != null)
  }
  return placesOf(part).flatMap(place => [
    ...BYTES_FIELDS.map(field => textOf(place[field])).filter(value => value !== null),
    ...ADDRESS_FIELDS.map(field => textOf(place[field])).filter(
      value => value !== null && /^(?:https?|data):/i.test(value),
    ),
  ]) as string[]
}

/** Also reads the form of the AI SDK since version 7, where data has a type. */
function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (value instanceof URL) return value.href
  if (typeof value !== 'object' || value === null) return null
  const { type, url, data } = value as { type?: unknown; url?: unknown; data?: unknown }
  if (type === 'url') return url instanceof URL ? url.href : typeof url === 'string' ? url : null
  return type === 'data' && typeof data === 'string' ? data : null
}

/** The media type, as any field or a data URL declares it. `null`: none does. */
export function attachmentMediaType(part: Fields): string | null {
  const places = placesOf(part)
  for (const place of places)
    for (const field of MEDIA_TYPE_FIELDS) {
      const value = place[field]
      if (typeof value === 'string' && value !== '' && !isBytes(value)) return value
    }
  const inDataUrl = places
    .flatMap(place => [...BYTES_FIELDS, ...ADDRESS_FIELDS].map(field => textOf(place[field])))
    .map(value => /^\s*data:([\w.+-]+\/[\w.+-]+)[;,]/i.exec(value?.slice(0, 200) ?? '')?.[1])
    .find(type => type !== undefined)
  if (inDataUrl !== undefined) return inDataUrl
  // OpenAI writes `input_audio: { data, format: 'wav' }`.
  const format = places.map(({ format }) => format).find(format => typeof format === 'string')
  const kind = kindIn(String(part['type']))
  return kind !== null && format !== undefined && /^[\w.+-]{1,20}$/.test(format as string)
    ? `${kind}/${format}`
    : null
}

const MEDIA_TYPE_FIELDS = ['mime_type', 'mediaType', 'mimeType', 'media_type']

/** What is known of a part that is no text, without its bytes. */
export interface AttachmentSummary {
  readonly type: string
  /** Where it is or what it is called. `null`: the part does not say. */
  readonly ref: string | number | null
  readonly meta: Readonly<Record<string, unknown>>
}

const REFERENCES = ['file', 'url', 'path', 'id', 'name']
/** The same under the names of various libraries, and fields that hold an address or bytes. */
const OTHER_REFERENCES = [
  'file_url',
  'image_url',
  'audio_url',
  'video_url',
  'uri',
  'file_id',
  'fileId',
  'filename',
  'fileName',
  'file_name',
]
/** In these fields, text that looks like base64 is base64. A path, an id or a name may be just long. */
const MAY_BE_BYTES = ['file', 'url', 'file_url', 'image_url', 'audio_url', 'video_url', 'uri']

const META: Readonly<Record<string, readonly string[]>> = {
  name: ['name', 'filename', 'fileName', 'file_name'],
  mime_type: MEDIA_TYPE_FIELDS,
  size: ['size', 'file_size', 'fileSize'],
  width: ['width'],
  height: ['height'],
  duration: ['duration'],
}

/**
 * `ref` is the first of `file`, `url`, `path`, `id`, `name` that is there. `meta` is what else is known. A
 * field of the part itself wins over a field of an object in it.
 */
export function summarizeAttachment(given: ContentPart | Fields): AttachmentSummary {
  const part = given as Fields
  const places = placesOf(part)
  const type = String(part['type'])
  const meta: Record<string, unknown> = {}
  for (const [name, fields] of Object.entries(META)) {
    const known = firstOf(places, fields, metaIn)
    if (known !== null) meta[name] = known
  }
  if (meta['mime_type'] === undefined) {
    const mediaType = OTHER_TYPES.has(type) ? null : attachmentMediaType(part)
    if (mediaType !== null) meta['mime_type'] = mediaType
  }
  const ref =
    firstOf(places.slice(0, 1), REFERENCES, referenceIn) ??
    firstOf(places, [...REFERENCES, ...OTHER_REFERENCES], referenceIn) ??
    firstOf(places, BYTES_FIELDS, addressIn)
  return { type, ref: ref as string | number | null, meta: inOrder(meta) }
}

function inOrder(meta: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const names = Object.keys(META).filter(name => meta[name] !== undefined)
  return Object.fromEntries(names.map(name => [name, meta[name]]))
}

function firstOf(
  places: readonly Fields[],
  fields: readonly string[],
  read: (value: unknown, field: string) => unknown,
): unknown {
  for (const place of places)
    for (const field of fields) {
      const found = read(place[field], field)
      if (found !== null) return found
    }
  return null
}

function metaIn(value: unknown): unknown {
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' && typeof value !== 'boolean') return null
  return value === '' || isDataUrl(value) ? null : value
}

function referenceIn(value: unknown, field: string): string | number | null {
  if (value instanceof URL) return referenceIn(value.href, field)
  if (typeof value === 'number') return Number.isFinite(value) ? value : null
  if (typeof value !== 'string' || value === '') return null
  return (MAY_BE_BYTES.includes(field) ? isBytes(value) : isDataUrl(value)) ? null : value
}

/** From a field that may hold bytes, only an address. */
function addressIn(value: unknown): string | null {
  const text = textOf(value)
  return text !== null && /^[a-z][a-z\d+.-]*:\/\//i.test(text.slice(0, 40)) ? text : null
}

const BASE64 = /^[A-Za-z0-9+/_-]{200,}={0,2}$/
const MAX_LOOK_CHARACTERS = 4_000

/** Bytes in JSON: a data URL, or a long run of base64, recognised by its beginning. */
export function isBytes(value: unknown): boolean {
  if (isDataUrl(value)) return true
  return typeof value === 'string' && BASE64.test(value.slice(0, MAX_LOOK_CHARACTERS))
}

function isDataUrl(value: unknown): boolean {
  if (typeof value === 'string') return /^\s{0,100}data:/i.test(value)
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value)
}

/** For a person or a model that does not see the part: its kind, or an unlisted type, and its name. */
export function attachmentName(part: Fields): { readonly kind: string; readonly name: string } {
  const type = String(part['type'])
  const { ref, meta } = summarizeAttachment(part)
  const isKnown = kindIn(type) !== null || isListed(type)
  const name = meta['name'] ?? ref ?? ''
  return { kind: isKnown ? attachmentKind(part) : type, name: isBytes(name) ? '' : String(name) }
}

/**
 * These types are taken whatever they hold. Any other type needs a field that says where it is or what it is
 * called.
 */
export const ATTACHMENT_TYPES = [
  'image',
  'file',
  'audio',
  'video',
  'document',
  'image_url',
  'audio_url',
  'video_url',
  'input_image',
  'input_audio',
  'input_video',
  'input_file',
] as const
