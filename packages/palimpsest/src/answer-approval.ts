import { ApprovalRefusedError, InvalidArgumentError, PalimpsestError } from './errors.ts'
import { checkOptions, optionsOf } from './known-options.ts'
import {
  type ApprovalDecision,
  decisionParts,
  idOfAnswer,
  type JudgedApproval,
  judgeApproval,
  toolCallsIn,
  waitingApprovals,
} from './log/index.ts'
import type { Appended, Session } from './session.ts'

/** How many of the newest messages are searched for the request that the decision answers. */
export const MAX_APPROVALS_BACK = 1_000

const DECISION = optionsOf<ApprovalDecision>({ approvalId: true, approved: true, reason: true })

/** `chat` is bound to the session as it is now. */
export async function answerApproval(chat: Session, decision: ApprovalDecision): Promise<Appended> {
  checkDecision(decision)
  const judged = await judge(chat, decision)
  if (judged.kind === 'repeated') return chat.append([])
  const { asked } = judged
  const content = decisionParts(asked, decision)
  const { seq } = asked.message
  const answer = { role: 'tool' as const, content, externalId: idOfAnswer(asked, content), replyTo: seq }
  try {
    return await chat.append(answer, { follows: [seq] })
  } catch (error) {
    // Another caller was faster, with another decision or with the same one in another form.
    if (!PalimpsestError.isInstance(error) || error.code !== 'message_conflict') throw error
    await judge(chat, decision)
    return chat.append([])
  }
}

async function judge(
  chat: Session,
  decision: ApprovalDecision,
): Promise<Exclude<JudgedApproval, { kind: 'refused' }>> {
  const calls = toolCallsIn(await chat.messages({ from: 'newest', limit: MAX_APPROVALS_BACK }))
  const beginsAfter = (await chat.info())?.beginsAfter ?? null
  const judged = judgeApproval(calls, decision, beginsAfter)
  if (judged.kind !== 'refused') return judged
  const { approvalId } = decision
  const waiting = waitingApprovals(calls, beginsAfter)
  throw new ApprovalRefusedError({ sessionId: chat.id, approvalId, reason: judged.reason, waiting })
}

function checkDecision(decision: ApprovalDecision): void {
  checkOptions('answerApproval', decision, DECISION)
  const { approvalId, approved, reason } = decision
  if (typeof approvalId !== 'string' || approvalId === '')
    throw new InvalidArgumentError('approvalId', approvalId, 'the id of a request for approval')
  if (typeof approved !== 'boolean') throw new InvalidArgumentError('approved', approved, 'true or false')
  if (reason !== undefined && typeof reason !== 'string')
    throw new InvalidArgumentError('reason', reason, 'text')
}
