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

/** Reads everything that a database holds, for another store, and writes it there. */
export interface CopyStore {
  /**
   * The namespaces that hold anything, in ascending order of their bytes. Only those above `after` are
   * listed.
   */
  listNamespaces(page: { after?: string; limit: number }): Promise<readonly NamespaceCount[]>
  /** `null`: there is no such session. The call costs the same for a session of any length. */
  readCopyState(key: SessionKey): Promise<CopyState | null>
  /**
   * One page of everything that a session holds, for another store. Place `null`: the first page. All pages
   * are parts of one whole: the session as it was when the last page was read. What is added meanwhile is in
   * it. If the session is rewritten meanwhile, the call fails with an `EpochConflictError`.
   */
  readCopyPage(key: SessionKey, place: CopyPlace | null): Promise<CopyPage>
  /**
   * Writes the pages of `readCopyPage`. Afterwards the session has the same pages, with the same figures and
   * times. If something of the same name was erased in this store, its epochs and versions are higher. The
   * session appears whole or not at all. A copy that was interrupted is continued if the epoch of the
   * original is still the same. If two copies of the same session run at once, the first one fails with a
   * `LeaseLostError`. If another session has this name, and it is not the one to be replaced, the call fails
   * with a `SessionExistsError`. A search in the session is slower until the session is indexed.
   */
  importCopy(key: SessionKey, copy: CopyImport): Promise<CopyReceipt>
  /** Notes that the copy was read again and has this hash. */
  noteVerified(key: SessionKey, hash: string): Promise<void>
  /** Everything that a document holds. `null`: there is no such document. */
  readDocumentCopy(key: DocumentKey): Promise<readonly CopyRow[] | null>
  /**
   * Writes the rows of `readDocumentCopy`, for a document that belongs to no session. It takes the place of
   * the document with the hash `replaces` (`null`: there is no document yet). If the document is another one,
   * the call fails with a `DocumentConflictError`. The sessions that the document learned from must be copied
   * before it.
   */
  importDocumentCopy(
    key: DocumentKey,
    copy: { rows: readonly CopyRow[]; replaces: string | null; now: number },
  ): Promise<void>
}
