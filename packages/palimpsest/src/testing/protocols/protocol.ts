import type { ModelError, ModelReply } from '../model-reply.ts'
import type {
  ModelProtocol,
  ModelRequestBody,
  OfferedTool,
  SaidMessage,
  SaidToolCall,
} from '../model-request.ts'

/** The form of one provider's requests and answers over HTTP. */
export interface Protocol {
  readonly name: ModelProtocol
  read(body: ModelRequestBody): Heard
  /** The whole answer in one piece. */
  complete(exchange: Exchange): object
  /** The answer as a stream. */
  stream(exchange: Exchange): readonly StreamEvent[]
  fail(error: ModelError): Failure
  /** An error in a stream that began well. `sent` is the number of events before it. */
  failLate(error: ModelError, exchange: Exchange, sent: number): readonly StreamEvent[]
}

/** The content of a request. */
export interface Heard {
  readonly said: readonly SaidMessage[]
  readonly tools: readonly OfferedTool[]
  /** Set if the provider would refuse the request. The script is then not asked. */
  readonly problem?: ModelError
}

export interface Exchange {
  /** The number of the request, from 1. */
  readonly number: number
  readonly body: ModelRequestBody
  readonly reply: ModelReply
}

/** A server-sent event. Some protocols give no `name`. */
export interface StreamEvent {
  readonly name?: string
  readonly data: object | '[DONE]'
  /** Whether the event carries a piece of the answer. */
  readonly isPiece?: boolean
}

export interface Failure {
  readonly status: number
  readonly body: object
}

/** The instant of every answer: 2026-01-01, in seconds. */
export const CREATED = 1_767_225_600

export function toolCallsOf({ toolCalls = [] }: ModelReply, number: number): readonly SaidToolCall[] {
  return toolCalls.map((call, index) => ({
    id: call.id ?? `call_${number}_${index + 1}`,
    name: call.name,
    arguments: typeof call.arguments === 'string' ? call.arguments : JSON.stringify(call.arguments),
  }))
}

/** `null`: the model stopped without a reason. */
export function finishReasonOf({ finishReason, toolCalls = [] }: ModelReply): string | null {
  if (finishReason !== undefined) return finishReason
  return toolCalls.length > 0 ? 'tool_calls' : 'stop'
}

/**
 * A model that calls tools or refuses may say nothing (`null`). Any other answer has a text, which may be
 * empty.
 */
export function textOf({ text, toolCalls = [], refusal }: ModelReply): string | null {
  return text ?? (toolCalls.length > 0 || refusal !== undefined ? null : '')
}

export const DEFAULT_USAGE = { input: 100, output: 20 }

/** The text in pieces of a few characters, for a stream. A piece never splits a character. */
export function inPieces(text: string): readonly string[] {
  return text.match(/.{1,20}/gsu) ?? []
}
