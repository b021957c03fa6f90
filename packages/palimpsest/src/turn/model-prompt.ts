import type { SentToModel, SystemMessage } from './sdk.ts'

/** A prompt as a model of the AI SDK takes it, one level below `generateText`. */
export type ModelPrompt = readonly object[]

/** `version`: the version of the model's interface. Since the fourth one, files say what they are. */
export function toModelPrompt(
  { instructions, messages }: { instructions?: SystemMessage; messages: readonly SentToModel[] },
  version: string,
): ModelPrompt {
  return [
    ...(instructions ? [instructions] : []),
    ...messages.map(message => toModelMessage(message, version)),
  ]
}

function toModelMessage(message: SentToModel, version: string): object {
  const { content } = message
  if (typeof content === 'string') return { ...message, content: [{ type: 'text', text: content }] }
  return { ...message, content: content.map(part => toModelPart(part, version)) }
}

function toModelPart(part: { readonly type: string }, version: string): object {
  if (part.type === 'image') {
    const { image, ...rest } = part as { type: 'image'; image: string; mediaType?: string }
    return toModelPart({ mediaType: 'image/*', ...rest, data: image, type: 'file' } as never, version)
  }
  if (part.type !== 'file') return part
  const { data, mediaType } = part as { type: 'file'; data: unknown; mediaType?: unknown }
  if (typeof data !== 'string') return part
  const url = /^(?:https?|data):/i.test(data) ? new URL(data) : null
  if (version < 'v4')
    return { ...part, ...(mediaType === 'image' && { mediaType: 'image/*' }), data: url ?? data }
  return { ...part, data: url ? { type: 'url', url } : { type: 'data', data } }
}
