import type { LayerName } from './document.ts'
import type { Erasable, ErasablePlace, ErasureRecord, ErasureTarget } from './erasure.ts'

/** What the list of erasures outside of the database needs, by which a restored backup erases again, and its files follow. */
export interface ErasureListStore {
  /** Gives an erasure that has none its id in the list; one that has an id keeps it. */
  nameErasure(namespace: string, request: { id: number; listId: string }): Promise<ErasureRecord>
  /** Those that erasures of any namespace have, done ones too. */
  readErasureListIds(): Promise<readonly string[]>
  /** The sessions that have the same messages by forks, the one that was asked for first. One that is not there is told as asked. */
  readFamily(
    namespace: string,
    messages: { readonly sessionId: string; readonly seqs: readonly number[] },
  ): Promise<readonly { readonly sessionId: string; readonly seqs: readonly number[] }[]>
  /** Everything that an erasure can be about, of all namespaces, page by page; the same may come several times. */
  listErasable(
    from: ErasablePlace,
  ): Promise<{ readonly found: readonly Erasable[]; readonly next: ErasablePlace | null }>
  /**
   * After a restore: the same for an erasure of a list that the backup does not have, as far as what it was about is there.
   * Where nothing of it is there (`found: null`, or a session or messages that are not), it is recorded as done: so it
   * is never carried out on what bears the name later.
   */
  repeatErasure(request: {
    found: { readonly namespace: string; readonly target: ErasureTarget } | null
    listId: string
    requestedAt: Date
  }): Promise<ErasureRecord>
  /** Their files have to be removed: they are written anew where the documents are there. */
  noteErasedDocuments(
    namespace: string,
    documents: readonly { layer: LayerName; key: string }[],
  ): Promise<void>
  /**
   * After a restore, where the files are known to have followed the erasures that were carried out again: these documents
   * and the lines that others lost are not in them, and what they say is newer than the database.
   */
  trustFiles(namespace: string, documents: readonly { layer: LayerName; key: string }[]): Promise<void>
}
