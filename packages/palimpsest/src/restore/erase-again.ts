import type { Palimpsest } from '../palimpsest.ts'
import type { ErasureRecord, LayerName, Store } from '../store/index.ts'
import { documentsInFolder } from './documents-in-folder.ts'
import { namespacesIn, type PlannedErasure } from './plan-erasures.ts'

export interface AgainOptions {
  readonly store: Store
  readonly planned: readonly PlannedErasure[]
  /** The erasures that the workspace's files already reflect, by their ids in the list. */
  readonly filesDone: ReadonlySet<string>
  /**
   * Opens an instance on the store. The instance does not close the store. Errors in the background go to
   * `onError`.
   */
  readonly open: (namespace: string, onError: (error: unknown) => void) => Promise<Palimpsest>
  readonly onProgress?: (progress: AgainProgress) => void
  /** Throws if the restore has to end. */
  readonly check?: () => void
}

export interface AgainProgress {
  readonly done: number
  readonly total: number
}

/** The files of a namespace whose memory is mirrored in a folder. */
export interface FilesAfterRestore {
  readonly namespace: string
  readonly folder: string
  /**
   * `trusted`: the files reflect all erasures, so their content is taken as newer. `anew`: they may hold
   * erased text; the next process with the folder writes them anew. `not here`: the same, and this program
   * could not look for files that the database does not know.
   */
  readonly state: 'trusted' | 'anew' | 'not here'
}

const POLL_MS = 50

/**
 * Carries out erasures again, with the same engine as the first time, until only steps of an operator or of a
 * process with the workspace are left. An erasure without a target is recorded as done.
 */
export async function eraseAgain(options: AgainOptions): Promise<readonly FilesAfterRestore[]> {
  const { store, planned, check } = options
  const namespaces = await namespacesIn(store)
  const before = new Map<string, readonly ErasureRecord[]>()
  for (const namespace of namespaces) before.set(namespace, await store.erasure.listOpenErasures(namespace))
  for (const { found, line } of planned) {
    check?.()
    const [listId, requestedAt] = [line.id, new Date(line.at)]
    if (found.length === 0) await store.erasureList.repeatErasure({ found: null, listId, requestedAt })
    for (const each of found) await store.erasureList.repeatErasure({ found: each, listId, requestedAt })
  }
  const files: FilesAfterRestore[] = []
  for (const namespace of namespaces) {
    const again = planned.filter(each => each.namespace === namespace)
    const open = before.get(namespace)!
    if (open.length + again.length === 0) continue
    const settled = await settleNamespace(namespace, { again, open }, options)
    if (settled) files.push(settled)
  }
  return files
}

async function settleNamespace(
  namespace: string,
  { again, open }: { again: readonly PlannedErasure[]; open: readonly ErasureRecord[] },
  options: AgainOptions,
): Promise<FilesAfterRestore | null> {
  const { store, filesDone } = options
  const folder = await store.mirror.readMirrorFolder(namespace)
  await carryOn(namespace, options, { until: folder === null ? 'done' : 'files' })
  if (folder === null || again.length === 0) return null
  const ids = [...again.map(({ line }) => line.id), ...open.map(({ listId }) => listId)]
  if (ids.every(id => id !== null && filesDone.has(id))) {
    await store.erasureList.trustFiles(namespace, await store.mirror.listErasedDocuments(namespace))
    await carryOn(namespace, options, { until: 'done' })
    return { namespace, folder, state: 'trusted' }
  }
  const here = await documentsInFolder(folder)
  await store.erasureList.noteErasedDocuments(namespace, [
    ...(await documentsOf(store, namespace)),
    ...(here ?? []),
  ])
  // The last stage waits for the files. The bytes in the database do not wait.
  await store.erasure.scrub()
  return { namespace, folder, state: here === null ? 'not here' : 'anew' }
}

/**
 * Runs until all erasures of a namespace are done, or wait for a process with the workspace or for an
 * operator.
 */
async function carryOn(
  namespace: string,
  { store, open, onProgress, check, planned }: AgainOptions,
  { until }: { until: 'done' | 'files' },
): Promise<void> {
  const failures: unknown[] = []
  await using palimpsest = await open(namespace, error => failures.push(error))
  palimpsest.resumeErasures()
  for (;;) {
    const left = await store.erasure.listOpenErasures(namespace)
    onProgress?.({ done: planned.length - Math.min(planned.length, left.length), total: planned.length })
    if (left.length === 0) return
    if (until === 'files' && left.every(({ stage }) => stage === 'files')) return
    if ((await listWaiting(store, namespace, left)).length === left.length) return
    if (failures.length > 0) throw failures[0]
    check?.()
    await new Promise(resolve => setTimeout(resolve, POLL_MS))
  }
}

/** The erasures whose bytes an operator has to remove. */
export async function listWaiting(
  store: Store,
  namespace: string,
  left: readonly ErasureRecord[],
): Promise<readonly ErasureRecord[]> {
  const waiting: ErasureRecord[] = []
  for (const record of left)
    if (record.stage === 'scrubbing' && (await store.erasure.readScrub(namespace, record.id)).waitsFor)
      waiting.push(record)
  return waiting
}

type Document = { readonly layer: LayerName; readonly key: string }

const DOCUMENTS_AT_A_TIME = 500

async function documentsOf(store: Store, namespace: string): Promise<readonly Document[]> {
  const found: Document[] = []
  for (;;) {
    const after = found.at(-1)
    const page = await store.documents.listDocuments(namespace, {
      limit: DOCUMENTS_AT_A_TIME,
      ...(after && { after }),
    })
    found.push(...page.map(({ layer, key }) => ({ layer, key })))
    if (page.length < DOCUMENTS_AT_A_TIME) return found
  }
}
