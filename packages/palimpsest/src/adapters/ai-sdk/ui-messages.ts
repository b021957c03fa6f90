import type { UIMessage } from 'ai'
import { MAX_APPROVALS_BACK } from '../../answer-approval.ts'
import { InvalidArgumentError, MissingPeerError } from '../../errors.ts'
import {
  type AnsweredCall,
  type AttachmentKind,
  type AttachmentPart,
  attachmentKind,
  attachmentMediaType,
  attachmentValues,
  isAttachment,
  type Message,
  type MessageInput,
  type ToolApprovalRequestPart,
  type ToolApprovalResponsePart,
  type ToolCallPart,
  toolCallsIn,
} from '../../log/index.ts'
import { sayingWithin } from '../../said-here.ts'
import type { Appended, Session } from '../../session.ts'
import { answersOfPage, nameOf, unknownApprovals } from './page-answers.ts'

async function loadSdk(): Promise<typeof import('ai')> {
  try {
    return await import('ai')
  } catch (cause) {
    throw new MissingPeerError('ai', 'Reading UI messages', cause)
  }
}

/** How many messages back a call is looked for that a page answers. */
const MAX_LOOKED_AT = 200

/**
 * Stores what a front end sent: a message of the user, or the page's answers to tool calls of the last reply
 * (results, errors, approvals). The same message again adds nothing. Only the user can speak through it.
 */
export async function appendUIMessage(chat: Session, message: UIMessage): Promise<Appended> {
  return sayingWithin(() => appendMessage(chat, message))
}

async function appendMessage(chat: Session, message: UIMessage): Promise<Appended> {
  const sdk = await loadSdk()
  switch (message.role) {
    case 'user':
      return chat.append(await saidByUser(message, sdk))
    case 'assistant': {
      // The answers of a page belong to the session that asked.
      const own = await chat.bound()
      const read = (limit: number) => own.messages({ from: 'newest', limit })
      const few = await read(MAX_LOOKED_AT)
      const isEarlier = unknownApprovals(message, few, sdk).length > 0
      const newest = isEarlier ? await read(MAX_APPROVALS_BACK) : few
      const beginsAfter = (await own.info())?.beginsAfter ?? null
      const answers = await answersOfPage(message, { sessionId: chat.id, newest, beginsAfter }, sdk)
      // A call that was taken back meanwhile gets no answer.
      return own.append(answers, { follows: answers.map(({ replyTo }) => replyTo as number) })
    }
    default:
      throw new InvalidArgumentError(
        'role',
        message.role,
        'user, assistant (with answers to its tool calls); what the system says goes into `instructions`',
      )
  }
}

async function saidByUser(
  message: UIMessage,
  { convertToModelMessages }: typeof import('ai'),
): Promise<MessageInput[]> {
  const converted = await convertToModelMessages([message])
  return converted.flatMap(({ content }): MessageInput[] =>
    content.length === 0 ? [] : [{ role: 'user', content: content as never, externalId: message.id }],
  )
}

type UIPart = UIMessage['parts'][number]

/**
 * Messages of the log as a front end shows them. All that the assistant and its tools say in a row is one
 * message, as in `useChat` while it streams. A message has the platform's id if there is one, else the log's.
 */
export function toUIMessages(messages: readonly Message[]): UIMessage[] {
  const calls = new Map(toolCallsIn(messages).map(answered => [answered.call, answered]))
  const shown: UIMessage[] = []
  for (const message of messages) {
    if (message.role === 'tool') continue
    const parts = partsOf(message, calls)
    const last = shown.at(-1)
    if (message.role === 'assistant' && last?.role === 'assistant')
      last.parts.push({ type: 'step-start' }, ...parts)
    else
      shown.push({
        id: nameOf(message),
        role: message.role,
        metadata: { seq: message.seq, at: message.at.toISOString() },
        parts: message.role === 'assistant' ? [{ type: 'step-start' }, ...parts] : parts,
      })
  }
  return shown
}

