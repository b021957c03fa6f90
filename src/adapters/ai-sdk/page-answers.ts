import type { DynamicToolUIPart, ToolUIPart, UIMessage } from 'ai'
import { InvalidArgumentError } from '../../errors.ts'
import {
  type AnsweredCall,
  type Message,
  type MessageInput,
  type ToolApprovalResponsePart,
  type ToolResultPart,
  toolCallsIn,
} from '../../log/index.ts'

type ToolPart = ToolUIPart | DynamicToolUIPart
type Answer = ToolApprovalResponsePart | ToolResultPart

/**
 * What a page says of tool calls and the log does not know yet, a message for each call. A page has the last word on
 * nothing but calls that wait for it: whatever else it says of the assistant's reply is not looked at. An error:
 * nothing but answers to calls that the log does not have.
 */
export async function answersOfPage(
  message: UIMessage,
  newest: readonly Message[],
  { convertToModelMessages, isToolUIPart }: typeof import('ai'),
): Promise<MessageInput[]> {
  const parts: readonly ToolPart[] = message.parts.filter(part => isToolUIPart(part))
  const waiting = callsById(message, parts, newest)
  const answers: MessageInput[] = []
  const unknown: string[] = []
  for (const part of parts) {
    const call = waiting.get(part.toolCallId)?.shift()
    const converted = await convertToModelMessages([{ role: 'assistant', parts: [part] }])
    const given = converted.flatMap(({ role, content }) => (role === 'tool' ? content : [])) as Answer[]
    if (given.length > 0 && !call) unknown.push(part.toolCallId)
    const fresh = call ? freshAnswers(given, call, part) : []
    if (call && fresh.length > 0)
      answers.push({ role: 'tool', content: fresh, externalId: idOf(call, fresh) })
  }
  if (answers.length === 0 && unknown.length > 0)
    throw new InvalidArgumentError('message', unknown.join(', '), 'answers to tool calls that are in the log')
  return answers
}

/**
 * Those of the reply that the page shows, in order: the same id stands for its first call first. The page's own id of
 * a reply that it saw come is not known here; then it is the newest reply with such a call.
 */
function callsById(
  { id }: UIMessage,
  parts: readonly ToolPart[],
  newest: readonly Message[],
): Map<string, AnsweredCall[]> {
  const ids = new Set(parts.map(({ toolCallId }) => toolCallId))
  const replies = repliesIn(newest)
  const shown = replies.find(reply => reply.some(each => nameOf(each) === id))
  const from = shown?.findIndex(each => nameOf(each) === id) ?? 0
  // Together, since a result may have come after somebody said something in between.
  const calls = toolCallsIn(newest)
  const within = (reply: readonly Message[]) => calls.filter(({ message }) => reply.includes(message))
  const found = shown
    ? within(shown.slice(from))
    : (replies.map(within).findLast(made => made.some(({ call }) => ids.has(call.toolCallId))) ?? [])
  return Map.groupBy(found, ({ call }) => call.toolCallId)
}

/** The page's id of a message, as `toUIMessages` gives it. */
export function nameOf({ externalId, id }: Message): string {
  return externalId ?? id
}

function repliesIn(messages: readonly Message[]): Message[][] {
  const replies: Message[][] = [[]]
  for (const message of messages)
    if (message.role === 'assistant' || message.role === 'tool') replies.at(-1)!.push(message)
    else replies.push([])
  return replies
}

/** Whoever was asked first has to allow the call before it has a result; one who refused it gave its result. */
function freshAnswers(given: readonly Answer[], call: AnsweredCall, { state }: ToolPart): Answer[] {
  if (call.result) return []
  const response = given.find(part => part.type === 'tool-approval-response')
  const result = given.find(part => part.type === 'tool-result')
  const isAsked = call.request !== null && call.request.approvalId === response?.approvalId
  const fresh: Answer[] = response && isAsked && !call.response ? [response] : []
  const approved =
    call.request && (call.response ?? (fresh[0] as ToolApprovalResponsePart | undefined))?.approved
  const isDenial = state === 'approval-responded' || state === 'output-denied'
  if (result && (call.request === null || approved === !isDenial))
    fresh.push(resultOf(result, call, isDenial ? response : undefined))
  return fresh
}

function resultOf(
  { output }: ToolResultPart,
  { call: { toolCallId, toolName } }: AnsweredCall,
  denial: (ToolApprovalResponsePart & { readonly reason?: string }) | undefined,
): ToolResultPart {
  const denied = { type: 'execution-denied', ...(denial?.reason !== undefined && { reason: denial.reason }) }
  return { type: 'tool-result', toolCallId, toolName, output: denial ? denied : output }
}

/** Two requests at once store it once. */
function idOf({ message, place }: AnsweredCall, [first]: readonly Answer[]): string {
  return `page:${message.seq}:${place}:${first!.type}`
}
