import type { SpendGuardReport } from './compaction/index.ts'
import type { FoldEvent } from './store/index.ts'
import type { Usage } from './summarizer/index.ts'

/** A fold as the history of a session shows it. `null`: an older version did not note the value. */
export interface FoldRecord {
  /** The value of `before` for the next page. */
  readonly id: string
  readonly at: Date
  readonly outcome: 'applied' | 'failed'
  readonly type: string | null
  readonly reason: string | null
  /** `null`: no message was folded, for example when only the memo was brought up to date. */
  readonly fromSeq: number | null
  readonly toSeq: number | null
  /** The newest message of the log when the fold was decided. */
  readonly throughSeq: number | null
  readonly tokensBefore: number | null
  readonly tokensAfter: number | null
  readonly durationMs: number | null
  readonly usage: Usage | null
  /** The spending limit that kept the model from being asked. `null`: none did. */
  readonly spendGuard: SpendGuardReport | null
  readonly segmentIds: readonly number[]
}

export function toFoldRecord({ id, at, outcome, fromSeq, toSeq, data }: FoldEvent): FoldRecord {
  const text = (name: string) => (typeof data[name] === 'string' ? data[name] : null)
  const number = (name: string) => (typeof data[name] === 'number' ? data[name] : null)
  return {
    id: String(id),
    at,
    outcome,
    type: text('type'),
    reason: text('reason'),
    fromSeq,
    toSeq,
    throughSeq: number('throughSeq'),
    tokensBefore: number('tokensBefore'),
    tokensAfter: number('tokensAfter'),
    durationMs: number('durationMs'),
    usage: (data['usage'] ?? null) as Usage | null,
    spendGuard: (data['spendGuard'] ?? null) as SpendGuardReport | null,
    segmentIds: (data['segmentIds'] ?? []) as readonly number[],
  }
}

const FOLD_ID = /^[1-9]\d{0,14}$/

export const FOLD_ID_RULE = 'the id of a fold'

/** `null`: the text is no fold id. */
export function readFoldId(written: string): number | null {
  return FOLD_ID.test(written) ? Number(written) : null
}
