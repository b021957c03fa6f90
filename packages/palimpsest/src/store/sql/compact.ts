import type { Dialect, Driver } from './driver.ts'
import {
  type FactCursor,
  packAllDocuments,
  packAllSegments,
  type SegmentCursor,
  shortenKeys,
} from './pack-all.ts'
import { beginCompaction } from './packs.ts'
import type { Steps } from './steps.ts'
import { unpackingDriver } from './unpacking-driver.ts'

/**
 * Makes an older database compact. Once `layout` says so, programs of this version write in the compact
 * layout. These steps convert what was there before.
 */
export interface CompactionStep<Cursor = unknown> {
  /** The subject of the step, for a progress display: for example `texts`. */
  readonly name: string
  /**
   * One slice, in a transaction of its own. It is so short that other writers hardly wait. `null` as the
   * cursor starts at the beginning. Returns where to go on; `null`: that was all. Compact data is left as it
   * is, because an earlier run may have been stopped.
   */
  run(cursor: Cursor | null, dialect: Dialect): Steps<Cursor | null>
  /** The part that is done, from 0 to 1. */
  share?(cursor: Cursor): number
}

/** The steps for both databases. Each database has its own steps besides. */
export const SHARED_STEPS: readonly CompactionStep[] = [
  stepOf<FactCursor>({
    name: 'facts',
    run: cursor => shortenKeys(cursor ?? { document: 0, fact: 0 }),
  }),
  stepOf<SegmentCursor>({
    name: 'segments',
    run: (cursor, dialect) => packAllSegments(cursor ?? { session: 0, segment: 0 }, dialect),
  }),
  stepOf<number>({
    name: 'documents',
    run: (cursor, dialect) => packAllDocuments(cursor ?? 0, dialect),
  }),
]

/** Safe, because each step receives only its own cursors. */
function stepOf<Cursor>(step: CompactionStep<Cursor>): CompactionStep {
  return step as CompactionStep
}

interface CompactionProgress {
  readonly step: string
  /** The part of all steps that is done, from 0 to 1. */
  readonly share: number
}

export interface CompactionOptions {
  /** Checked between two slices. Finished slices stay done. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: CompactionProgress) => void
}

/** The size of a database before and after. */
export interface Compaction {
  readonly store: string
  readonly bytesBefore: number
  readonly bytesAfter: number
  readonly tookMs: number
}

/** Throws the signal's reason if it is aborted. The caller marks the end with `endCompaction`. */
export async function runCompaction(
  driver: Driver,
  steps: readonly CompactionStep[],
  { signal, onProgress }: CompactionOptions,
): Promise<void> {
  const unpacking = unpackingDriver(driver)
  await unpacking.write(beginCompaction)
  for (const [place, step] of steps.entries())
    for (let cursor: unknown = null; ; ) {
      signal?.throwIfAborted()
      const from = cursor
      cursor = await unpacking.write(() => step.run(from, driver.dialect))
      if (cursor === null) break
      const share = step.share?.(cursor) ?? 0
      onProgress?.({ step: step.name, share: (place + share) / steps.length })
    }
  signal?.throwIfAborted()
}
