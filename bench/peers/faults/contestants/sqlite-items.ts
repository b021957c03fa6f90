import { DatabaseSync } from 'node:sqlite'

/** A list of JSON items in a file that lasts; each call is one transaction. */
export function sqliteItems<Item>(path: string) {
  const database = new DatabaseSync(path)
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL')
  database.exec('CREATE TABLE IF NOT EXISTS items (id INTEGER PRIMARY KEY, item TEXT NOT NULL)')
  const parse = (rows: readonly Record<string, unknown>[]) =>
    rows.map(({ item }) => JSON.parse(String(item)) as Item)
  return {
    read(limit?: number): Item[] {
      const rows = database.prepare('SELECT item FROM items ORDER BY id DESC LIMIT ?').all(limit ?? -1)
      return parse(rows).reverse()
    },
    add(added: readonly Item[]): void {
      database
        .prepare('INSERT INTO items (item) SELECT value FROM json_each(?)')
        .run(JSON.stringify(added.map(item => JSON.stringify(item))))
    },
    pop(): Item | undefined {
      const rows = database
        .prepare('DELETE FROM items WHERE id = (SELECT max(id) FROM items) RETURNING item')
        .all()
      return parse(rows)[0]
    },
    clear(): void {
      database.prepare('DELETE FROM items').run()
    },
    close: () => database.close(),
  }
}
