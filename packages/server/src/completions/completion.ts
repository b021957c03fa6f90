import type { Answering, FinishReason, Piece, Usage } from './answering.ts'

/** The fields that every chunk of an answer begins with. */
export interface Frame {
  readonly id: string
  readonly created: number
  readonly model: string
}

export function newFrame({ model }: Answering): Frame {
  const id = `chatcmpl-${crypto.randomUUID().replaceAll('-', '')}`
  return { id, created: Math.floor(Date.now() / 1_000), model }
}

interface Call {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; arguments: string }
}

export async function completionOf(frame: Frame, pieces: AsyncIterable<Piece>): Promise<object> {
  const said = { text: '', reasoning: '' }
  const calls: Call[] = []
  let finishReason: FinishReason = 'stop'
  let usage: object = {}
  for await (const piece of pieces)
    switch (piece.type) {
      case 'text':
      case 'reasoning':
        said[piece.type] += piece.text
        break
      case 'call':
        calls.push({ id: piece.id, type: 'function', function: { name: piece.name, arguments: '' } })
        break
      case 'arguments':
        calls[piece.index]!.function.arguments += piece.text
        break
      case 'end':
        finishReason = piece.finishReason
        usage = usageJson(piece.usage)
        break
    }
  const message = {
    role: 'assistant',
    content: said.text === '' && calls.length > 0 ? null : said.text,
    refusal: null,
    ...(said.reasoning !== '' && { reasoning_content: said.reasoning }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    ...frame,
    object: 'chat.completion',
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason }],
    usage,
  }
}

/** Turns one piece into chunks of the stream. */
export function chunksOf(
  frame: Frame,
  piece: Piece,
  { isUsageWanted }: { readonly isUsageWanted: boolean },
): readonly object[] {
  const chunk = (delta: object, finish: FinishReason | null = null) => ({
    ...frame,
    object: 'chat.completion.chunk',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }],
    ...(isUsageWanted && { usage: null }),
  })
  switch (piece.type) {
    case 'text':
      return [chunk({ content: piece.text })]
    case 'reasoning':
      return [chunk({ reasoning_content: piece.text })]
    case 'call': {
      const { index, id, name } = piece
      return [chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] })]
    }
    case 'arguments':
      return [chunk({ tool_calls: [{ index: piece.index, function: { arguments: piece.text } }] })]
    case 'end':
      return [
        chunk({}, piece.finishReason),
        ...(isUsageWanted ? [{ ...chunk({}), choices: [], usage: usageJson(piece.usage) }] : []),
      ]
  }
}

/** The first chunk of a stream: the role without text. */
export function firstChunk(frame: Frame, { isUsageWanted }: { readonly isUsageWanted: boolean }): object {
  const [chunk] = chunksOf(frame, { type: 'text', text: '' }, { isUsageWanted })
  const choice = {
    index: 0,
    delta: { role: 'assistant', content: '', refusal: null },
    logprobs: null,
    finish_reason: null,
  }
  return { ...chunk, choices: [choice] }
}

function usageJson({ inputTokens, cachedInputTokens, outputTokens, reasoningTokens }: Usage) {
  return {
    prompt_tokens: inputTokens,
    completion_tokens: outputTokens,
    total_tokens: inputTokens + outputTokens,
    prompt_tokens_details: { cached_tokens: cachedInputTokens },
    completion_tokens_details: { reasoning_tokens: reasoningTokens },
  }
}
