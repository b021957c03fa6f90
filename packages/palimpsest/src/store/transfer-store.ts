import type { Size } from '../log/index.ts'
import type { FileMessage, SessionFile } from './session-file.ts'
import type { SessionKey } from './session-key.ts'
import type { SessionRecord } from './session-store.ts'

/** Sessions that become others: forks, and files. */
export interface TransferStore {
  /**
   * A new session with the visible messages through `atSeq`, under the same `seq`s. It keeps the folds
   * unless `atSeq` lies inside the folded part, or below what a window may tell of: then it starts unfolded. It
   * appears whole or not at all;
   * a rewriting of the original meanwhile is an `EpochConflictError`.
   */
  fork(key: SessionKey, change: { newId: string; atSeq: number; now: number }): Promise<SessionRecord>
  /** Everything about a session, hidden messages and versions included; of erased ones, that they were there. */
  exportSession(key: SessionKey): Promise<SessionFile>
  /** The reverse: `exportSession` then gives the same file. It appears whole or not at all. */
  importSession(
    key: SessionKey,
    file: SessionFile,
    options: { measure: (message: FileMessage) => Size; groupTurnMessages: number; now: number },
  ): Promise<void>
}
