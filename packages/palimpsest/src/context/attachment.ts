import { type Language, textsOf } from '../language/index.ts'
import { inertName } from './inert.ts'
import type { ModelFilePart, ModelImagePart } from './model-message.ts'

/**
 * An attachment in a form that a provider takes. `bytes` are base64: padded, without white space, not empty.
 */
export type Attachment =
  | { readonly kind: 'image' | 'pdf'; readonly from: 'url'; readonly url: string }
  | {
      readonly kind: 'image' | 'pdf'
      readonly from: 'bytes'
      readonly mediaType: string
      readonly bytes: string
    }

/** The large providers read these image types and refuse others. */
const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
const PDF_TYPE = 'application/pdf'

/**
 * How the bytes of each type begin. The bytes win over the declared type: a provider refuses a type that does
 * not match them.
 */
const SIGNATURES: readonly (readonly [RegExp, string])[] = [
  [/^iVBORw0KGgo/, 'image/png'],
  [/^\/9j\//, 'image/jpeg'],
  [/^R0lGOD[dl]/, 'image/gif'],
  // "RIFF", four bytes of length, "WEBP".
  [/^UklGR.{6}XRUJQ/, 'image/webp'],
  [/^JVBERi0/, PDF_TYPE],
]

/** `null`: not every large provider can read it. The context can only name it. */
export function readAttachment(part: ModelImagePart | ModelFilePart): Attachment | null {
  const data = part.type === 'image' ? part.image : part.data
  const declared = part.mediaType ?? (part.type === 'image' ? 'image' : undefined)
  if (/^https?:\/\//i.test(data)) {
    const kind = linkedKind(normalType(declared))
    return kind && URL.canParse(data) && data.isWellFormed() ? { kind, from: 'url', url: data } : null
  }
  const inline = inlineData(data)
  const bytes = inline && base64(inline.data)
  if (!bytes) return null
  const mediaType = sniffedType(bytes) ?? normalType(inline.mediaType ?? declared)
  if (IMAGE_TYPES.has(mediaType)) return { kind: 'image', from: 'bytes', mediaType, bytes }
  return mediaType === PDF_TYPE ? { kind: 'pdf', from: 'bytes', mediaType, bytes } : null
}

/** The name of an attachment, for a reader that cannot be shown it. */
export function attachmentLabel(part: ModelImagePart | ModelFilePart, language: Language = 'en'): string {
  const { image, file } = textsOf(language).messages.attachments
  const name = part.type === 'file' ? inertName(part.filename ?? '') : ''
  if (name !== '') return `[${file}: ${name}]`
  return part.type === 'image' || part.mediaType.startsWith('image') ? `[${image}]` : `[${file}]`
}

/** A link does not tell its own type, so the declared type counts. */
function linkedKind(mediaType: string): 'image' | 'pdf' | null {
  if (mediaType === PDF_TYPE) return 'pdf'
  return IMAGE_TYPES.has(mediaType) || mediaType === 'image' || mediaType === 'image/*' ? 'image' : null
}

function normalType(mediaType = ''): string {
  const plain = mediaType.replace(/;.*$/s, '').trim().toLowerCase()
  return plain === 'image/jpg' ? 'image/jpeg' : plain
}

function inlineData(data: string): { data: string; mediaType?: string } | null {
  if (!/^data:/i.test(data)) return { data }
  const header = /^data:([^;,]*)(?:;[^;,]*)*?;base64,/i.exec(data)
  if (!header) return null
  const mediaType = header[1]
  return { data: data.slice(header[0].length), ...(mediaType && { mediaType }) }
}

function base64(text: string): string | null {
  const bare = (/\s/.test(text) ? text.replace(/\s+/g, '') : text).replace(/={1,2}$/, '')
  if (bare === '' || bare.length % 4 === 1 || !/^[A-Za-z0-9+/]+$/.test(bare)) return null
  return bare.padEnd(Math.ceil(bare.length / 4) * 4, '=')
}

function sniffedType(bytes: string): string | undefined {
  return SIGNATURES.find(([signature]) => signature.test(bytes))?.[1]
}
