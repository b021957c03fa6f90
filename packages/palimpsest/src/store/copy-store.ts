import type {
  CopyImport,
  CopyPage,
  CopyPlace,
  CopyReceipt,
  CopyRow,
  CopyState,
  NamespaceCount,
} from './copying.ts'
import type { DocumentKey } from './document.ts'
import type { SessionKey } from './session-key.ts'

/** Everything that a database holds, for another store. */
export interface CopyStore {
  /** Namespaces that hold anything, in ascending order of their bytes, those above `after`. */
  listNamespaces(page: { after?: string; limit: number }): Promise<readonly NamespaceCount[]>
  /** `null` where there is none. It costs the same however long the session is. */
  readCopyState(key: SessionKey): Promise<CopyState | null>
  /**
   * A page of all that a session is, for another store; `null`: the first. Pages are parts of one whole, as it was
   * when the last one was read: what is added meanwhile is in it; if it is rewritten meanwhile, it is an
   * `EpochConflictError`.
   */
  readCopyPage(key: SessionKey, place: CopyPlace | null): Promise<CopyPage>
  /**
   * The reverse: the session has then the same pages, figures and times included; where something of its name was
   * erased here, with higher epochs and versions. It appears whole or not at all. One that was broken off is gone on
   * with if the epoch of the original is still the same; of two at once the first fails with a `LeaseLostError`. A
   * session of this name that is not the one to be replaced is a `SessionExistsError`. Searching it is slower until
   * it is indexed.
   */
  importCopy(key: SessionKey, copy: CopyImport): Promise<CopyReceipt>
  /** Notes that a copy was read again and has this hash. */
  noteVerified(key: SessionKey, hash: string): Promise<void>
  /** All that a document is; `null` where there is none. */
  readDocumentCopy(key: DocumentKey): Promise<readonly CopyRow[] | null>
  /**
   * The reverse, for a document that belongs to no session, in place of the one with this hash (`null`: there is
   * none); if it is another one, it is a `DocumentConflictError`. The sessions that it learned from come first.
   */
  importDocumentCopy(
    key: DocumentKey,
    copy: { rows: readonly CopyRow[]; replaces: string | null; now: number },
  ): Promise<void>
}
