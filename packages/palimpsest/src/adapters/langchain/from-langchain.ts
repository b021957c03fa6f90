import { createHash, randomUUID } from 'node:crypto'
import type { AIMessage, BaseMessage, ToolMessage } from '@langchain/core/messages'
import { InvalidArgumentError } from '../../errors.ts'
import { type Content, type ContentPart, isId, type MessageInput, type Sender } from '../../log/index.ts'
import { isObject, text } from './attachments.ts'
import { CALL_TYPES, summaryText, thought, toContentParts } from './content-parts.ts'
import { plainCopy } from './plain-copy.ts'

/**
 * A tool may keep an artifact for the program and not for the model. It goes into the log up to this size.
 */
const MAX_ARTIFACT_CHARACTERS = 100_000

/** Returns who said a message; `null`: the message itself tells it, or nothing does. */
export type SenderOf = (message: BaseMessage) => Sender | null | undefined

/**
 * Stands before a name without an id. Two people may have the name, and a person whose id is this same word
 * is neither of them.
 */
const NAME_ONLY = 'name-only:'

/**
 * A message of LangChain for the log. Its kind comes from its fields and never from its class: an application
 * may have several copies of the package. `null`: the message says nothing; it only removes others.
 */
export function toMessageInput(
  message: BaseMessage,
  { sender }: { readonly sender?: SenderOf | undefined } = {},
): MessageInput | null {
  const externalId = externalIdOf(message)
  const identity = externalId === null ? {} : { externalId }
  switch (message.type as string) {
    case 'remove':
      return null
    case 'ai':
      return { role: 'assistant', content: replyContent(message as AIMessage), ...identity }
    case 'tool':
    case 'function':
      return { role: 'tool', content: [toolResult(message as ToolMessage)], ...identity }
    case 'system':
    case 'developer':
      return { role: 'system', content: spokenContent(message), ...identity }
    default:
      return { ...saidBySomebody(message, sender), ...identity }
  }
}

/** The message's own id is its external id in the log, so a message that arrives twice is stored once. */
export function externalIdOf({ id }: Pick<BaseMessage, 'id'>): string | null {
  if (typeof id !== 'string' || id === '') return null
  const externalId = `langchain:${id}`
  return isId(externalId) ? externalId : `langchain:${createHash('sha256').update(id).digest('hex')}`
}

/** For a message whose own id already names another message. */
export function newExternalId(): string {
  return `langchain:${randomUUID()}`
}

/** A `ChatMessage` has a role in its own words. */
function saidBySomebody(message: BaseMessage, senderOf: SenderOf | undefined): MessageInput {
  const { role } = message as { role?: unknown }
  const known = role === 'assistant' || role === 'system' ? role : 'user'
  const sender = known === 'user' ? whoSaid(message, senderOf) : null
  return { role: known, content: spokenContent(message), ...(sender && { sender }) }
}

/** From the option, from `additional_kwargs.sender`, or from the name, which is no id. */
function whoSaid(message: BaseMessage, senderOf: SenderOf | undefined): Sender | null {
  const given = senderOf?.(message)
  if (given) return checkedSender(given, 'sender')
  const { sender } = (message.additional_kwargs ?? {}) as { sender?: unknown }
  const { name } = message
  if (sender !== undefined && sender !== null)
    return checkedSender(withName(sender, name), 'additional_kwargs.sender')
  return isId(name) && isId(NAME_ONLY + name) ? { id: NAME_ONLY + name, name } : null
}

/** The sender may be only an id. The message's own name is added to it. */
function withName(sender: unknown, name: string | undefined): unknown {
  const given = typeof sender === 'string' ? { id: sender } : sender
  return isObject(given) && isId(name) ? { name, ...given } : given
}

const SENDER_RULE = '{ id, name }, the id as the platform has it'

/**
 * Throws for a sender that names no person. Dropped without an error, it would give a group one person more.
 */
