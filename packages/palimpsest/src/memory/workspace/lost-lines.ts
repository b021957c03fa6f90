import type { DocumentStore, MirrorState, Store } from '../../store/index.ts'

type VersionReader = Pick<DocumentStore, 'readDocumentVersions'>

/**
 * Whether the version that the file last had is gone from the database. Then an erasure removed lines with
 * all versions that had them, and the file may still have these lines. Only an erasure removes versions.
 */
export async function hasLostLines(
  documents: VersionReader,
  namespace: string,
  state: MirrorState,
): Promise<boolean> {
  // If no version of the file is known, the file may have any version.
  const mirrored = Math.max(1, state.mirroredVersion)
  if (mirrored >= state.version) return false
  const { layer, key } = state
  const versions = await documents.readDocumentVersions(
    { namespace, layer, key },
    { before: mirrored + 1, limit: 1 },
  )
  return versions.length === 0
}

/** So many documents that are behind are checked. If there are more, the rest is counted later. */
const MAX_BEHIND = 1_000

/**
 * The number of documents whose files may still have erased text: erased documents, and documents that lost
 * lines.
 */
export async function countFilesBehindErasures(
  store: Pick<Store, 'documents' | 'mirror'>,
  namespace: string,
): Promise<number> {
  const gone = await store.mirror.listErasedDocuments(namespace)
  const behind = await store.mirror.listUnmirrored(namespace, { limit: MAX_BEHIND })
  let count = gone.length
  for (const state of behind)
    if (state.mirroredVersion > 0 && (await hasLostLines(store.documents, namespace, state))) count++
  return count
}
