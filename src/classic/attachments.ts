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
/** In these, what looks like base64 is; a path, an id or a name may be long. */
const MAY_BE_BYTES = ['file', 'url']
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
  const refs = REFERENCES.map(name => referenceIn(fields[name], MAY_BE_BYTES.includes(name)))
  const meta = META.filter(name => saysSomething(fields[name]) && !isData(fields[name]))
  return {
    type: part.type,
    ref: refs.find(ref => ref !== null) ?? null,
    meta: Object.fromEntries(meta.map(name => [name, fields[name]])),
  }
}

function referenceIn(value: unknown, mayBeBytes: boolean): string | number | null {
  if (value instanceof URL) return referenceIn(value.href, mayBeBytes)
  if (!saysSomething(value)) return null
  if (typeof value === 'number') return value
  return typeof value !== 'string' || (mayBeBytes ? isBytes(value) : isData(value)) ? null : value
}

function saysSomething(value: unknown): boolean {
  return typeof value === 'number' ? Number.isFinite(value) : value != null && value !== ''
}

const BASE64 = /^[A-Za-z0-9+/_-]{200,}={0,2}$/

/** Bytes as JSON has them: a data URL, or a long run of base64. */
export function isBytes(value: unknown): boolean {
  return isData(value) || (typeof value === 'string' && BASE64.test(value))
}

function isData(value: unknown): boolean {
  if (typeof value === 'string') return /^\s*data:/i.test(value)
  return value instanceof ArrayBuffer || ArrayBuffer.isView(value)
}
