import type { LayerName, MirrorState } from './document.ts'

/** Notes how far the files of a workspace follow the documents. */
export interface MirrorStore {
  /** The documents whose file is behind, in no particular order. */
  listUnmirrored(namespace: string, page: { limit: number }): Promise<readonly MirrorState[]>
  /** The states of these documents, in the order of the request. `null`: there is no such document. */
  readMirrorStates(
    namespace: string,
    documents: readonly { layer: LayerName; key: string }[],
  ): Promise<readonly (MirrorState | null)[]>
  /** All daily documents of a day, in the order of the session's id. */
  readDay(namespace: string, day: string): Promise<readonly MirrorState[]>
  /** Notes that the file of a document has the content of this version. */
  noteMirrored(
    namespace: string,
    states: readonly { layer: LayerName; key: string; version: number; hash: string }[],
  ): Promise<void>
  /** Sets the folder of the files. When the folder changes, every document counts as not mirrored. */
  setMirrorFolder(namespace: string, folder: string): Promise<void>
  /** `null`: the namespace has never been mirrored. */
  readMirrorFolder(namespace: string): Promise<string | null>
  /** The documents that are gone and whose files may still be there. */
  listErasedDocuments(namespace: string): Promise<readonly { layer: LayerName; key: string }[]>
  /** Notes that the files of these documents are gone too. */
  forgetErasedDocuments(
    namespace: string,
    documents: readonly { layer: LayerName; key: string }[],
  ): Promise<void>
}
