import type { ModelReply } from '../model-reply.ts'
import {
  CREATED,
  DEFAULT_USAGE,
  finishReasonOf,
  inPieces,
  textOf,
  toolCallsOf,
} from '../protocols/protocol.ts'
import type {
  Content,
  FinishReason,
  GenerateResult,
  ResponseMetadata,
  StreamPart,
  Usage,
} from './language-model.ts'

export interface Call {
  /** The number of the request, from 1. */
  readonly number: number
  readonly modelId: string
  readonly reply: ModelReply
}

export function generated(call: Call): GenerateResult {
  return {
    content: contentOf(call),
    finishReason: finishReason(call.reply),
    usage: usageOf(call.reply),
    response: metadataOf(call),
    warnings: [],
  }
}

export function streamed(call: Call): readonly StreamPart[] {
  return [
    { type: 'stream-start', warnings: [] },
    { type: 'response-metadata', ...metadataOf(call) },
    ...contentOf(call).flatMap((content, index) => partsOf(content, `${call.number}_${index + 1}`)),
    { type: 'finish', finishReason: finishReason(call.reply), usage: usageOf(call.reply) },
  ]
}

function metadataOf({ number, modelId }: Call): ResponseMetadata {
  return { id: `response_${number}`, timestamp: new Date(CREATED * 1000), modelId }
}

/** In the SDK's form, a refusal is a text that was filtered. */
function contentOf({ number, reply }: Call): Content[] {
  const text = textOf(reply) ?? ''
  const texts = [text, reply.refusal ?? ''].filter(each => each !== '')
  return [
    ...(reply.reasoning === undefined ? [] : [{ type: 'reasoning' as const, text: reply.reasoning }]),
    ...texts.map(each => ({ type: 'text' as const, text: each })),
    ...toolCallsOf(reply, number).map(({ id, name, arguments: input }) => ({
      type: 'tool-call' as const,
      toolCallId: id,
      toolName: name,
      input,
    })),
  ]
}

function partsOf(content: Content, id: string): readonly StreamPart[] {
  if (content.type === 'tool-call') {
    const { toolCallId, toolName, input } = content
    return [
      { type: 'tool-input-start', id: toolCallId, toolName },
      ...inPieces(input).map(delta => ({ type: 'tool-input-delta' as const, id: toolCallId, delta })),
      { type: 'tool-input-end', id: toolCallId },
      content,
    ]
  }
  const { type, text } = content
  return [
    { type: `${type}-start`, id },
    ...inPieces(text).map(delta => ({ type: `${type}-delta` as const, id, delta })),
    { type: `${type}-end`, id },
  ]
}

const UNIFIED: Readonly<Record<string, FinishReason['unified']>> = {
  stop: 'stop',
  length: 'length',
  tool_calls: 'tool-calls',
  content_filter: 'content-filter',
}

function finishReason(reply: ModelReply): FinishReason {
  if (reply.refusal !== undefined && reply.finishReason === undefined)
    return { unified: 'content-filter', raw: 'refusal' }
  const reason = finishReasonOf(reply)
  return { unified: UNIFIED[reason ?? ''] ?? 'other', raw: reason ?? undefined }
}

function usageOf({ usage = DEFAULT_USAGE }: ModelReply): Usage {
  const { input, output, cached = 0, cacheWritten = 0, reasoning = 0 } = usage
  return {
    inputTokens: {
      total: input,
      noCache: Math.max(0, input - cached - cacheWritten),
      cacheRead: cached,
      cacheWrite: cacheWritten,
    },
    outputTokens: { total: output, text: Math.max(0, output - reasoning), reasoning },
  }
}
