import type { ModelError, ModelReply } from '../model-reply.ts'
import type { ModelRequestBody, OfferedTool, SaidMessage, SaidToolCall } from '../model-request.ts'
import { isObject, type Json, objectsIn, parsedOrText, plainText, stringIn } from './json.ts'
import {
  DEFAULT_USAGE,
  type Exchange,
  type Failure,
  finishReasonOf,
  inPieces,
  type Protocol,
  type StreamEvent,
  textOf,
  toolCallsOf,
} from './protocol.ts'

/** Anthropic's Messages. */
export const messages: Protocol = {
  name: 'messages',
  read: body => ({ said: saidMessages(body), tools: objectsIn(body['tools']).map(offeredTool) }),
  complete,
  stream,
  fail,
  failLate: error => [named(errorBody(error))],
}

function saidMessages(body: ModelRequestBody): readonly SaidMessage[] {
  const instructions = plainText(body['system'])
  return [
    ...(instructions === '' ? [] : [{ role: 'system' as const, text: instructions }]),
    ...objectsIn(body.messages).flatMap(({ role, content }) =>
      role === 'assistant' ? [saidByAssistant(content)] : saidByUser(role, content),
    ),
  ]
}

function saidByAssistant(content: unknown): SaidMessage {
  const toolCalls = objectsIn(content)
    .filter(({ type }) => type === 'tool_use')
    .map(saidToolCall)
  return { role: 'assistant', text: plainText(content), ...(toolCalls.length > 0 && { toolCalls }) }
}

function saidToolCall({ id, name, input }: Json): SaidToolCall {
  return { id: stringIn(id), name: stringIn(name), arguments: JSON.stringify(input ?? {}) }
}

/** A user's message may hold tool results. Here each result becomes its own message. */
function saidByUser(role: unknown, content: unknown): readonly SaidMessage[] {
  const isResult = ({ type }: Json) => type === 'tool_result'
  const results = objectsIn(content).filter(isResult)
  const others = typeof content === 'string' ? content : objectsIn(content).filter(part => !isResult(part))
  return [
    ...results.map(({ tool_use_id: id, content: given }) => ({
      role: 'tool' as const,
      text: plainText(given),
      toolCallId: stringIn(id),
    })),
    ...(results.length > 0 && others.length === 0
      ? []
      : [{ role: role === 'system' ? ('system' as const) : ('user' as const), text: plainText(others) }]),
  ]
}

function offeredTool({ type, name, description, input_schema: schema }: Json): OfferedTool {
  return {
    name: stringIn(name) || stringIn(type),
    ...(typeof description === 'string' && { description }),
    schema: isObject(schema) ? schema : {},
  }
}

type Block =
  | { readonly type: 'thinking'; readonly thinking: string; readonly signature: string }
  | { readonly type: 'text'; readonly text: string }
  | { readonly type: 'tool_use'; readonly id: string; readonly name: string; readonly input: string }

/** An empty text makes no block, as with the provider. */
function blocksOf({ reply, number }: Exchange): readonly Block[] {
  const text = textOf(reply) ?? ''
  return [
    ...(reply.reasoning === undefined
      ? []
      : [{ type: 'thinking' as const, thinking: reply.reasoning, signature: `signature_${number}` }]),
    ...(text === '' ? [] : [{ type: 'text' as const, text }]),
    ...toolCallsOf(reply, number).map(({ id, name, arguments: input }) => ({
      type: 'tool_use' as const,
      ...{ id, name, input },
    })),
  ]
}

function messageOf({ number, body }: Exchange) {
  return { id: `msg_${number}`, type: 'message', role: 'assistant', model: body.model ?? 'scripted' }
}

function complete(exchange: Exchange): object {
  return {
    ...messageOf(exchange),
    content: blocksOf(exchange).map(block =>
      block.type === 'tool_use' ? { ...block, input: parsedOrText(block.input || '{}') } : block,
    ),
    stop_reason: stopReasonOf(exchange.reply),
    stop_sequence: null,
    usage: usageOf(exchange.reply),
  }
}

