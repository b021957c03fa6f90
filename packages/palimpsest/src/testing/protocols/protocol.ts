import type { ModelError, ModelReply } from '../model-reply.ts'
import type {
  ModelProtocol,
  ModelRequestBody,
  OfferedTool,
  SaidMessage,
  SaidToolCall,
} from '../model-request.ts'

/** One provider's way of asking and answering over HTTP. */
export interface Protocol {
  readonly name: ModelProtocol
  read(body: ModelRequestBody): Heard
  /** The answer at once. */
  complete(exchange: Exchange): object
  /** The answer in pieces. */
  stream(exchange: Exchange): readonly StreamEvent[]
  fail(error: ModelError): Failure
  /** The error in a stream that began well; `sent`: how many events came before it. */
  failLate(error: ModelError, exchange: Exchange, sent: number): readonly StreamEvent[]
}

/** What was read from a request. */
export interface Heard {
  readonly said: readonly SaidMessage[]
  readonly tools: readonly OfferedTool[]
  /** The provider would refuse the request, so that the script is not asked. */
  readonly problem?: ModelError
}

export interface Exchange {
  /** Of the request, from 1. */
  readonly number: number
  readonly body: ModelRequestBody
  readonly reply: ModelReply
}

/** A server-sent event; `name` is absent in protocols that give none. */
export interface StreamEvent {
  readonly name?: string
  readonly data: object | '[DONE]'
  /** It carries some of the answer itself. */
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

/** A model that calls tools or refuses need not say anything; otherwise it says something, if only nothing. */
export function textOf({ text, toolCalls = [], refusal }: ModelReply): string | null {
  return text ?? (toolCalls.length > 0 || refusal !== undefined ? null : '')
}

export const DEFAULT_USAGE = { input: 100, output: 20 }

/** As a stream carries it: a few characters at a time, none of them broken. */
export function inPieces(text: string): readonly string[] {
  return text.match(/.{1,20}/gsu) ?? []
}
