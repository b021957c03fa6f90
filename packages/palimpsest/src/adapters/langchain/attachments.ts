import type { AttachmentPart } from '../../log/index.ts'
import { plainCopy } from './plain-copy.ts'

export type Block = Readonly<Record<string, unknown>>

const TYPES = [
  'image_url',
  'input_image',
  'image',
  'file',
  'input_file',
  'document',
  'audio',
  'input_audio',
  'video',
]

/**
 * An image or a file in any shape that LangChain's messages can hold: chat completions, Responses, Anthropic,
 * and both versions of LangChain's own standard blocks. `null`: the block is something else.
 */
export function toAttachment(block: Block): AttachmentPart | null {
  const type = text(block['type']) ?? ''
  if (!TYPES.includes(type)) return null
  const isImage = type.includes('image')
  const { mediaType, ...from } = sourceOf(block)
  const usual = type.includes('audio') ? 'audio' : type === 'video' ? 'video' : undefined
  return {
    type: isImage ? 'image' : 'file',
    ...((mediaType ?? usual) !== undefined && { mediaType: mediaType ?? usual }),
    ...from,
    ...named(block),
  }
}

interface Source {
  readonly mediaType?: string
  readonly url?: string
  readonly data?: string
  readonly id?: string
}

function sourceOf(block: Block): Source {
  const { image_url, source, file, input_audio } = block
  if (image_url !== undefined) return linked(text(image_url) ?? text(inside(image_url)['url']))
  if (isObject(source)) return anthropicSource(source)
  if (isObject(file)) return { ...linked(text(file['file_data'])), ...idOf(file['file_id']) }
  if (isObject(input_audio))
    return { ...bytes(input_audio['data']), mediaType: `audio/${input_audio['format']}` }
  const mediaType = text(block['mimeType']) ?? text(block['mime_type'])
  const given = text(block['url']) ?? text(block['file_url']) ?? text(block['file_data'])
  const isId = block['source_type'] === 'id'
  return {
    ...(mediaType !== undefined && { mediaType }),
    ...linked(given),
    ...bytes(block['data']),
    ...idOf(block['fileId'] ?? block['file_id'] ?? (isId ? block['id'] : undefined)),
  }
}

function anthropicSource(source: Block): Source {
  const mediaType = text(source['media_type'])
  return {
    ...(mediaType !== undefined && { mediaType }),
    ...linked(text(source['url'])),
    ...bytes(source['data']),
    ...idOf(source['file_id']),
  }
}

/** A URL that holds bytes is stored as bytes. */
function linked(url: string | undefined): Source {
  if (url === undefined) return {}
  return url.startsWith('data:') ? { data: url } : { url }
}

function bytes(data: unknown): Source {
  const copy = typeof data === 'object' ? plainCopy(data) : data
  return typeof copy === 'string' ? { data: copy } : {}
}

function idOf(id: unknown): Source {
  return typeof id === 'string' ? { id } : {}
}

function named(block: Block): { filename?: string } {
  const { file, metadata, filename, title, name } = block
  const { filename: inFile } = inside(file)
  const { filename: inMetadata, name: nameInMetadata, title: titleInMetadata } = inside(metadata)
  const found = [filename, inFile, inMetadata, name, nameInMetadata, title, titleInMetadata]
    .map(text)
    .find(each => each)
  return found === undefined ? {} : { filename: found }
}

function inside(value: unknown): Block {
  return isObject(value) ? value : {}
}

export function isObject(value: unknown): value is Block {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
