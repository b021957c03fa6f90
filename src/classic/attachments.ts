import type { Content, ContentPart } from '../log/index.ts'

/** What is known of a part that is no text, without its bytes. */
export interface AttachmentSummary {
  readonly type: string
  /** Where it is or what it is called; `null`: it does not say. */
  readonly ref: string | number | null
  readonly meta: Readonly<Record<string, unknown>>
}

interface WithContent {
  readonly content: Content
}

/** Answers with what is said in the place of a part that is no text. */
export type AttachmentSummaryHandler = (part: ContentPart, message: WithContent) => unknown

const REFERENCES = ['file', 'url', 'path', 'id', 'name']
const META = ['name', 'mime_type', 'size', 'width', 'height', 'duration']

/** One for each part that is no text. */
export function summarizeAttachments({ content }: WithContent): readonly AttachmentSummary[] {
  return attachmentsIn(content).map(summarizeAttachment)
}

export function attachmentsIn(content: Content): readonly ContentPart[] {
  return typeof content === 'string' ? [] : content.filter(({ type }) => type !== 'text')
}

export function summarizeAttachment(part: ContentPart): AttachmentSummary {
  const fields = part as Readonly<Record<string, unknown>> & ContentPart
  const refs = REFERENCES.map(name => referenceIn(fields[name]))
  const meta = META.filter(name => fields[name] != null && !isBytes(fields[name]))
  return {
    type: part.type,
    ref: refs.find(ref => ref !== null) ?? null,
    meta: Object.fromEntries(meta.map(name => [name, fields[name]])),
  }
}

function referenceIn(value: unknown): string | number | null {
  if (value instanceof URL) return referenceIn(value.href)
  if (typeof value === 'number') return value
  return typeof value !== 'string' || value === '' || isBytes(value) ? null : value
}

const BASE64 = /^[A-Za-z0-9+/_-]{200,}={0,2}$/

/** Bytes as JSON has them: a data URL, or a long run of base64. */
export function isBytes(value: unknown): boolean {
  if (typeof value === 'string') return /^\s*data:/i.test(value) || BASE64.test(value)
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value)
}
