import type { OfferedTool, SaidMessage, SaidToolCall } from '../model-request.ts'
import { isObject, type Json, objectsIn, plainText, stringIn } from '../protocols/json.ts'
import type { Heard } from '../protocols/protocol.ts'
import type { CallOptions } from './language-model.ts'

/** The messages and tools of a call of the AI SDK. */
export function heardInProcess({ prompt, tools }: CallOptions): Heard {
  return { said: objectsIn(prompt).flatMap(saidMessages), tools: objectsIn(tools).map(offeredTool) }
}

/** One message may hold several tool results. Here each result becomes its own message. */
function saidMessages({ role, content }: Json): readonly SaidMessage[] {
  const parts = objectsIn(content)
  if (role === 'tool') return parts.filter(isResult).map(saidResult)
  const text = typeof content === 'string' ? content : plainText(parts.filter(({ type }) => type === 'text'))
  if (role !== 'assistant') return [{ role: role === 'user' ? 'user' : 'system', text }]
  const toolCalls = parts.filter(({ type }) => type === 'tool-call').map(saidToolCall)
  return [
    { role: 'assistant', text, ...(toolCalls.length > 0 && { toolCalls }) },
    ...parts.filter(isResult).map(saidResult),
  ]
}

function isResult({ type }: Json): boolean {
  return type === 'tool-result'
}

function saidToolCall({ toolCallId, toolName, input }: Json): SaidToolCall {
  const written = typeof input === 'string' ? input : JSON.stringify(input ?? {})
  return { id: stringIn(toolCallId), name: stringIn(toolName), arguments: written }
}

function saidResult({ toolCallId, output }: Json): SaidMessage {
  return { role: 'tool', text: resultText(output), toolCallId: stringIn(toolCallId) }
}

/** The text that a provider would get. */
function resultText(output: unknown): string {
  if (!isObject(output)) return ''
  const { type, value, reason } = output
  if (type === 'execution-denied') return stringIn(reason) || 'Tool call execution denied.'
  if (type === 'content') return plainText(value)
  return typeof value === 'string' && type !== 'json' ? value : JSON.stringify(value)
}

function offeredTool({ name, description, inputSchema }: Json): OfferedTool {
  return {
    name: stringIn(name),
    ...(typeof description === 'string' && { description }),
    schema: isObject(inputSchema) ? inputSchema : {},
  }
}
