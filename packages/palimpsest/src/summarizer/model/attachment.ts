import { type AttachmentPart, oneLine, summarizeAttachment } from '../../log/index.ts'
import { clip } from '../clip.ts'

/**
 * Fields in which libraries put where an attachment is. Some libraries put its bytes into the same fields.
 */
const PLACES = [
  'ref',
  'url',
  'path',
  'image',
  'file',
  'data',
  'image_url',
  'source',
  'fileId',
  'file_id',
  'id',
]
/** Fields that may hold bytes without saying so: only an address is taken from them. */
const MAY_BE_BYTES = new Set(['image', 'file', 'data', 'source'])
const MAX_CHARACTERS = 200
const MAX_META = 8

/**
 * `{ type, ref, meta }`: what is known of the attachment without its bytes, and other values short enough to
 * tell.
 */
export function describeAttachment(part: AttachmentPart): string {
  const known = summarizeAttachment(part)
  const ref =
    PLACES.map(field => placeIn(field, part[field])).find(place => place !== null) ??
    tellable(known.ref) ??
    undefined
  const meta: Record<string, unknown> = {}
  for (const [name, value] of Object.entries(known.meta)) {
    const told = tellable(value)
    if (told !== null) meta[name] = told
  }
  for (const [field, value] of Object.entries(part)) {
    if (field === 'type' || PLACES.includes(field) || Object.keys(meta).length >= MAX_META) continue
    if (Object.values(known.meta).includes(value)) continue
    const told = tellable(value)
    if (told !== null) meta[clip(oneLine(field), 40)] = told
  }
  return JSON.stringify({
    type: part.type,
    ...(ref !== undefined && { ref }),
    ...(Object.keys(meta).length > 0 && { meta }),
  })
}

function placeIn(field: string, value: unknown): string | null {
  if (value instanceof URL) return placeIn(field, value.href)
  if (typeof value === 'object' && value !== null && 'url' in value) return placeIn('url', value.url)
  if (typeof value !== 'string' || value === '' || /^\s*data:/i.test(value)) return null
  if (MAY_BE_BYTES.has(field) && !/^[a-z][a-z\d+.-]*:\/\//i.test(value)) return null
  return tellable(value) as string | null
}

/** Short plain values. A longer text with spaces in it is a caption; one without spaces is likely bytes. */
function tellable(value: unknown): string | number | boolean | null {
  if (typeof value === 'number' || typeof value === 'boolean') return value
  if (typeof value !== 'string' || value === '' || /^\s*data:/i.test(value)) return null
  const text = oneLine(value.slice(0, MAX_CHARACTERS * 4))
  const isUnbroken = text.length > MAX_CHARACTERS && !text.slice(0, MAX_CHARACTERS).includes(' ')
  return isUnbroken && !/^[a-z][a-z\d+.-]*:\/\//i.test(text) ? null : clip(text, MAX_CHARACTERS)
}
