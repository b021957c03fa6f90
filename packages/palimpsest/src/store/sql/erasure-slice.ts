import type { ErasurePlace, ErasureTarget } from '../erasure.ts'
import type { Warn } from '../store.ts'
import type { Dialect } from './driver.ts'
import type { Steps } from './steps.ts'

/** One short transaction of an erasure: its target, and how it reports what it did. */
export interface Slice {
  readonly id: number
  readonly namespace: string
  readonly target: ErasureTarget
  readonly now: number
  readonly dialect: Dialect
  readonly warn: Warn
  /** Counts erased things. */
  readonly count: (place: ErasurePlace, number: number) => void
  /**
   * Something that had this epoch, version or token loses its name. The next thing of that name gets a higher
   * one.
   */
  readonly exceed: (number: number) => void
}

/**
 * `next`: where to go on. `done`: the step is complete. `nothing`: there was nothing to do. Then nothing was
 * locked or written, and the next step may follow in the same transaction.
 */
export type Progress = { readonly next: unknown } | 'done' | 'nothing'

/**
 * One part of an erasure. It is called with `null` first, and then with the cursor that it returned last. The
 * call may come from this process or from another one, at any later time. The cursor is kept as JSON.
 */
export type ErasureStep = (slice: Slice, cursor: unknown) => Steps<Progress>

/** The owner of a session while the session is being erased. */
export function ownerOf({ id }: Pick<Slice, 'id'>): string {
  return `erasure/${id}`
}
