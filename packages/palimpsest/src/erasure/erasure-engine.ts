import type { ErasureRecord, Store } from '../store/index.ts'
import type { Logger } from '../telemetry.ts'
import type { RebuildAllEngine } from './rebuild.ts'

export interface ErasureEngine extends Omit<RebuildAllEngine, 'store'> {
  readonly store: Store
  /** The name of this process in its leases. */
  readonly owner: string
  readonly clock: () => number
  /** The file with the list of erasures. `null`: none is kept. */
  readonly erasedList: string | null
  readonly onError: (error: unknown, details: { readonly sessionId: string }) => void
  readonly logger?: Logger | undefined
  /** Called with the progress of each erasure. */
  readonly onErasure?: ((progress: ErasureProgress) => void) | undefined
}

/** Numbers only, never the target. */
export type ErasureProgress = Pick<ErasureRecord, 'id' | 'stage' | 'counts'>

/** The files that mirror memory. */
export interface ErasureFiles {
  /** Reads the edits of people. */
  sync(): Promise<unknown>
  /** The number of files that were changed, and of documents that still wait. */
  followErasures(): Promise<{ readonly files: number; readonly left: number }>
}

/** Moves an erasure from one stage to the next. */
export type Advance = (
  record: ErasureRecord,
  from: 'rebuilding' | 'files' | 'scrubbing',
  counts?: ErasureRecord['counts'],
) => Promise<ErasureRecord>
