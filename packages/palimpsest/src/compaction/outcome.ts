import type { FoldPlan } from '../policy/index.ts'
import type { Usage } from '../summarizer/index.ts'
import type { SpendGuardReport } from './spend-guard.ts'
import { addUsage } from './usage.ts'

/** How a fold ended. Stored as the session's last outcome, and told to whoever listens. */
export interface FoldOutcome {
  readonly outcome: 'applied' | 'skipped' | 'failed'
  readonly type: string | null
  /** Why it was decided; for one that was skipped or failed, why it was not done. */
  readonly reason: string
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly segmentId: number | null
  readonly tokensBefore: number
  readonly tokensAfter: number
  readonly durationMs: number
  /** Of all calls together, those that failed too; `null`: there were none, or nobody counted. */
  readonly usage: Usage | null
  /** What is odd about it, though it ended as it says: a code, and what it means. */
  readonly warnings: readonly string[]
  /** The limit on spending for which it was made, in whole or in part, without the model; left out: for none. */
  readonly spendGuard?: SpendGuardReport
}

/** The fold had nothing to do, or could not begin. */
export function skipped(reason: string): FoldOutcome {
  return { ...NOTHING_DONE, reason }
}

/** What a plan came to, as far as the plan itself says. */
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

/** Two folds, one after the other, as one: a long backlog takes several. */
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

/** One that ended a row of folds: what was done stays done, what the last one took counts in. */
export function endOutcomes(done: FoldOutcome, last: FoldOutcome): FoldOutcome {
  const failed = last.outcome === 'failed' ? [`incomplete: ${last.reason}`] : []
  return {
    ...done,
    usage: addUsage(done.usage, last.usage),
    warnings: [...new Set([...done.warnings, ...last.warnings, ...failed])],
    ...spendGuardOf(last, done),
  }
}

/** The later one says until when it holds. */
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

/** History changed under a fold, or somebody else is at it: that is no failure of the summariser's. */
export function isConflict(reason: string): boolean {
  return CONFLICTS.includes(reason)
}
