import type { AttachmentPart } from './message.ts'

/**
 * What a field of an attachment says of where it is, or its bytes as text: as such, as a URL, or in the form that
 * the AI SDK has had since its seventh version, where data say what they are.
 */
export function attachmentValue(part: AttachmentPart, field: 'image' | 'data' | 'url'): string | null {
  return textOf(part[field])
}

function textOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  if (value instanceof URL) return value.href
  if (typeof value !== 'object' || value === null) return null
  const { type, url, data } = value as { type?: unknown; url?: unknown; data?: unknown }
  if (type === 'url') return url instanceof URL ? url.href : typeof url === 'string' ? url : null
  return type === 'data' && typeof data === 'string' ? data : null
}
