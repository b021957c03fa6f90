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
  /** `null` where there is none. */
  readDocument(key: DocumentKey): Promise<DocumentRecord | null>
  /** Without their contents, in order of layer and key, those above `after`. */
  listDocuments(
    namespace: string,
    page: { layer?: LayerName; after?: { layer: LayerName; key: string }; limit: number },
  ): Promise<readonly Omit<DocumentRecord, 'content'>[]>
  /**
   * Changes documents, all or none; those of a chat need its session, or a `SessionNotFoundError`. A new
   * version each, unless the content stays the same. Writers of one document wait for each other, so none
   * is lost. Answers with the documents as they are then; `null`: there is none.
   */
  changeDocuments(writes: readonly DocumentWrite[]): Promise<readonly (DocumentRecord | null)[]>
  /** Newest first, those below `before`. */
  readDocumentVersions(
    key: DocumentKey,
    page: { before?: number; limit: number },
  ): Promise<readonly DocumentVersion[]>
  /** In the order in which they came. `current`: those whose line still stands in the document. */
  readFacts(key: DocumentKey, which: 'current' | 'all'): Promise<readonly Fact[]>
}
