import { readdirSync, readFileSync } from 'node:fs'

export interface Migration {
  readonly version: number
  readonly sql: string
}

/** Migrations are plain SQL files, `0001-log.sql` and so on, applied in order and never changed afterwards. */
export function readMigrations(folder: URL): readonly Migration[] {
  return readdirSync(folder)
    .filter(file => file.endsWith('.sql'))
    .sort()
    .map(file => ({
      version: Number(file.slice(0, 4)),
      sql: readFileSync(new URL(file, folder), 'utf8'),
    }))
}
