import type { DatabasePlace } from './database-place.ts'

/** As a command has to be given them to see the same memory; without the password of a database. */
export function placeFlags({ db, store }: DatabasePlace, namespace: string): string {
  const where = store === undefined ? `--db ${quoted(db)}` : `--store ${quoted(withoutPassword(store))}`
  return namespace === 'default' ? where : `${where} --namespace ${quoted(namespace)}`
}

/** As a shell takes it for one word. */
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
