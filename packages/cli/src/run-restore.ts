import type { Layer } from 'palimpsest/internals/config/index'
import { resolveSettings } from 'palimpsest/internals/config/index'
import { ERROR_CODES, InvalidArgumentError, StoreError } from 'palimpsest/internals/errors'
import { createPalimpsest, type Palimpsest } from 'palimpsest/internals/palimpsest'
import type { AgainProgress } from 'palimpsest/internals/restore/erase-again'
import type { Restored, RestoreProgress } from 'palimpsest/internals/restore/restore-sqlite'
import type { Store } from 'palimpsest/internals/store/index'
import { lentStore } from 'palimpsest/internals/store/lent-store'
import { databasePlace } from './database-place.ts'
import { openReadOnly, orClose } from './existing-database.ts'
import { loadConfiguration } from './load-configuration.ts'
import { checkUrl, openStore } from './options.ts'
import type { RestoreFlags } from './restore.ts'
import { erasedAgainText, restoredText, waitingText } from './restore-text.ts'
import { environmentSettings } from './stored-settings.ts'
import { ExitCodeError, InterruptedError, interruptible, Progress, type Terminal } from './terminal.ts'

interface Run {
  readonly flags: RestoreFlags
  readonly environment: Layer
  readonly terminal: Terminal
}

export async function runRestore(
  backup: string | undefined,
  flags: RestoreFlags,
  terminal: Terminal,
): Promise<void> {
  const environment = environmentSettings(terminal)
  const { db, store: url } = databasePlace(flags, environment)
  const run = { flags, environment, terminal }
  if (backup !== undefined && url === undefined) return restoreFile(backup, db, run)
  if (url === undefined) throw new InvalidArgumentError('backup', backup, 'the backup of a SQLite database')
  if (backup !== undefined)
    throw new InvalidArgumentError(
      'backup',
      backup,
      'none for PostgreSQL: restore it by its own means first; for a SQLite database name the file with --db',
    )
  return eraseInServer(url, run)
}

async function restoreFile(backup: string, path: string, run: Run): Promise<void> {
  const { flags, environment, terminal } = run
  const { restoreSqlite } = await import('palimpsest/internals/restore/restore-sqlite')
  const named = erasedListOf(run)
  const progress = new Progress(terminal, 'restoring')
  let restored: Restored
  try {
    restored = await interruptible(isInterrupted =>
      restoreSqlite({
        ...{ backup, path, dryRun: flags.dryRun === true, withoutList: flags.withoutErasedList === true },
        keepSchema: flags.keepSchema === true,
        ...(named !== null && { erasedList: named }),
        // A list that the environment names stays where it is: programs find it there after the restore, too.
        staysInPlace: named !== null && flags.erasedList === undefined,
        open: (store, namespace, options) =>
          openInstance(store, namespace, { ...options, environment, terminal }),
        onProgress: at => progress.update(shareOf(at), textOf(at)),
        check: () => {
          if (isInterrupted()) throw new InterruptedError('Interrupted: the database is as it was.')
        },
      }),
    )
  } finally {
    progress.end()
  }
  terminal.output.write(flags.json ? `${JSON.stringify(restored)}\n` : restoredText(restored))
}

async function eraseInServer(url: string, run: Run): Promise<void> {
  const { flags, environment, terminal } = run
  if (flags.keepSchema)
    throw new InvalidArgumentError(
      '--keep-schema',
      true,
      'left out for PostgreSQL: only a file is put in place',
    )
  const dryRun = flags.dryRun === true
  const erasedList = flags.withoutErasedList ? null : erasedListOf(run)
  if (erasedList === null && !flags.withoutErasedList)
    throw new InvalidArgumentError(
      '--erased-list',
      undefined,
      'the list of what was erased, with --store; or --without-erased-list, where nothing was erased since the backup',
    )
  const { eraseAgainIn, findListOf } = await import('palimpsest/internals/restore/restore-postgres')
  const { beginGeneration } = await import('palimpsest/internals/store/postgres/restored')
  const id = await idOfRestored(url)
  const list = erasedList === null ? null : await findListOf(erasedList, id)
  if (!dryRun) await beginGeneration(checkUrl(url))
  const store = await (dryRun ? openReadOnly : openStore)({ db: '', store: url })
  const progress = new Progress(terminal, 'erasing')
  const again = await orClose(store, () =>
    interruptible(isInterrupted =>
      eraseAgainIn({
        ...{ store, list, dryRun },
        open: (namespace, onError) =>
          openInstance(store, namespace, {
            ...{ erasedList: erasedList ?? false, onError, environment, terminal },
          }),
        onProgress: at => progress.update(at.done / Math.max(1, at.total), erasingText(at)),
        check: () => {
          if (isInterrupted())
            throw new InterruptedError(
              'Interrupted: what is left goes on with the next start, or run it again.',
            )
        },
      }),
    ).finally(() => progress.end()),
  )
  const { name } = store
  await store.close()
  terminal.output.write(
    flags.json
      ? `${JSON.stringify({ store: name, dryRun, ...again })}\n`
      : erasedAgainText(again, { name, dryRun }),
  )
  if (again.waiting > 0)
    throw new ExitCodeError(ERROR_CODES.store_read_only.exit, waitingText(again.receipts))
}

/**
 * Reads the id and changes nothing. A database without our tables is refused before anything is made in it.
 */
async function idOfRestored(url: string): Promise<string | null> {
  const { readSchemaVersions } = await import('palimpsest/internals/store/postgres/schema-versions')
  const { readStoredId } = await import('palimpsest/internals/store/postgres/restored')
  const { store, version } = await readSchemaVersions(checkUrl(url))
  if (version === 0)
    throw new StoreError(
      'store_version',
      store,
      'there is nothing of Palimpsest in this database. Nothing was changed. Restore the dump first, or name another.',
    )
  return readStoredId(checkUrl(url))
}

/** The list that the flag names, or the environment. `null`: neither names one. */
function erasedListOf({ flags, environment }: Run): string | null {
  return flags.erasedList ?? resolveSettings({ environment }).values.erasedList
}

interface InstanceOptions {
  readonly erasedList: string | false
  readonly onError: (error: unknown) => void
  readonly environment: Layer
  readonly terminal: Terminal
}

/**
 * Uses the model that a server on the same database has: later on, it summarises what is left of the
 * segments.
 */
async function openInstance(
  store: Store,
  namespace: string,
  { environment, terminal, ...options }: InstanceOptions,
): Promise<Palimpsest> {
  const { configuration } = await loadConfiguration(store, { namespace, environment, terminal })
  return createPalimpsest({
    ...{ store: lentStore(store), namespace, ...configuration, ...options },
    folding: 'manual',
    indexing: 'off',
  })
}

/** The share of the progress bar for copying. Erasing takes at least as long. */
const COPYING_SHARE = 0.5

function shareOf(at: RestoreProgress): number {
  if (at.stage === 'copying') return at.share * COPYING_SHARE
  return COPYING_SHARE + (1 - COPYING_SHARE) * (at.done / Math.max(1, at.total))
}

function textOf(at: RestoreProgress): string {
  return at.stage === 'copying' ? 'copying the backup' : erasingText(at)
}

function erasingText({ done, total }: AgainProgress): string {
  return `erasing again, ${done} of ${total}`
}
