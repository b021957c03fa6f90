import type { LayerName, MirrorState } from './document.ts'

/** How far the files of a workspace are with what the documents say. */
export interface MirrorStore {
  /** Documents whose file is behind, in no particular order. */
  listUnmirrored(namespace: string, page: { limit: number }): Promise<readonly MirrorState[]>
  /** Of these documents, in the order asked for; `null`: there is none. */
  readMirrorStates(
    namespace: string,
    documents: readonly { layer: LayerName; key: string }[],
  ): Promise<readonly (MirrorState | null)[]>
  /** All daily documents of a day, in order of the session's id. */
  readDay(namespace: string, day: string): Promise<readonly MirrorState[]>
  /** Notes that a document's file says what this version says. */
  noteMirrored(
    namespace: string,
    states: readonly { layer: LayerName; key: string; version: number; hash: string }[],
  ): Promise<void>
  /** The folder that the files are in: with another one, every document counts as not mirrored. */
  setMirrorFolder(namespace: string, folder: string): Promise<void>
  /** `null`: the namespace has never been mirrored. */
  readMirrorFolder(namespace: string): Promise<string | null>
  /** Documents that are gone and whose files may not be. */
  listErasedDocuments(namespace: string): Promise<readonly { layer: LayerName; key: string }[]>
  /** Their files are gone, too. */
  forgetErasedDocuments(
    namespace: string,
    documents: readonly { layer: LayerName; key: string }[],
  ): Promise<void>
}
