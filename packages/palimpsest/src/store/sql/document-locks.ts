import type { DocumentKey } from '../document.ts'
import type { Dialect, LockName } from './driver.ts'
import { keyOf } from './keys.ts'
import type { Steps } from './steps.ts'

/**
 * Takes all document locks that a transaction needs before it writes. The order is the same everywhere:
 * sessions, then documents.
 */
export function* lockDocuments(keys: readonly DocumentKey[], dialect: Dialect): Steps<void> {
  const names = new Map(keys.map(key => [textOf(key), lockName(key)]))
  for (const text of [...names.keys()].sort()) yield* dialect.lock('document', names.get(text)!)
}

function lockName({ namespace, layer, key }: DocumentKey): LockName {
  return [namespace, layer, keyOf(key)]
}

function textOf(key: DocumentKey): string {
  return JSON.stringify(lockName(key))
}

/**
 * The order in which document rows are written, everywhere. So no two transactions that write several
 * documents wait for each other.
 */
export function inWriteOrder<Item>(
  items: readonly Item[],
  keyOfItem: (item: Item) => DocumentKey,
): readonly Item[] {
  const named = items.map(item => ({ item, name: textOf(keyOfItem(item)) }))
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ item }) => item)
}

/**
 * For work that can be done another time. A caller that waited here could wait for a transaction that waits
 * for the caller.
 */
export function* tryToLockDocument(key: DocumentKey, dialect: Dialect): Steps<boolean> {
  const [isLocked] = yield* dialect.tryLocks('document', [lockName(key)])
  return isLocked!
}
