import type { MastraDBMessage, MastraMessagePart } from '@mastra/core/agent/message-list'
import { type ContentPart, type MessageInput, parseMessageInstant } from '../../log/index.ts'

/** What a run knows of its newest step and the message does not tell. */
export interface Ending {
  /** The text of a reply that failed while it came: the message has none of it. */
  readonly text?: string | undefined
  readonly isAborted?: boolean
}

type LogRecord = MessageInput & { readonly externalId: string }

/**
 * A message of Mastra as the log keeps it. In Mastra all steps of a run are one growing message. Here each
 * step is a message, and so is each result. Their ids consist of Mastra's id and their place. So Mastra's
 * message can be read again at any time, even when a client sends it back, and is stored once.
 */
export function logRecords(message: MastraDBMessage, ending: Ending = {}): LogRecord[] {
  const { id, role, createdAt, content } = message
  if (role === 'assistant') {
    const steps = stepsOf(content.parts)
    return steps.flatMap((parts, step) => stepRecords(parts, `${id}:${step}`, steps[step + 1] ? {} : ending))
  }
  const said = content.parts.flatMap(saidParts)
  // A message matters more than its time. A time that the log cannot hold is replaced by the time of arrival.
  const at = parseMessageInstant(createdAt, 'UTC')
  return [
    { role: 'user', content: said.length > 0 ? said : [{ type: 'text', text: '' }], at, externalId: id },
  ]
}

/** Text or a thought after a call begins a step too: the mark may be missing. */
function stepsOf(parts: readonly MastraMessagePart[]): MastraMessagePart[][] {
  const steps: MastraMessagePart[][] = [[]]
  for (const part of parts) {
    const before = steps.at(-1)?.at(-1)?.type
    const isNext = before === 'tool-invocation' && (part.type === 'text' || part.type === 'reasoning')
    if (before !== undefined && (isNext || part.type === 'step-start')) steps.push([])
    if (part.type !== 'step-start') steps.at(-1)?.push(part)
  }
  return steps
}

function stepRecords(parts: readonly MastraMessagePart[], id: string, ending: Ending): LogRecord[] {
  const { text, isAborted } = ending
  const content = parts.flatMap(saidParts)
  const hasFailed = parts.some(part => part.type === 'error')
  if (hasFailed && text && content.length === 0) content.push({ type: 'text', text })
  const last = content.at(-1)
  if (last?.type === 'text' && (hasFailed || isAborted))
    content.splice(-1, 1, { ...last, interrupted: hasFailed ? 'failed' : 'aborted' })
  if (content.length === 0) return []
  const records: LogRecord[] = [{ role: 'assistant', content, externalId: id }]
  for (const part of parts) {
    if (part.type !== 'tool-invocation') continue
    const { toolCallId, toolName, state, result, errorText = 'denied' } = part.toolInvocation
    // A tool may say what the model should see of its result.
    const output = part.providerMetadata?.['mastra']?.['modelOutput'] ?? result
    const answer = state === 'result' ? output : { type: 'error-text', value: errorText }
    const results = [{ type: 'tool-result', toolCallId, toolName, output: answer } as const]
    if (state === 'result' || state === 'output-error' || state === 'output-denied')
      records.push({ role: 'tool', content: results, externalId: `${id}:${toolCallId}` })
  }
  return records
}

/** Sources, marks and data for the screen are no part of what was said. */
function saidParts(part: MastraMessagePart): ContentPart[] {
  // The provider's signature. Mastra's own notes are not for a provider.
  const { mastra: _, ...signature } = part.providerMetadata ?? {}
  const signed = Object.keys(signature).length > 0 ? { providerOptions: signature } : {}
  if (part.type === 'text' && part.text !== '') return [{ type: 'text', text: part.text }]
  if (part.type === 'reasoning') return [{ type: 'reasoning', text: part.reasoning, ...signed }]
  if (part.type === 'file') {
    const { data, mimeType: mediaType, filename } = part as typeof part & { filename?: string }
    return [{ type: mediaType.startsWith('image') ? 'image' : 'file', data, mediaType, filename }]
  }
  if (part.type !== 'tool-invocation') return []
  const { toolCallId, toolName, args: input } = part.toolInvocation
  return [{ type: 'tool-call', toolCallId, toolName, input, ...signed }]
}
