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
 * What makes a database compact that was made before there was such a layout. Programs of this version write compactly
 * from the moment on that `layout` says so; these steps go through what was there.
 */
export interface CompactionStep<Cursor = unknown> {
  /** What it is about, for who watches: `texts`. */
  readonly name: string
  /**
   * One slice, in a transaction of its own and so short that others hardly wait for it. `null`: from the beginning. Answers
   * where to go on; `null`: that was all. What is compact already is left as it is: it may have been broken off before.
   */
  run(cursor: Cursor | null, dialect: Dialect): Steps<Cursor | null>
  /** How much of it is done, from 0 to 1. */
  share?(cursor: Cursor): number
}

/** For both databases. Each has steps of its own beside them. */
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

/** Each is only ever given a cursor of its own. */
function stepOf<Cursor>(step: CompactionStep<Cursor>): CompactionStep {
  return step as CompactionStep
}

interface CompactionProgress {
  readonly step: string
  /** Of all steps together, from 0 to 1. */
  readonly share: number
}

export interface CompactionOptions {
  /** Looked at between two slices: what is done by then stays done. */
  readonly signal?: AbortSignal
  readonly onProgress?: (progress: CompactionProgress) => void
}

/** What a database took before and takes now. */
export interface Compaction {
  readonly store: string
  readonly bytesBefore: number
  readonly bytesAfter: number
  readonly tookMs: number
}

/** Throws the signal's reason where it is broken off. Who calls it says that it is over (`endCompaction`). */
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
