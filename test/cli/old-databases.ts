import { readdirSync, readFileSync } from 'node:fs'
import { sqliteBeside } from '../stores.ts'
import { type DATABASES, type Database, inPostgres } from './databases.ts'

const FOLDERS = {
  SQLite: new URL('../../packages/palimpsest/src/store/sqlite/migrations/', import.meta.url),
  PostgreSQL: new URL('../../packages/palimpsest/src/store/postgres/migrations/', import.meta.url),
} as const
export type Name = keyof typeof DATABASES

export function migrations(name: Name): readonly { readonly version: number; readonly sql: string }[] {
  return readdirSync(FOLDERS[name])
    .sort()
    .map(file => ({
      version: Number(file.slice(0, 4)),
      sql: readFileSync(new URL(file, FOLDERS[name]), 'utf8'),
    }))
}

export const newest = (name: Name) => migrations(name).at(-1)!.version

/** As the program of an earlier version left it. */
export async function makeOld(name: Name, database: Database, through: number): Promise<void> {
  const old = migrations(name).filter(({ version }) => version <= through)
  if (name === 'SQLite') {
    const db = sqliteBeside(database.address)
    db.exec('PRAGMA journal_mode = WAL')
    for (const { sql } of old) db.exec(sql)
    db.exec(`PRAGMA user_version = ${through}; PRAGMA application_id = ${0x50414c49}`)
    db.close()
    return
  }
  await inPostgres(
    database.address,
    'CREATE SCHEMA palimpsest',
    'SET search_path TO palimpsest',
    'CREATE TABLE migrations (version INTEGER PRIMARY KEY, applied_at TIMESTAMPTZ NOT NULL)',
    ...old.flatMap(({ sql, version }) => [sql, `INSERT INTO migrations VALUES (${version}, now())`]),
  )
}

/** In the words of the first version. */
export async function insertAsFirstVersion(name: Name, database: Database, id: string): Promise<void> {
  const sql = (schema: string) => `INSERT INTO ${schema}sessions (namespace, name_key, name, kind, created_at)
    VALUES ('default', '${id}', '${id}', 'private', 0)`
  if (name === 'PostgreSQL') return inPostgres(database.address, sql('palimpsest.'))
  const db = sqliteBeside(database.address)
  db.exec(sql(''))
  db.close()
}
