import type { Message, ToolApprovalResponsePart, ToolResultPart } from './message.ts'
import type { AnsweredCall } from './tool-calls.ts'

/** What a person answers to a call that asked for approval. */
export interface ApprovalDecision {
  readonly approvalId: string
  readonly approved: boolean
  /** Told to the model if the call is refused. */
  readonly reason?: string
}

/**
 * `unknown`: no call asked for it here, or the call was erased or taken back. `answered`: the opposite was
 * decided before, or the call has a result. `earlier_beginning`: the call lies before the newest beginning of
 * the session.
 */
export type ApprovalRefusal = 'unknown' | 'answered' | 'earlier_beginning'

export type JudgedApproval =
  | { readonly kind: 'asked'; readonly asked: AnsweredCall }
  /** The same decision was stored before, so there is nothing to do. */
  | { readonly kind: 'repeated' }
  | { readonly kind: 'refused'; readonly reason: ApprovalRefusal }

/** `beginsAfter`: contexts begin after this message. `null`: they begin with the first message. */
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

/** The ids of the approvals that wait for a person's decision. */
export function waitingApprovals(calls: readonly AnsweredCall[], beginsAfter: number | null): string[] {
  return calls.flatMap(({ request, response, result, message }) =>
    request && !response && !result && message.seq > (beginsAfter ?? 0) ? [request.approvalId] : [],
  )
}

/** The parts that are stored for a decision. A refused call gets its result at the same time. */
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

/**
 * The external id of an answer. Two answers at once get the same id, so one is stored, whichever way they
 * came.
 */
export function idOfAnswer(
  { message, place }: Pick<AnsweredCall, 'place'> & { readonly message: Pick<Message, 'seq'> },
  [first]: readonly { readonly type: string }[],
): string {
  return `page:${message.seq}:${place}:${first!.type}`
}
