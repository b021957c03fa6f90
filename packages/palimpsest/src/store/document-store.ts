import type {
  DocumentKey,
  DocumentRecord,
  DocumentVersion,
  DocumentWrite,
  Fact,
  LayerName,
} from './document.ts'

/** Memory documents, with their versions and facts. */
export interface DocumentStore {
  /** `null`: there is no such document. */
  readDocument(key: DocumentKey): Promise<DocumentRecord | null>
  /** Documents without their contents, in the order of layer and key. Only those above `after` are listed. */
  listDocuments(
    namespace: string,
    page: { layer?: LayerName; after?: { layer: LayerName; key: string }; limit: number },
  ): Promise<readonly Omit<DocumentRecord, 'content'>[]>
  /**
   * Changes all of these documents or none. A document of a chat needs its session, or the call fails with a
   * `SessionNotFoundError`. Each change makes a new version, unless the content stays the same. Writers of
   * one document wait for each other, so no write is lost. The answer holds the documents as they are
   * afterwards; `null`: there is no document.
   */
  changeDocuments(writes: readonly DocumentWrite[]): Promise<readonly (DocumentRecord | null)[]>
  /** The newest version comes first. Only versions below `before` are listed. */
  readDocumentVersions(
    key: DocumentKey,
    page: { before?: number; limit: number },
  ): Promise<readonly DocumentVersion[]>
  /** In the order in which they came. `current`: only facts whose line still stands in the document. */
  readFacts(key: DocumentKey, which: 'current' | 'all'): Promise<readonly Fact[]>
}
