import { countKinds, type ErasureCounts } from './count-kinds.ts'
import { type AgainOptions, countWaiting, eraseAgain, type FilesAfterRestore } from './erase-again.ts'
import { filesDoneIn, planErasures } from './plan-erasures.ts'
import { databasesOf, ErasedListError, findList } from './restore-list.ts'

/** `store`: of a database that its operator has restored. */
export interface ErasingAgain extends Pick<AgainOptions, 'store' | 'open' | 'onProgress' | 'check'> {
  readonly erasedList: string
  readonly dryRun?: boolean
}

export interface ErasedAgain {
  readonly erased: ErasureCounts
  readonly withoutTarget: number
  readonly files: readonly FilesAfterRestore[]
  readonly generation: number
  readonly list: string
  /** Erasures whose bytes an operator has to remove: their receipts say how. */
  readonly waiting: number
}

/** Carries out what was erased since a backup that was restored by other means: a dump, or a state of the server. */
export async function eraseAgainIn(options: ErasingAgain): Promise<ErasedAgain> {
  const { store, erasedList, dryRun, ...rest } = options
  const list = await findList(erasedList)
  const { id: database, generation } = await store.readIdentity()
  if (list === null)
    throw new ErasedListError(
      `There is no list of what was erased ${JSON.stringify(erasedList)}, or nothing is in it. Where nothing was erased since the backup, nothing is to be done.`,
      { list: erasedList },
    )
  if (!databasesOf(list).has(database))
    throw new ErasedListError(
      `The list of what was erased ${JSON.stringify(erasedList)} is of another database. Name the one of this database.`,
      { list: erasedList },
    )
  const planned = await planErasures(store, { ...list, database })
  const again = { store, planned, filesDone: filesDoneIn(list), ...rest }
  const files = dryRun ? [] : await eraseAgain(again)
  const namespaces = new Set(planned.flatMap(({ namespace }) => namespace ?? []))
  let waiting = 0
  for (const namespace of dryRun ? [] : namespaces)
    waiting += await countWaiting(store, namespace, await store.listOpenErasures(namespace))
  return { ...countKinds(planned), files, generation, list: list.path, waiting }
}
