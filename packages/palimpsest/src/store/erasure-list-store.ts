import type { LayerName } from './document.ts'
import type { Erasable, ErasablePlace, ErasureRecord, ErasureTarget } from './erasure.ts'

/**
 * Serves the list of erasures that is kept outside of the database. With this list, a restored backup carries
 * out its erasures again, and the files of the workspace follow.
 */
export interface ErasureListStore {
  /** Gives an erasure its id in the list. An erasure that has an id keeps it. */
  nameErasure(namespace: string, request: { id: number; listId: string }): Promise<ErasureRecord>
  /** The list ids of the erasures of all namespaces. Erasures that are done count too. */
  readErasureListIds(): Promise<readonly string[]>
  /**
   * All sessions that hold the same messages because of forks. The session of the request comes first. If
   * that session is not there, the answer repeats the request.
   */
  readFamily(
    namespace: string,
    messages: { readonly sessionId: string; readonly seqs: readonly number[] },
  ): Promise<readonly { readonly sessionId: string; readonly seqs: readonly number[] }[]>
  /**
   * Everything that an erasure can be about, in all namespaces, page by page. The same entry may come several
   * times.
   */
  listErasable(
    from: ErasablePlace,
  ): Promise<{ readonly found: readonly Erasable[]; readonly next: ErasablePlace | null }>
  /**
   * For use after a restore: begins an erasure of the list again, if the backup does not have it, for what is
   * still there. If nothing of its target is there (`found: null`, or a session or messages that do not
   * exist), the erasure is recorded as done. So it is never carried out on something that gets the same name
   * later.
   */
  repeatErasure(request: {
    found: { readonly namespace: string; readonly target: ErasureTarget } | null
    listId: string
    requestedAt: Date
  }): Promise<ErasureRecord>
  /**
   * Notes that the files of these documents must be removed. If a document is there, its file is written
   * anew.
   */
  noteErasedDocuments(
    namespace: string,
    documents: readonly { layer: LayerName; key: string }[],
  ): Promise<void>
  /**
   * For use after a restore, when the files are known to have followed the erasures that were carried out
   * again. These documents are not in the files. The lines that other documents lost are not in them either.
   * What the files say is newer than the database.
   */
  trustFiles(namespace: string, documents: readonly { layer: LayerName; key: string }[]): Promise<void>
}
