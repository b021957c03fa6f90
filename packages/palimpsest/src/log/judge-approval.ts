import type { Message, ToolApprovalResponsePart, ToolResultPart } from './message.ts'
import type { AnsweredCall } from './tool-calls.ts'

/** What a person says to a call that asked for approval. */
export interface ApprovalDecision {
  readonly approvalId: string
  readonly approved: boolean
  /** Told to the model where it is refused. */
  readonly reason?: string
}

/**
 * `unknown`: it was never asked here, or what asked it was erased or taken back. `answered`: with another word, or the
 * call has a result. `earlier_beginning`: what asked it lies before the newest beginning of the session.
 */
export type ApprovalRefusal = 'unknown' | 'answered' | 'earlier_beginning'

export type JudgedApproval =
  | { readonly kind: 'asked'; readonly asked: AnsweredCall }
  /** The same was said before: there is nothing to do. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'refused'; readonly reason: ApprovalRefusal }

/** `beginsAfter`: contexts begin after this message; `null`: with the first. */
export function judgeApproval(
  calls: readonly AnsweredCall[],
  { approvalId, approved }: ApprovalDecision,
  beginsAfter: number | null,
): JudgedApproval {
  const asked = calls.findLast(({ request }) => request?.approvalId === approvalId)
  if (!asked) return { kind: 'refused', reason: 'unknown' }
  const { response, result, message } = asked
  if (response?.approved === approved) return { kind: 'repeated' }
  if (response !== null || result !== null) return { kind: 'refused', reason: 'answered' }
  if (message.seq <= (beginsAfter ?? 0)) return { kind: 'refused', reason: 'earlier_beginning' }
  return { kind: 'asked', asked }
}

/** The ids of those that wait for a person's word. */
export function waitingApprovals(calls: readonly AnsweredCall[], beginsAfter: number | null): string[] {
  return calls.flatMap(({ request, response, result, message }) =>
    request && !response && !result && message.seq > (beginsAfter ?? 0) ? [request.approvalId] : [],
  )
}

/** What is stored of a decision: a call that was refused has its result with it. */
export function decisionParts(
  { call }: AnsweredCall,
  { approvalId, approved, reason }: ApprovalDecision,
): (ToolApprovalResponsePart | ToolResultPart)[] {
  const said = reason === undefined ? {} : { reason }
  const response = { type: 'tool-approval-response' as const, approvalId, approved, ...said }
  if (approved) return [response]
  const { toolCallId, toolName } = call
  return [
    response,
    { type: 'tool-result', toolCallId, toolName, output: { type: 'execution-denied', ...said } },
  ]
}

/** Two at once store it once, whichever way they came. */
export function idOfAnswer(
  { message, place }: Pick<AnsweredCall, 'place'> & { readonly message: Pick<Message, 'seq'> },
  [first]: readonly { readonly type: string }[],
): string {
  return `page:${message.seq}:${place}:${first!.type}`
}
