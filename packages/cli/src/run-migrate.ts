import { type Layer, resolveSettings } from 'palimpsest/internals/config/index'
import { MissingPeerError } from 'palimpsest/internals/errors'
import type { SchemaVersions } from 'palimpsest/internals/store/index'
import { type CompactionResult, compactDatabase, isCompact, sizesText } from './compact-database.ts'
import { type DatabasePlace, databasePlace } from './database-place.ts'
import { requireDatabase } from './existing-database.ts'
import { queueOf } from './fold-worker.ts'
import type { MigrateFlags } from './migrate.ts'
import { checkUrl, openStore } from './options.ts'
import { environmentSettings } from './stored-settings.ts'
import { ExitCodeError, type Terminal } from './terminal.ts'

/** The exit code of `--check` for a deployment script: the database is not ready yet. */
const TO_BE_DONE = 3

export async function runMigrate(flags: MigrateFlags, terminal: Terminal): Promise<void> {
  const environment = environmentSettings(terminal)
  const place = databasePlace(flags, environment)
  requireDatabase(place)
  const before = await readVersions(place)
  const isOld = before.version < before.newest
  if (!flags.check && isOld) await (await openStore(place)).close()
  // A missing right of the role should fail before the long work starts.
  if (!flags.check && place.store !== undefined) await settleServer(place.store, environment)
  const compaction = flags.compact ? await compactOrLook(place, { flags, isOld, terminal }) : null
  const after = flags.check ? before : await readVersions(place)
  const { store, newest } = before
  const isToDo = isOld || compaction?.isCompact === false
  const result = { store, from: before.version, to: newest, changed: after.version > before.version }
  const pending = after.version < newest || compaction?.isCompact === false
  if (flags.json) terminal.output.write(`${JSON.stringify({ ...result, pending, ...compaction })}\n`)
  else terminal.output.write(`${[textOf(result, { isOld }), ...sizesText(compaction)].join('\n')}\n`)
  if (flags.check && isToDo)
    throw new ExitCodeError(
      TO_BE_DONE,
      `There is something to do: palimpsest migrate${flags.compact ? ' --compact' : ''}`,
    )
}

async function compactOrLook(
  place: DatabasePlace,
  { flags, isOld, terminal }: { flags: MigrateFlags; isOld: boolean; terminal: Terminal },
): Promise<CompactionResult> {
  if (flags.check) return { isCompact: !isOld && (await isCompact(place)) }
  return compactDatabase(place, terminal)
}

/**
 * Does what only the owner of the tables may do. Afterwards other roles need no more than rights on the
 * tables.
 */
async function settleServer(url: string, environment: Layer): Promise<void> {
  const { queue } = resolveSettings({ environment }).values
  const place = queueOf({ store: checkUrl(url), queue })
  if (place !== null) {
    const { makeQueue } = await import('palimpsest/internals/store/postgres/boss')
    await makeQueue(place).catch(error => {
      // A missing package means that the queue is not used.
      if (!(error instanceof MissingPeerError)) throw error
    })
  }
  await (await openStore({ db: '', store: url })).close()
}

function textOf(
  { store, from, to, changed }: { store: string; from: number; to: number; changed: boolean },
  { isOld }: { isOld: boolean },
): string {
  if (changed) return `${store}: from schema ${from} to ${to}`
  return isOld ? `${store}: schema ${from}; this program's is ${to}` : `${store}: schema ${to}, up to date`
}

async function readVersions({ db, store }: DatabasePlace): Promise<SchemaVersions> {
  if (store === undefined)
    return (await import('palimpsest/internals/store/sqlite/schema-versions')).readSchemaVersions(db)
  return (await import('palimpsest/internals/store/postgres/schema-versions')).readSchemaVersions(
    checkUrl(store),
  )
}
