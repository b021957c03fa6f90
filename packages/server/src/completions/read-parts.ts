import {
  asAttachment,
  type Content,
  type ContentPart,
  OTHER_ATTACHMENT_RULE,
} from 'palimpsest/internals/log/index'
import { invalidArguments } from '../problems.ts'

export type Json = Readonly<Record<string, unknown>>

export function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const PARTS = `text, image_url, input_audio, file, refusal, ${OTHER_ATTACHMENT_RULE}`

/** Reads content that is text, or the parts of a request, for the log. */
export function readParts(content: unknown, path: string): Content {
  if (typeof content === 'string') return content
  return partsIn(content, path).flatMap((part, place) => readPart(part, `${path}[${place}]`))
}

/** Reads content where only text is allowed. */
export function textIn(content: unknown, path: string): string {
  if (typeof content === 'string') return content
  return partsIn(content, path)
    .map((part, place) => text(part, 'text', `${path}[${place}]`))
    .join('\n')
}

function partsIn(content: unknown, path: string): readonly Json[] {
  if (Array.isArray(content) && content.every(isRecord)) return content
  throw invalidArguments([{ field: path, value: content, allowed: 'text, or a list of parts' }])
}

function readPart(part: Json, path: string): ContentPart[] {
  switch (part['type']) {
    case 'text':
    case 'refusal': {
      const said = text(part, part['type'], path)
      return said === '' ? [] : [{ type: 'text', text: said }]
    }
    case 'image_url': {
      const { url, detail } = fields(part, 'image_url', path)
      const image = text({ url }, 'url', `${path}.image_url`)
      return [{ type: 'image', image, ...(typeof detail === 'string' && { detail }) }]
    }
    case 'input_audio': {
      const audio = fields(part, 'input_audio', path)
      const data = text(audio, 'data', `${path}.input_audio`)
      return [{ type: 'file', data, mediaType: `audio/${text(audio, 'format', `${path}.input_audio`)}` }]
    }
    case 'file':
      return [readFile(fields(part, 'file', path), `${path}.file`)]
    default:
      return [otherAttachment(part, path)]
  }
}

/**
 * An attachment of another kind is kept as it came: the log knows where such parts name what they refer to.
 */
function otherAttachment(part: Json, path: string): ContentPart {
  const attachment = asAttachment(part)
  if (attachment) return attachment
  throw invalidArguments([{ field: `${path}.type`, value: part['type'], allowed: PARTS }])
}

function readFile(file: Json, path: string): ContentPart {
  const { file_id: id, file_data: given, filename } = file
  const named = typeof filename === 'string' ? { filename } : {}
  if (given == null && typeof id === 'string') return { type: 'file', id, ...named }
  const data = text(file, 'file_data', path)
  const mediaType = /^data:([^;,]+)/i.exec(data)?.[1] ?? 'application/pdf'
  return { type: 'file', data, mediaType, ...named }
}

function fields(part: Json, name: string, path: string): Json {
  const value = part[name]
  if (isRecord(value)) return value
  throw invalidArguments([{ field: `${path}.${name}`, value, allowed: 'an object' }])
}

function text(part: Json, name: string, path: string): string {
  const value = part[name]
  if (typeof value === 'string') return value
  throw invalidArguments([{ field: `${path}.${name}`, value, allowed: 'text' }])
}
