import type { FoldPlan } from '../policy/index.ts'

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
}

/** The fold had nothing to do, or could not begin. */
export function skipped(reason: string): FoldOutcome {
  return { ...NOTHING_DONE, reason }
}

/** What a plan came to, as far as the plan itself says. */
export function outcomeOf(
  { decision, range }: FoldPlan,
  ended: Pick<FoldOutcome, 'outcome' | 'reason' | 'durationMs'>,
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

const NOTHING_DONE = {
  outcome: 'skipped',
  type: null,
  fromSeq: null,
  toSeq: null,
  segmentId: null,
  tokensBefore: 0,
  tokensAfter: 0,
  durationMs: 0,
} as const

const CONFLICTS: readonly string[] = ['epoch_conflict', 'cursor_conflict', 'lease_lost']

/** History changed under a fold, or somebody else is at it: that is no failure of the summariser's. */
export function isConflict(reason: string): boolean {
  return CONFLICTS.includes(reason)
}
