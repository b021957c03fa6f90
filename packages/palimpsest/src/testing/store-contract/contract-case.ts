import assert from 'node:assert/strict'
import { type ErrorCode, PalimpsestError } from '../../errors.ts'
import type { Store } from '../../store/index.ts'

/** Opens the place of this case. A second call opens the same place again, like another process. */
export type OpenStore = () => Promise<Store>

export interface ContractCase {
  readonly name: string
  /** Needs an empty place, and closes what it opened. */
  run(open: OpenStore): Promise<void>
}

type Cases = Readonly<Record<string, (store: Store, open: OpenStore) => Promise<void>>>

export function contractCases(about: string, cases: Cases): readonly ContractCase[] {
  return Object.entries(cases).map(([promise, check]) => ({
    name: `${about}: ${promise}`,
    run: open => withStores(open, async openStore => check(await openStore(), openStore)),
  }))
}

async function withStores(open: OpenStore, use: (open: OpenStore) => Promise<void>): Promise<void> {
  const opened: Store[] = []
  try {
    await use(async () => {
      const store = await open()
      opened.push(store)
      return store
    })
  } finally {
    for (const store of opened) await store.close()
  }
}

export async function refuses(action: Promise<unknown>, code: ErrorCode): Promise<PalimpsestError> {
  try {
    await action
  } catch (error) {
    if (PalimpsestError.isInstance(error) && error.code === code) return error
    throw new assert.AssertionError({ message: `expected ${code}, but got ${String(error)}`, actual: error })
  }
  throw new assert.AssertionError({ message: `expected ${code}, but it was done` })
}
