import type { DocumentKey } from '../document.ts'
import type { Dialect } from './driver.ts'
import { keyOf } from './keys.ts'
import { first, run, type Steps } from './steps.ts'

/** All that a transaction has to hold before it writes, in one order everywhere: sessions, then documents. */
export function* lockDocuments(keys: readonly DocumentKey[], dialect: Dialect): Steps<void> {
  if (!dialect.locksSessions) return
  for (const name of new Set(keys.map(lockName).sort()))
    yield* run('SELECT pg_advisory_xact_lock(hashtextextended(?1, 1))', name)
}

function lockName({ namespace, layer, key }: DocumentKey): string {
  return JSON.stringify([namespace, layer, keyOf(key)])
}

/** The order in which rows of documents are written, everywhere: no two that write several wait for each other. */
export function inWriteOrder<Item>(
  items: readonly Item[],
  keyOfItem: (item: Item) => DocumentKey,
): readonly Item[] {
  const named = items.map(item => ({ item, name: lockName(keyOfItem(item)) }))
  return named.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0)).map(({ item }) => item)
}

/** For one that may wait for another time: who waited here could wait for who waits for us. */
export function* tryToLockDocument(key: DocumentKey, dialect: Dialect): Steps<boolean> {
  if (!dialect.locksSessions) return true
  const row = yield* first<{ locked: boolean }>(
    'SELECT pg_try_advisory_xact_lock(hashtextextended(?1, 1)) AS locked',
    lockName(key),
  )
  return row!.locked
}
