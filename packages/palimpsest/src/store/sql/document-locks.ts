import type { DocumentKey } from '../document.ts'
import type { Dialect, LockName } from './driver.ts'
import { keyOf } from './keys.ts'
import type { Steps } from './steps.ts'

/** All that a transaction has to hold before it writes, in one order everywhere: sessions, then documents. */
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

/** The order in which rows of documents are written, everywhere: no two that write several wait for each other. */
export function inWriteOrder<Item>(
  items: readonly Item[],
  keyOfItem: (item: Item) => DocumentKey,
): readonly Item[] {
  const named = items.map(item => ({ item, name: textOf(keyOfItem(item)) }))
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ item }) => item)
}

/** For one that may wait for another time: who waited here could wait for who waits for us. */
export function* tryToLockDocument(key: DocumentKey, dialect: Dialect): Steps<boolean> {
  const [isLocked] = yield* dialect.tryLocks('document', [lockName(key)])
  return isLocked!
}
