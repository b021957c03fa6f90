import type { ModelReply } from '../model-reply.ts'
import type { OfferedTool, SaidMessage, SaidToolCall } from '../model-request.ts'
import { isObject, type Json, objectsIn, plainText, stringIn } from './json.ts'
import { openAIError, openAIFailure } from './openai-errors.ts'
import {
  CREATED,
  DEFAULT_USAGE,
  type Exchange,
  finishReasonOf,
  inPieces,
  type Protocol,
  type StreamEvent,
  textOf,
  toolCallsOf,
} from './protocol.ts'

const NAMES = { param: 'messages' }

/** OpenAI's chat completions. Many other providers speak them too. */
export const chat: Protocol = {
  name: 'chat',
  read: body => ({
    said: objectsIn(body.messages).map(saidMessage),
    tools: objectsIn(body['tools']).map(offeredTool),
  }),
  complete,
  stream,
  fail: error => openAIFailure(error, NAMES),
  failLate: error => [{ data: { error: openAIError(error, NAMES) } }],
}

function saidMessage(message: Json): SaidMessage {
  const role = roleOf(stringIn(message['role']))
  const toolCalls = objectsIn(message['tool_calls']).map(saidToolCall)
  return {
    role,
    text: plainText(message['content']),
    ...(toolCalls.length > 0 && { toolCalls }),
    ...(role === 'tool' && { toolCallId: stringIn(message['tool_call_id']) }),
  }
}

function roleOf(role: string): SaidMessage['role'] {
  if (role === 'assistant' || role === 'tool' || role === 'user') return role
  return role === 'function' ? 'tool' : 'system'
}

function saidToolCall({ id, function: called }: Json): SaidToolCall {
  const { name, arguments: given } = isObject(called) ? called : {}
  return { id: stringIn(id), name: stringIn(name), arguments: stringIn(given) }
}

function offeredTool({ type, function: offered }: Json): OfferedTool {
  if (!isObject(offered)) return { name: stringIn(type), schema: {} }
  const { name, description, parameters } = offered
  return {
    name: stringIn(name),
    ...(typeof description === 'string' && { description }),
    schema: isObject(parameters) ? parameters : {},
  }
}

function frameOf({ number, body }: Exchange, object: string) {
  return { id: `chatcmpl-${number}`, object, created: CREATED, model: body.model ?? 'scripted' }
}

function complete(exchange: Exchange): object {
  const { reply } = exchange
  const calls = chatToolCalls(exchange)
  const message = {
    role: 'assistant',
    content: textOf(reply),
    ...(reply.reasoning !== undefined && { reasoning_content: reply.reasoning }),
    ...(reply.refusal !== undefined && { refusal: reply.refusal }),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
  return {
    ...frameOf(exchange, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReasonOf(reply) }],
    usage: usageOf(reply),
  }
}

function stream(exchange: Exchange): readonly StreamEvent[] {
  const { reply, body } = exchange
  const frame = frameOf(exchange, 'chat.completion.chunk')
  const chunk = (delta: object, finish: string | null = null): StreamEvent => ({
    data: { ...frame, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] },
  })
  const piece = (delta: object): StreamEvent => ({ ...chunk(delta), isPiece: true })
  const text = textOf(reply)
  const wanted = body['stream_options']
  const isUsageWanted = isObject(wanted) && wanted['include_usage'] === true
  return [
    chunk({ role: 'assistant', content: text === null ? null : '' }),
    ...inPieces(reply.reasoning ?? '').map(each => piece({ reasoning_content: each })),
    ...inPieces(text ?? '').map(each => piece({ content: each })),
    ...inPieces(reply.refusal ?? '').map(each => piece({ refusal: each })),
    ...chatToolCalls(exchange)
      .flatMap(toolCallDeltas)
      .map(delta => piece({ tool_calls: [delta] })),
    chunk({}, finishReasonOf(reply)),
    ...(isUsageWanted ? [{ data: { ...frame, choices: [], usage: usageOf(reply) } }] : []),
    { data: '[DONE]' },
  ]
}

interface ChatToolCall {
  readonly id: string
  readonly type: 'function'
  readonly function: { readonly name: string; readonly arguments: string }
}

function chatToolCalls({ reply, number }: Exchange): readonly ChatToolCall[] {
  return toolCallsOf(reply, number).map(({ id, name, arguments: given }) => ({
    id,
    type: 'function',
    function: { name, arguments: given },
  }))
}

/** The name of a tool call, then its arguments in pieces. */
function toolCallDeltas(call: ChatToolCall, index: number): readonly object[] {
  return [
    { index, ...call, function: { name: call.function.name, arguments: '' } },
    ...inPieces(call.function.arguments).map(piece => ({ index, function: { arguments: piece } })),
  ]
}

function usageOf({ usage = DEFAULT_USAGE }: ModelReply) {
  const { input, output, cached, cacheWritten, reasoning } = usage
  const details = {
    ...(cached !== undefined && { cached_tokens: cached }),
    ...(cacheWritten !== undefined && { cache_write_tokens: cacheWritten }),
  }
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    ...(Object.keys(details).length > 0 && { prompt_tokens_details: details }),
    ...(reasoning !== undefined && { completion_tokens_details: { reasoning_tokens: reasoning } }),
  }
}