function checkedSender(sender: unknown, field: string): Sender {
  const { id, name, isSelf } = isObject(sender) ? sender : {}
  const isWrong = !isId(id) || id.startsWith(NAME_ONLY) || (name !== undefined && typeof name !== 'string')
  if (isWrong) throw new InvalidArgumentError(field, sender, SENDER_RULE)
  return { id, ...(isId(name) && { name }), ...(isSelf === true && { isSelf }) }
}

function spokenContent({ content }: BaseMessage): Content {
  return shortest(toContentParts(content))
}

/** An empty message was said too. The log wants at least one part. */
function shortest(parts: readonly ContentPart[]): Content {
  const [first, ...more] = parts
  if (first === undefined) return [{ type: 'text', text: '' }]
  const isBare = more.length === 0 && first.type === 'text' && first.text !== ''
  return isBare ? first.text : parts
}

function replyContent(message: AIMessage): Content {
  const parts = toContentParts(message.content)
  const thoughts = parts.some(part => part.type === 'reasoning' && part.text !== '')
    ? []
    : thoughtsBeside(message)
  const { refusal } = message.additional_kwargs
  const refused: ContentPart[] =
    parts.length === 0 && typeof refusal === 'string' && refusal !== ''
      ? [{ type: 'text', text: refusal }]
      : []
  return shortest([...thoughts, ...parts, ...refused, ...callsOf(message)])
}

/** The thoughts of a provider that has no block for them. */
function thoughtsBeside({ additional_kwargs }: AIMessage): ContentPart[] {
  const { reasoning_content, reasoning } = additional_kwargs
  const said = text(reasoning_content) ?? (isObject(reasoning) ? summaryText(reasoning['summary']) : '')
  return said === '' ? [] : [thought(said, null)]
}

/**
 * Includes calls that could not be read as JSON, with their text. They never ran, and the context says so.
 */
function callsOf(message: AIMessage): ContentPart[] {
  const { tool_calls = [], invalid_tool_calls = [] } = message
  const calls = [...tool_calls, ...invalid_tool_calls]
  const listed = calls.length > 0 ? calls : callsInContent(message.content)
  return listed.map(({ id, name, args }, index) => ({
    type: 'tool-call',
    toolCallId: id ?? `${message.id ?? 'call'}-${index + 1}`,
    toolName: name ?? '',
    input: plainCopy(args ?? {}),
  }))
}

interface Call {
  readonly id?: string | undefined
  readonly name?: string | undefined
  readonly args?: unknown
}

/** A message made by hand may have its calls only in the content. */
function callsInContent(content: AIMessage['content']): Call[] {
  if (!Array.isArray(content)) return []
  return content.filter(isObject).flatMap(block => {
    if (!CALL_TYPES.includes(text(block['type']) ?? '')) return []
    return [{ id: text(block['id']), name: text(block['name']), args: block['input'] ?? block['args'] }]
  })
}

function toolResult(message: ToolMessage): ContentPart {
  const { tool_call_id, name, status, artifact } = message
  const output = toolOutput(message.content)
  const isText = typeof output === 'string'
  const kept = artifact === undefined || artifact === null ? undefined : smallArtifact(artifact)
  return {
    type: 'tool-result',
    toolCallId: tool_call_id ?? name ?? '',
    ...(name !== undefined && { toolName: name }),
    output: status === 'error' ? { type: isText ? 'error-text' : 'error-json', value: output } : output,
    ...(kept !== undefined && { artifact: kept }),
  }
}

function toolOutput(content: unknown): unknown {
  if (typeof content === 'string') return content
  const parts = toContentParts(content).filter(part => part.type !== 'reasoning')
  return parts.every(part => part.type === 'text') ? parts.map(part => part.text).join('\n') : parts
}

function smallArtifact(artifact: unknown): unknown {
  const copy = plainCopy(artifact)
  return (JSON.stringify(copy)?.length ?? 0) <= MAX_ARTIFACT_CHARACTERS ? copy : undefined
}
