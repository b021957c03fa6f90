import type { SchemaVersions } from '../store/index.ts'
import { type DatabasePlace, databasePlace } from './database-place.ts'
import { requireDatabase } from './existing-database.ts'
import type { MigrateFlags } from './migrate.ts'
import { checkUrl, openStore } from './options.ts'
import { environmentSettings } from './stored-settings.ts'
import { ExitCodeError, type Terminal } from './terminal.ts'

/** As somebody who deploys asks: not yet. */
const TO_BE_DONE = 3

export async function runMigrate(flags: MigrateFlags, terminal: Terminal): Promise<void> {
  const place = databasePlace(flags, environmentSettings(terminal))
  requireDatabase(place)
  const before = await readVersions(place)
  const isToDo = before.version < before.newest
  if (isToDo && !flags.check) await (await openStore(place)).close()
  const after = flags.check ? before : await readVersions(place)
  const { store, newest } = before
  const result = { store, from: before.version, to: newest, changed: after.version > before.version }
  if (flags.json) terminal.output.write(`${JSON.stringify({ ...result, pending: after.version < newest })}\n`)
  else terminal.output.write(`${textOf(result, { isToDo })}\n`)
  if (flags.check && isToDo)
    throw new ExitCodeError(TO_BE_DONE, 'There is something to do: palimpsest migrate')
}

function textOf(
  { store, from, to, changed }: { store: string; from: number; to: number; changed: boolean },
  { isToDo }: { isToDo: boolean },
): string {
  if (changed) return `${store}: from schema ${from} to ${to}`
  return isToDo ? `${store}: schema ${from}; this program's is ${to}` : `${store}: schema ${to}, up to date`
}

async function readVersions({ db, store }: DatabasePlace): Promise<SchemaVersions> {
  if (store === undefined) return (await import('../store/sqlite/schema-versions.ts')).readSchemaVersions(db)
  return (await import('../store/postgres/schema-versions.ts')).readSchemaVersions(checkUrl(store))
}
