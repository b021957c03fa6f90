import { describeError, PalimpsestError } from '../errors.ts'
import type { ErasureRecord, Store } from '../store/index.ts'
import { ErasedList, newListId } from './erased-list.ts'
import type { ListState } from './receipt.ts'

export interface ListingEngine {
  readonly store: Pick<Store, 'database' | 'erasureList'>
  readonly namespace: string
  /** The list file. `null`: none is kept. */
  readonly erasedList: string | null
  readonly onError: (error: unknown, details: { readonly sessionId: string }) => void
}

/**
 * Writes each erasure into the list of erasures while its record still has the target. If the list cannot be
 * written, only the end of the erasure waits for it.
 */
export class Listing {
  readonly #engine: ListingEngine
  readonly #list: ErasedList | null
  /** By erasure: why it is not in the list yet. */
  readonly #failures = new Map<number, string>()

  constructor(engine: ListingEngine) {
    this.#engine = engine
    const { erasedList, store } = engine
    this.#list =
      erasedList === null
        ? null
        : new ErasedList(erasedList, async () => (await store.database.readIdentity()).id)
  }

  /** `true`: the erasure is in the list, or no list is kept. A repeat adds nothing. */
  async enter(record: ErasureRecord): Promise<boolean> {
    return this.#try(record, async list => {
      const { store, namespace } = this.#engine
      const { id, target, requestedAt: at } = record
      // The target was removed after its line was written, or by a program that kept no list.
      if (target === null) return
      const named =
        record.listId ?? (await store.erasureList.nameErasure(namespace, { id, listId: newListId() })).listId!
      if (await list.has(named)) return
      const family = target.kind === 'messages' && (await store.erasureList.readFamily(namespace, target))
      await list.add({ id: named, at, namespace, target, ...(family && { family }) })
    })
  }

  /** Adds the note that the files of the workspace are clean. From now on they are newer than any backup. */
  async noteFilesDone(record: ErasureRecord): Promise<boolean> {
    const { listId } = record
    return this.#try(record, async list => {
      if (listId !== null) await list.noteFilesDone(listId)
    })
  }

  async stateOf({ id, listId }: ErasureRecord): Promise<ListState> {
    if (this.#list === null) return { isKept: false, isListed: false }
    const isListed = listId !== null && (await this.#list.has(listId).catch(() => false))
    const note = this.#failures.get(id)
    return { isKept: true, isListed, ...(note !== undefined && { note }) }
  }

  async #try({ id }: ErasureRecord, work: (list: ErasedList) => Promise<void>): Promise<boolean> {
    if (this.#list === null) return true
    try {
      await work(this.#list)
      this.#failures.delete(id)
      return true
    } catch (error) {
      // The write is tried again and again. One report is enough.
      if (!this.#failures.has(id)) this.#engine.onError(error, { sessionId: '' })
      this.#failures.set(id, noteOf(this.#list.path, error))
      return false
    }
  }
}

function noteOf(path: string, error: unknown): string {
  if (PalimpsestError.isInstance(error)) return error.message
  return (
    `the list of what was erased ${JSON.stringify(path)} cannot be written (${describeError(error, { withPlace: false })}): ` +
    'a backup from before would bring it back. Make the file writable, or make room on the disk; it is tried again by itself'
  )
}