function partsOf({ content }: Message, calls: ReadonlyMap<ToolCallPart, AnsweredCall>): UIPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content, state: 'done' }]
  return content.flatMap((part): UIPart[] => {
    switch (part.type) {
      case 'text':
        return [{ type: 'text', text: part.text, state: 'done' }]
      case 'reasoning':
        return part.text === '' ? [] : [{ type: 'reasoning', text: part.text, state: 'done' }]
      case 'tool-call':
        return toolPart(calls.get(part))
      default:
        return isAttachment(part) ? filePart(part) : []
    }
  })
}

const DEFAULT_TYPES: Readonly<Record<AttachmentKind, string>> = {
  image: 'image/*',
  audio: 'audio/*',
  video: 'video/*',
  file: 'application/octet-stream',
}

function filePart(part: AttachmentPart): UIPart[] {
  const { url: link } = part
  const place = typeof link === 'string' ? link : attachmentValues(part)[0]
  if (!place) return []
  const mediaType = attachmentMediaType(part) ?? DEFAULT_TYPES[attachmentKind(part)]
  const url = /^[a-z][a-z\d+.-]*:/i.test(place) ? place : `data:${mediaType};base64,${place}`
  return [
    {
      type: 'file',
      mediaType,
      url,
      ...(typeof part['filename'] === 'string' && { filename: part['filename'] }),
    },
  ]
}

/**
 * In the states that `convertToModelMessages` reads back. A call that waits for its answer is in the state in
 * which it was asked.
 */
function toolPart(answered: AnsweredCall | undefined): UIPart[] {
  if (!answered) return []
  const { toolCallId, toolName, input, dynamic, providerExecuted } = answered.call as SdkCall
  const call = {
    ...(dynamic ? { type: 'dynamic-tool', toolName } : { type: `tool-${toolName}` }),
    toolCallId,
    input,
    ...(providerExecuted && { providerExecuted }),
  }
  return [{ ...call, ...stateOf(answered) } as UIPart]
}

type SdkCall = ToolCallPart & { readonly dynamic?: boolean; readonly providerExecuted?: boolean }

function stateOf({ call, request, response, result }: AnsweredCall): object {
  const approval = request && approvalOf(request, response)
  if (result === null) {
    if (!approval) return { state: 'input-available' }
    return { state: response ? 'approval-responded' : 'approval-requested', approval }
  }
  const { type, value } = wrapped(result.output)
  if (type === 'execution-denied' || response?.approved === false) {
    const denied = { id: call.toolCallId, ...(typeof value === 'string' && { reason: value }) }
    return { state: 'output-denied', approval: { ...denied, ...approval, approved: false } }
  }
  const allowed = response && { approval }
  if (type.startsWith('error')) return { state: 'output-error', errorText: textOf(value), ...allowed }
  return { state: 'output-available', output: value, ...allowed }
}

/** The SDK's own fields of an approval. The SDK wants them back. */
interface Said {
  readonly reason?: string
  readonly isAutomatic?: boolean
  readonly signature?: string
}

function approvalOf(
  request: ToolApprovalRequestPart & Said,
  response: (ToolApprovalResponsePart & Said) | null,
) {
  const { approvalId, isAutomatic, signature, reason } = request
  return {
    id: approvalId,
    ...(isAutomatic !== undefined && { isAutomatic }),
    ...(signature !== undefined && { signature }),
    ...(reason !== undefined && { requestReason: reason }),
    ...('inputSchemaInput' in request && { inputSchemaInput: request.inputSchemaInput }),
    ...(response && { approved: response.approved }),
    ...(response?.reason !== undefined && { reason: response.reason }),
  }
}

/** Takes off the SDK's wrapper around a tool's output. An output without the wrapper is returned as it is. */
function wrapped(output: unknown): { type: string; value: unknown } {
  const { type, value, reason } = (output ?? {}) as { type?: unknown; value?: unknown; reason?: unknown }
  if (type === 'execution-denied') return { type, value: reason }
  const isWrapped =
    typeof type === 'string' && ['text', 'json', 'content', 'error-text', 'error-json'].includes(type)
  return isWrapped && value !== undefined ? { type, value } : { type: 'json', value: output }
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}
