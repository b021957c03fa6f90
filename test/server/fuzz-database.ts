import { createHash } from 'node:crypto'
import type { DatabaseSync } from 'node:sqlite'
import { sqliteBeside } from '../stores.ts'

/** Of a table: what is no part of what is stored. */
const LEFT_OUT: Readonly<Record<string, readonly string[]>> = {
  // They say who is at work, not what there is.
  leases: ['token', 'owner', 'until'],
  requests: ['until'],
  // Which versions of memory an epoch shows, fixed by whoever looks first: nobody sees anything else by it.
  sessions: ['layers', 'layers_epoch'],
}

/** When whoever trims events has looked, and who reads them: any read of a client with a name notes that. */
const NOT_STORED: readonly string[] = ['event_trim', 'event_consumers']

interface Table {
  readonly name: string
  readonly columns: readonly string[]
}

/** All that a SQLite file holds, read beside those who write it. */
export class Database implements Disposable {
  readonly #database: DatabaseSync
  readonly #tables: readonly Table[]
  #version: unknown = null
  #fingerprint = ''

  constructor(file: string) {
    this.#database = sqliteBeside(file, { readOnly: true })
    const named = this.#database
      .prepare("SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name")
      .all() as { name: string }[]
    this.#tables = named
      .filter(({ name }) => !NOT_STORED.includes(name))
      .map(({ name }) => ({ name, columns: this.#columnsOf(name) }))
  }

  #columnsOf(table: string): readonly string[] {
    const columns = this.#database.prepare('SELECT name FROM pragma_table_info(?)').all(table)
    return columns.map(({ name }) => String(name)).filter(name => !LEFT_OUT[table]?.includes(name))
  }

  /** Another one whenever anything that is stored is other. */
  fingerprint(): string {
    const version = this.#database.prepare('PRAGMA data_version').get()?.['data_version']
    if (version !== this.#version)
      this.#fingerprint = createHash('sha256').update(this.dump().join('\n')).digest('hex')
    this.#version = version
    return this.#fingerprint
  }

  /** A line for each row, sorted within its table. */
  dump(): readonly string[] {
    return this.#tables.flatMap(({ name, columns }) =>
      this.#database
        .prepare(`SELECT ${columns.map(column => `"${column}"`).join()} FROM "${name}"`)
        .all()
        .map(row => `${name} ${JSON.stringify(row)}`)
        .sort(),
    )
  }

  [Symbol.dispose](): void {
    this.#database.close()
  }
}
