import type { ErasurePlace, ErasureTarget } from '../erasure.ts'
import type { Warn } from '../store.ts'
import type { Dialect } from './driver.ts'
import type { Steps } from './steps.ts'

/** One short transaction of an erasure: what it is about, and what it tells of. */
export interface Slice {
  readonly id: number
  readonly namespace: string
  readonly target: ErasureTarget
  readonly now: number
  readonly dialect: Dialect
  readonly warn: Warn
  /** So many were erased. */
  readonly count: (place: ErasurePlace, number: number) => void
  /** Something is taken away under its name that had this epoch, version or token: what bears the name next has a higher one. */
  readonly exceed: (number: number) => void
}

/**
 * `next`: where to go on. `done`: that was the last of it. `nothing`: there was none of it, nothing was locked or
 * written, and the next step may follow in the same transaction.
 */
export type Progress = { readonly next: unknown } | 'done' | 'nothing'

/**
 * One part of what an erasure does. It is called with `null` first and then with what it said last, by this process
 * or by another one, any time later; the cursor is kept as JSON.
 */
export type ErasureStep = (slice: Slice, cursor: unknown) => Steps<Progress>

/** Who a session belongs to while it is being erased. */
export function ownerOf({ id }: Pick<Slice, 'id'>): string {
  return `erasure/${id}`
}
