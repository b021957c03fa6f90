import type { FrozenContext } from '../contexts.ts'
import type { AnsweredCall, Message } from '../log/index.ts'
import { runInSlices } from '../slices.ts'
import { measureMessageInSteps } from '../tokens/index.ts'
import {
  type DecidedCalls,
  decidedCalls,
  groupedByMessage,
  type OpenApproval,
  openApprovals,
  sentBeside,
  type TurnApproval,
} from './approvals.ts'
import { scaleOf } from './asked.ts'

export interface SettledApprovals {
  readonly approvals: readonly TurnApproval[]
  /** The calls that this turn carries out. */
  readonly decided: readonly DecidedCalls[]
}

export interface ApprovalsHost {
  /** The newest visible messages of the log, or only the message with this number. */
  readLog(seq?: number): Promise<readonly Message[]>
  /** `false`: another turn of this process carries it out. */
  claimApproval(approvalId: string): boolean
  releaseApprovals(approvalIds: readonly string[]): void
}

const NOTHING_SETTLED: SettledApprovals = { approvals: [], decided: [] }

/**
 * Settles the persons' words that this turn is the first to hear. A call is claimed first and looked up after
 * that. So if another turn ran it meanwhile, its result is already stored when we look.
 */
export async function settleApprovals(
  { newest, context }: FrozenContext,
  host: ApprovalsHost,
): Promise<SettledApprovals> {
  const open = openApprovals(newest)
  if (open.length === 0) return NOTHING_SETTLED
  const claimed = new Set(open.filter(({ response }) => host.claimApproval(response.approvalId)))
  const log = await logWith(open, host)
  const calls = decidedCalls(log, open)
  const outcomes = new Map<OpenApproval, TurnApproval['outcome'] | null>()
  const ids = new Set<string>()
  for (const approval of open.toReversed()) {
    const found = calls.get(approval)
    const outcome = outcomeOf({ found, isClaimed: claimed.has(approval), ids, context })
    if (found && outcome === 'carried_out') ids.add(found.call.call.toolCallId)
    outcomes.set(approval, outcome)
  }
  const carriedOut = () =>
    [...outcomes].flatMap(([approval, outcome]) =>
      outcome === 'carried_out' ? [calls.get(approval)!.call] : [],
    )
  const tooLarge = await withoutRoom(groupedByMessage(log, carriedOut()), context)
  for (const [approval, outcome] of outcomes)
    if (outcome === 'carried_out' && tooLarge.has(approval.response.approvalId))
      outcomes.set(approval, 'no_room')
  host.releaseApprovals(
    [...claimed].flatMap(approval =>
      outcomes.get(approval) === 'carried_out' ? [] : [approval.response.approvalId],
    ),
  )
  return {
    approvals: open.flatMap(approval => toApproval(approval, outcomes.get(approval), calls.get(approval))),
    decided: groupedByMessage(log, carriedOut()),
  }
}

/** The newest messages, and the older message with the call where the person's word points to one. */
async function logWith(open: readonly OpenApproval[], host: ApprovalsHost): Promise<readonly Message[]> {
  const newest = await host.readLog()
  const found = decidedCalls(newest, open)
  const older = new Map<number, Message>()
  for (const approval of open) {
    const { askedSeq } = approval
    if (found.has(approval) || askedSeq === null || askedSeq >= (newest[0]?.seq ?? 0)) continue
    for (const message of await host.readLog(askedSeq)) older.set(message.seq, message)
  }
  return [...[...older.values()].sort((one, other) => one.seq - other.seq), ...newest]
}

/** A call that the context does not show is sent whole, beside everything that the context shows. */
async function withoutRoom(
  groups: readonly DecidedCalls[],
  context: FrozenContext['context'],
): Promise<ReadonlySet<string>> {
  const ids = new Set<string>()
  let left = context.report.budget - context.report.tokens
  for (const group of groups.toReversed()) {
    const content = sentBeside(context, group)
    if (content === null) continue
    const { tokens } = await runInSlices(measureMessageInSteps({ content, sender: null }))
    left -= Math.ceil(tokens * scaleOf(context))
    if (left < 0) for (const { request } of group.decided) ids.add(request!.approvalId)
  }
  return ids
}

type Found = { readonly call: AnsweredCall; readonly isOpen: boolean }

/** `null`: there is nothing to do and nothing to tell. */
function outcomeOf({
  found,
  isClaimed,
  ids,
  context,
}: {
  readonly found: Found | undefined
  readonly isClaimed: boolean
  readonly ids: ReadonlySet<string>
  readonly context: FrozenContext['context']
}): TurnApproval['outcome'] | null {
  if (!found || found.call.message.seq <= (context.report.beginsAfter ?? 0)) return 'gone'
  if (!isClaimed) return 'under_way'
  if (!found.isOpen) return null
  return ids.has(found.call.call.toolCallId) ? 'same_id' : 'carried_out'
}

function toApproval(
  { response: { approvalId } }: OpenApproval,
  outcome: TurnApproval['outcome'] | null | undefined,
  found: Found | undefined,
): TurnApproval[] {
  if (!outcome) return []
  const { toolCallId = null, toolName = null } = found?.call.call ?? {}
  return [{ approvalId, toolCallId, toolName, outcome }]
}
