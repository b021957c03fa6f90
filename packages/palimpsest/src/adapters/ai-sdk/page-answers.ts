import type { DynamicToolUIPart, ToolUIPart, UIMessage } from 'ai'
import { ApprovalRefusedError, InvalidArgumentError } from '../../errors.ts'
import {
  type AnsweredCall,
  type ApprovalDecision,
  type ApprovalRefusal,
  idOfAnswer,
  judgeApproval,
  type Message,
  type MessageInput,
  type ToolApprovalResponsePart,
  type ToolResultPart,
  toolCallsIn,
  waitingApprovals,
} from '../../log/index.ts'

type ToolPart = ToolUIPart | DynamicToolUIPart
type Answer = ToolApprovalResponsePart | ToolResultPart

/** The part of a session that a page can answer. */
export interface AnsweredLog {
  readonly sessionId: string
  readonly newest: readonly Message[]
  /** Contexts begin after this message; `null`: with the first. */
  readonly beginsAfter: number | null
}

/**
 * What a page says of tool calls and the log does not know yet: one message for each call. A page decides
 * only about calls that wait for it. Anything else that it says of the assistant's reply is ignored. If the
 * page holds only answers that no call waits for, this throws.
 */
export async function answersOfPage(
  message: UIMessage,
  { sessionId, newest, beginsAfter }: AnsweredLog,
  { convertToModelMessages, isToolUIPart }: typeof import('ai'),
): Promise<MessageInput[]> {
  const parts: readonly ToolPart[] = message.parts.filter(part => isToolUIPart(part))
  const calls = toolCallsIn(newest)
  const waiting = callsById(message, { parts, newest, calls })
  const answers: MessageInput[] = []
  const unknown: string[] = []
  const refused: { approvalId: string; reason: ApprovalRefusal }[] = []
  for (const part of parts) {
    const decision = decisionIn(part)
    const judged = decision && judgeApproval(calls, decision, beginsAfter)
    if (judged?.kind === 'refused') refused.push({ approvalId: decision!.approvalId, reason: judged.reason })
    const listed = waiting.get(part.toolCallId)?.shift()
    if (judged?.kind === 'repeated' || (judged?.kind === 'refused' && judged.reason !== 'unknown')) continue
    const call = judged?.kind === 'asked' ? judged.asked : listed
    const converted = await convertToModelMessages([{ role: 'assistant', parts: [part] }])
    const given = converted.flatMap(({ role, content }) => (role === 'tool' ? content : [])) as Answer[]
    if (given.length > 0 && !call && !decision) unknown.push(part.toolCallId)
    const fresh = call ? freshAnswers(given, call, part) : []
    if (call && fresh.length > 0)
      answers.push({
        role: 'tool',
        content: fresh,
        externalId: idOfAnswer(call, fresh),
        replyTo: call.message.seq,
      })
  }
  if (answers.length === 0 && refused.length > 0) {
    const waiting = waitingApprovals(calls, beginsAfter)
    throw new ApprovalRefusedError({ sessionId, ...refused[0]!, waiting })
  }
  if (answers.length === 0 && unknown.length > 0)
    throw new InvalidArgumentError('message', unknown.join(', '), 'answers to tool calls that are in the log')
  return answers
}

/**
 * The calls of the reply that the page shows, in order: of several calls with one id, the first comes first.
 * A page that saw a reply arrive has an id of its own for it, which is unknown here. Then it is the newest
 * reply with such a call.
 */
function callsById(
  { id }: UIMessage,
  {
    parts,
    newest,
    calls,
  }: {
    readonly parts: readonly ToolPart[]
    readonly newest: readonly Message[]
    /** All calls, since a result may have come after other messages. */
    readonly calls: readonly AnsweredCall[]
  },
): Map<string, AnsweredCall[]> {
  const ids = new Set(parts.map(({ toolCallId }) => toolCallId))
  const replies = repliesIn(newest)
  const shown = replies.find(reply => reply.some(each => nameOf(each) === id))
  const from = shown?.findIndex(each => nameOf(each) === id) ?? 0
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

/** A person who was asked has to allow a call before it can have a result. A refusal is itself the result. */
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

/** `null`: the page says nothing of an approval. */
function decisionIn(part: ToolPart): ApprovalDecision | null {
  if (part.state !== 'approval-responded') return null
  const { id, approved } = part.approval
  return { approvalId: id, approved }
}

/** Ids of approvals that a page answers and that are not among these messages: they are older. */
export function unknownApprovals(
  message: UIMessage,
  newest: readonly Message[],
  { isToolUIPart }: typeof import('ai'),
): string[] {
  const known = new Set(toolCallsIn(newest).map(({ request }) => request?.approvalId))
  const decisions = message.parts.flatMap(part => (isToolUIPart(part) ? (decisionIn(part) ?? []) : []))
  return decisions.map(({ approvalId }) => approvalId).filter(id => !known.has(id))
}
