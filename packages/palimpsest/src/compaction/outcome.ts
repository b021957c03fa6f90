import type { FoldPlan } from '../policy/index.ts'
import type { Usage } from '../summarizer/index.ts'
import type { SpendGuardReport } from './spend-guard.ts'
import { addUsage } from './usage.ts'

/** How a fold ended. It is stored as the session's last outcome and passed to listeners. */
export interface FoldOutcome {
  readonly outcome: 'applied' | 'skipped' | 'failed'
  readonly type: string | null
  /** The reason for the decision. If the fold was skipped or failed: the reason for that. */
  readonly reason: string
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly segmentId: number | null
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly durationMs: number
  /**
   * The usage of all calls together, failed calls included. `null`: there were no calls, or the summariser
   * did not count.
   */
  readonly usage: Usage | null
  /** Problems that did not change how the fold ended. Each has a code and an explanation. */
  readonly warnings: readonly string[]
  /** The spend limit that kept the fold, or a part of it, from the model. Left out: none did. */
  readonly spendGuard?: SpendGuardReport
}

/** The fold had nothing to do, or could not begin. */
export function skipped(reason: string): FoldOutcome {
  return { ...NOTHING_DONE, reason }
}

/** The outcome of a plan, with the figures of the plan. */
export function outcomeOf(
  { decision, range }: FoldPlan,
  ended: Pick<FoldOutcome, 'outcome' | 'reason' | 'durationMs' | 'usage' | 'warnings' | 'spendGuard'>,
): FoldOutcome {
  return {
    ...NOTHING_DONE,
    type: decision.type,
    fromSeq: range?.fromSeq ?? null,
    toSeq: range?.toSeq ?? null,
    tokensBefore: range?.amount.tokens ?? 0,
    ...ended,
  }
}

/** Joins two folds in a row into one outcome, since a long backlog takes several folds. */
export function joinOutcomes(first: FoldOutcome, second: FoldOutcome): FoldOutcome {
  return {
    ...second,
    type: first.type,
    reason: first.reason,
    fromSeq: first.fromSeq,
    segmentId: first.segmentId,
    tokensBefore: first.tokensBefore + second.tokensBefore,
    tokensAfter: first.tokensAfter + second.tokensAfter,
    durationMs: first.durationMs + second.durationMs,
    usage: addUsage(first.usage, second.usage),
    warnings: [...new Set([...first.warnings, ...second.warnings])],
    ...spendGuardOf(second, first),
  }
}

/**
 * Adds the fold that ended a row of folds. Its usage and warnings count. The result stays that of the folds
 * before it.
 */
export function endOutcomes(done: FoldOutcome, last: FoldOutcome): FoldOutcome {
  const failed = last.outcome === 'failed' ? [`incomplete: ${last.reason}`] : []
  return {
    ...done,
    usage: addUsage(done.usage, last.usage),
    warnings: [...new Set([...done.warnings, ...last.warnings, ...failed])],
    ...spendGuardOf(last, done),
  }
}

/** The later report has the valid end of the limit. */
function spendGuardOf(later: FoldOutcome, earlier: FoldOutcome): Pick<FoldOutcome, 'spendGuard'> {
  const spendGuard = later.spendGuard ?? earlier.spendGuard
  return spendGuard ? { spendGuard } : {}
}

const NOTHING_DONE = {
  outcome: 'skipped',
  type: null,
  fromSeq: null,
  toSeq: null,
  segmentId: null,
  tokensBefore: 0,
  tokensAfter: 0,
  durationMs: 0,
  usage: null,
  warnings: [],
} as const

const CONFLICTS: readonly string[] = ['epoch_conflict', 'cursor_conflict', 'lease_lost']

/** History changed under the fold, or another process folds the session. The summariser did not fail. */
export function isConflict(reason: string): boolean {
  return CONFLICTS.includes(reason)
}
