import type { ErasureRecord, Store } from '../store/index.ts'
import type { Logger } from '../telemetry.ts'
import type { RebuildAllEngine } from './rebuild.ts'

export interface ErasureEngine extends Omit<RebuildAllEngine, 'store'> {
  readonly store: Store
  /** This process, in the leases that it holds. */
  readonly owner: string
  readonly clock: () => number
  /** The file with the list of what was erased; `null`: none is kept. */
  readonly erasedList: string | null
  readonly onError: (error: unknown, details: { readonly sessionId: string }) => void
  readonly logger?: Logger | undefined
  /** Hears how far each erasure is. */
  readonly onErasure?: ((progress: ErasureProgress) => void) | undefined
}

/** Numbers; never whom it is about. */
export type ErasureProgress = Pick<ErasureRecord, 'id' | 'stage' | 'counts'>

/** The files that memory is mirrored in. */
export interface ErasureFiles {
  /** Reads what a person wrote there. */
  sync(): Promise<unknown>
  /** How many files were changed, and for how many documents that is still to be done. */
  followErasures(): Promise<{ readonly files: number; readonly left: number }>
}

/** From one stage to the next. */
export type Advance = (
  record: ErasureRecord,
  from: 'rebuilding' | 'files' | 'scrubbing',
  counts?: ErasureRecord['counts'],
) => Promise<ErasureRecord>
