import type { DatabasePlace } from './database-place.ts'

/** The flags with which another command sees the same memory. A database's password is left out. */
export function placeFlags({ db, store }: DatabasePlace, namespace: string): string {
  const where = store === undefined ? `--db ${quoted(db)}` : `--store ${quoted(withoutPassword(store))}`
  return namespace === 'default' ? where : `${where} --namespace ${quoted(namespace)}`
}

/** Quotes a word for a shell. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`
}

function withoutPassword(url: string): string {
  if (!URL.canParse(url)) return '…'
  const place = new URL(url)
  place.password = ''
  place.searchParams.delete('password')
  return place.href
}
