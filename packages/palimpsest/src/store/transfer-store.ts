import type { Size } from '../log/index.ts'
import type { FileMessage, SessionFile } from './session-file.ts'
import type { SessionKey } from './session-key.ts'
import type { SessionRecord } from './session-store.ts'

/** Makes sessions out of others: forks, and files. */
export interface TransferStore {
  /**
   * Makes a new session with the visible messages through `atSeq`, under the same `seq`s. It keeps the folds,
   * except in two cases: `atSeq` lies inside the folded part, or it lies below a message that a window may
   * tell of. Then the new session starts unfolded. It appears whole or not at all. If the original is
   * rewritten meanwhile, the call fails with an `EpochConflictError`.
   */
  fork(key: SessionKey, change: { newId: string; atSeq: number; now: number }): Promise<SessionRecord>
  /**
   * Everything about a session, with hidden messages and versions. Of an erased message the file says only
   * that it was there.
   */
  exportSession(key: SessionKey): Promise<SessionFile>
  /**
   * Stores such a file; `exportSession` then gives the same file. The session appears whole or not at all.
   */
  importSession(
    key: SessionKey,
    file: SessionFile,
    options: { measure: (message: FileMessage) => Size; groupTurnMessages: number; now: number },
  ): Promise<void>
}
