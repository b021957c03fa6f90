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

export function skipped(reason: string, type: string | null = null): FoldOutcome {
  return {
    outcome: 'skipped',
    type,
    reason,
    fromSeq: null,
    toSeq: null,
    segmentId: null,
    tokensBefore: 0,
    tokensAfter: 0,
    durationMs: 0,
  }
}
