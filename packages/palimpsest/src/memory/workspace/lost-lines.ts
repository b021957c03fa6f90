import type { DocumentStore, MirrorState, Store } from '../../store/index.ts'

type VersionReader = Pick<DocumentStore, 'readDocumentVersions'>

/**
 * What its file last said is gone from the database: an erasure took lines away, with all versions that had
 * them, and the file may still have them. Nothing else takes versions away.
 */
export async function hasLostLines(
  documents: VersionReader,
  namespace: string,
  state: MirrorState,
): Promise<boolean> {
  // Where nothing is known of the file, it may be of any version.
  const mirrored = Math.max(1, state.mirroredVersion)
  if (mirrored >= state.version) return false
  const { layer, key } = state
  const versions = await documents.readDocumentVersions(
    { namespace, layer, key },
    { before: mirrored + 1, limit: 1 },
  )
  return versions.length === 0
}

/** So many that are behind are looked at: where there are more, some of them are counted later. */
const MAX_BEHIND = 1_000

/** How many documents may still have in their files what was erased: such as are gone, and such as lost lines. */
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
