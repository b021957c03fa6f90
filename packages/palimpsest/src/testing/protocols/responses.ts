import type { ModelError, ModelReply } from '../model-reply.ts'
import type { ModelRequestBody } from '../model-request.ts'
import { heardInResponses } from './heard-in-responses.ts'
import { type Json, stringIn } from './json.ts'
import { openAIError, openAIFailure } from './openai-errors.ts'
import {
  CREATED,
  DEFAULT_USAGE,
  type Exchange,
  finishReasonOf,
  type Protocol,
  type StreamEvent,
  textOf,
  toolCallsOf,
} from './protocol.ts'
import { itemEvents, type OutputItem } from './response-item-events.ts'
import { ResponseStore } from './response-store.ts'

const NAMES = {
  param: 'input',
  overflow: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
}

/**
 * OpenAI's Responses. The provider keeps its answers unless the request forbids it, and clients may then only
 * name them. Each server here keeps its own.
 */
export function createResponses(): Protocol {
  const store = new ResponseStore()
  const outputOf = (exchange: Exchange) => {
    const output = itemsOf(exchange)
    if (!exchange.reply.error) store.keep(exchange.body, { id: idOf(exchange), output })
    return output
  }
  return {
    name: 'responses',
    read: body => heardInResponses(body, store),
    complete: exchange => responseOf(exchange, { output: outputOf(exchange), ...endingOf(exchange.reply) }),
    stream: exchange => streamOf(exchange, outputOf(exchange)),
    fail: error => openAIFailure(error, NAMES),
    failLate,
  }
}

function idOf({ number }: Exchange): string {
  return `resp_${number}`
}

function itemsOf({ number, reply, body }: Exchange): readonly OutputItem[] {
  const text = textOf(reply)
  const content = [
    ...(text === null ? [] : [{ type: 'output_text' as const, text, annotations: [], logprobs: [] }]),
    ...(reply.refusal === undefined ? [] : [{ type: 'refusal' as const, refusal: reply.refusal }]),
  ]
  const status = statusOf(reply)
  return [
    ...(reply.reasoning === undefined ? [] : [reasoningItem(reply.reasoning, { number, body })]),
    ...(content.length === 0
      ? []
      : [{ type: 'message' as const, id: `msg_${number}`, role: 'assistant' as const, status, content }]),
    ...toolCallsOf(reply, number).map(({ id, name, arguments: given }, index) => ({
      type: 'function_call' as const,
      id: `fc_${number}_${index + 1}`,
      call_id: id,
      ...{ name, arguments: given, status },
    })),
  ]
}

function reasoningItem(text: string, { number, body }: { number: number; body: ModelRequestBody }) {
  const wanted = body['include']
  const isEncrypted = Array.isArray(wanted) && wanted.includes('reasoning.encrypted_content')
  return {
    type: 'reasoning' as const,
    id: `rs_${number}`,
    summary: [{ type: 'summary_text' as const, text }],
    ...(isEncrypted && { encrypted_content: `encrypted_${number}` }),
  }
}

const INCOMPLETE: Readonly<Record<string, string>> = {
  length: 'max_output_tokens',
  content_filter: 'content_filter',
}

function statusOf(reply: ModelReply): 'completed' | 'incomplete' {
  return INCOMPLETE[finishReasonOf(reply) ?? ''] === undefined ? 'completed' : 'incomplete'
}

function endingOf(reply: ModelReply) {
  const reason = INCOMPLETE[finishReasonOf(reply) ?? '']
  return {
    status: statusOf(reply),
    incomplete_details: reason === undefined ? null : { reason },
    usage: usageOf(reply),
  }
}

/** The response with the fields of the request that the provider repeats. */
function responseOf(exchange: Exchange, fields: Json): Json {
  const { body } = exchange
  return {
    id: idOf(exchange),
    object: 'response',
    created_at: CREATED,
    error: null,
    incomplete_details: null,
    instructions: body['instructions'] ?? null,
    max_output_tokens: body['max_output_tokens'] ?? null,
    metadata: body['metadata'] ?? {},
    model: body.model ?? 'scripted',
    output: [],
    parallel_tool_calls: body['parallel_tool_calls'] ?? true,
    previous_response_id: body['previous_response_id'] ?? null,
    reasoning: { effort: null, summary: null },
    store: body['store'] ?? true,
    temperature: body['temperature'] ?? 1,
    text: body['text'] ?? { format: { type: 'text' } },
    tool_choice: body['tool_choice'] ?? 'auto',
    tools: body['tools'] ?? [],
    top_p: body['top_p'] ?? 1,
    truncation: body['truncation'] ?? 'disabled',
    usage: null,
    ...fields,
  }
}

function streamOf(exchange: Exchange, output: readonly OutputItem[]): readonly StreamEvent[] {
  const open = responseOf(exchange, { status: 'in_progress' })
  const ended = responseOf(exchange, { output, ...endingOf(exchange.reply) })
  return numbered([
    { type: 'response.created', response: open },
    { type: 'response.in_progress', response: open },
    ...output.flatMap(itemEvents),
    { type: `response.${statusOf(exchange.reply)}`, response: ended },
  ])
}

function failLate(given: ModelError, exchange: Exchange, sent: number): readonly StreamEvent[] {
  const { message, code, param } = openAIError(given, NAMES)
  const error = { code: code ?? 'server_error', message }
  const failed = responseOf(exchange, { status: 'failed', error })
  return numbered(
    [
      { type: 'error', ...error, param },
      { type: 'response.failed', response: failed },
    ],
    sent,
  )
}

function numbered(events: readonly Json[], first = 0): readonly StreamEvent[] {
  return events.map((event, index) => {
    const name = stringIn(event['type'])
    return { name, data: { ...event, sequence_number: first + index }, isPiece: name.endsWith('.delta') }
  })
}

function usageOf({ usage = DEFAULT_USAGE }: ModelReply) {
  const { input, output, cached = 0, cacheWritten, reasoning = 0 } = usage
  return {
    input_tokens: input,
    input_tokens_details: {
      cached_tokens: cached,
      ...(cacheWritten !== undefined && { cache_write_tokens: cacheWritten }),
    },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens: reasoning },
    total_tokens: input + output,
  }
}