function stream(exchange: Exchange): readonly StreamEvent[] {
  const { reply } = exchange
  const usage = usageOf(reply)
  const opening = {
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...usage, output_tokens: 1 },
  }
  const delta = { stop_reason: stopReasonOf(reply), stop_sequence: null }
  return [
    named({ type: 'message_start', message: { ...messageOf(exchange), ...opening } }),
    named({ type: 'ping' }),
    ...blocksOf(exchange).flatMap(blockEvents),
    named({ type: 'message_delta', delta, usage }),
    named({ type: 'message_stop' }),
  ]
}

function named(data: { readonly type: string; readonly [field: string]: unknown }): StreamEvent {
  return { name: data.type, data }
}

function blockEvents(block: Block, index: number): readonly StreamEvent[] {
  const { start, deltas } = opened(block)
  return [
    named({ type: 'content_block_start', index, content_block: start }),
    ...deltas.map(delta => ({ ...named({ type: 'content_block_delta', index, delta }), isPiece: true })),
    named({ type: 'content_block_stop', index }),
  ]
}

function opened(block: Block): { readonly start: object; readonly deltas: readonly object[] } {
  if (block.type === 'text')
    return {
      start: { type: 'text', text: '' },
      deltas: inPieces(block.text).map(text => ({ type: 'text_delta', text })),
    }
  if (block.type === 'thinking')
    return {
      start: { type: 'thinking', thinking: '', signature: '' },
      deltas: [
        ...inPieces(block.thinking).map(thinking => ({ type: 'thinking_delta', thinking })),
        { type: 'signature_delta', signature: block.signature },
      ],
    }
  return {
    start: { type: 'tool_use', id: block.id, name: block.name, input: {} },
    deltas: ['', ...inPieces(block.input)].map(piece => ({ type: 'input_json_delta', partial_json: piece })),
  }
}

const STOP_REASONS: Readonly<Record<string, string>> = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
}

/** A stop reason of Anthropic's own is sent as it is. */
function stopReasonOf(reply: ModelReply): string | null {
  if (reply.refusal !== undefined && reply.finishReason === undefined) return 'refusal'
  const reason = finishReasonOf(reply)
  return reason === null ? null : (STOP_REASONS[reason] ?? reason)
}

/** `input_tokens` leaves out tokens that were read from a cache or written to it. */
function usageOf({ usage = DEFAULT_USAGE }: ModelReply) {
  const { input, output, cached = 0, cacheWritten = 0 } = usage
  return {
    input_tokens: Math.max(0, input - cached - cacheWritten),
    cache_creation_input_tokens: cacheWritten,
    cache_read_input_tokens: cached,
    output_tokens: output,
  }
}

const ERRORS: Readonly<Record<ModelError['kind'], readonly [status: number, type: string, message: string]>> =
  {
    overflow: [400, 'invalid_request_error', 'prompt is too long: 208310 tokens > 200000 maximum'],
    rate_limited: [429, 'rate_limit_error', "This request would exceed your organization's rate limit."],
    no_quota: [400, 'invalid_request_error', 'Your credit balance is too low to access the Anthropic API.'],
    overloaded: [529, 'overloaded_error', 'Overloaded'],
    internal: [500, 'api_error', 'Internal server error'],
    unauthorized: [401, 'authentication_error', 'invalid x-api-key'],
    invalid: [400, 'invalid_request_error', 'The request is not valid.'],
    not_found: [404, 'not_found_error', 'Not found'],
  }

function fail(error: ModelError): Failure {
  return { status: ERRORS[error.kind][0], body: errorBody(error) }
}

function errorBody({ kind, message }: ModelError) {
  const [, type, usual] = ERRORS[kind]
  return { type: 'error', error: { type, message: message ?? usual }, request_id: null }
}
