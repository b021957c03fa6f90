import type { Store } from '../store/index.ts'
import { countKinds, type ErasureCounts } from './count-kinds.ts'
import { type AgainOptions, eraseAgain, type FilesAfterRestore, listWaiting } from './erase-again.ts'
import { filesDoneIn, namespacesIn, planErasures } from './plan-erasures.ts'
import { databasesOf, ErasedListError, type FoundList, findList } from './restore-list.ts'

/** `store`: the store of a database that its operator has restored. */
export interface ErasingAgain extends Pick<AgainOptions, 'store' | 'open' | 'onProgress' | 'check'> {
  /** `null`: nothing is erased again. Erasures that were under way continue. */
  readonly list: FoundList | null
  readonly dryRun?: boolean
}

export interface ErasedAgain {
  readonly erased: ErasureCounts
  readonly withoutTarget: number
  readonly files: readonly FilesAfterRestore[]
  readonly generation: number
  readonly list: string | null
  /** Erasures whose bytes an operator has to remove, also older ones. Their receipts say how. */
  readonly waiting: number
  readonly receipts: readonly WaitingReceipt[]
}

interface WaitingReceipt {
  readonly namespace: string
  readonly id: number
}

/**
 * Finds the list for the database with this id. It runs before anything is opened for writing, so that a
 * wrong list changes nothing.
 */
export async function findListOf(path: string, database: string | null): Promise<FoundList> {
  const list = await findList(path)
  if (list === null)
    throw new ErasedListError(
      `There is no list of what was erased ${JSON.stringify(path)}, or nothing is in it. Where nothing was erased since the backup, say --without-erased-list.`,
      { list: path },
    )
  if (database === null || !databasesOf(list).has(database))
    throw new ErasedListError(
      `The list of what was erased ${JSON.stringify(path)} is of another database. Name the one of this database.`,
      { list: path },
    )
  return list
}

/**
 * Carries out the erasures since the backup. The backup was restored by other means: from a dump, or from an
 * earlier state of the server.
 */
export async function eraseAgainIn(options: ErasingAgain): Promise<ErasedAgain> {
  const { store, list, dryRun, ...rest } = options
  const { id: database, generation } = await store.database.readIdentity()
  const planned = list === null ? [] : await planErasures(store, { ...list, database })
  const filesDone = list === null ? new Set<string>() : filesDoneIn(list)
  const files = dryRun ? [] : await eraseAgain({ store, planned, filesDone, ...rest })
  const receipts = dryRun ? [] : await waitingIn(store)
  return {
    ...countKinds(planned),
    ...{ files, receipts, waiting: receipts.length, list: list?.path ?? null },
    generation: dryRun ? generation + 1 : generation,
  }
}

async function waitingIn(store: Store): Promise<readonly WaitingReceipt[]> {
  const receipts: WaitingReceipt[] = []
  for (const namespace of await namespacesIn(store)) {
    const left = await store.erasure.listOpenErasures(namespace)
    for (const { id } of await listWaiting(store, namespace, left)) receipts.push({ namespace, id })
  }
  return receipts
}
