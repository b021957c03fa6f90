import { existsSync } from 'node:fs'
import type { Layer } from 'palimpsest/internals/config/index'
import { PalimpsestError } from 'palimpsest/internals/errors'
import { createPalimpsest, type Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Store } from 'palimpsest/internals/store/index'
import { checkUrl } from './options.ts'
import { storedSettings } from './stored-settings.ts'

export interface DatabaseFlags {
  readonly db: string
  readonly store?: string
}

/** Refuses a file that is not there: a misspelt name must not create an empty database. */
export function requireDatabase({ db, store }: DatabaseFlags): void {
  if (store !== undefined || existsSync(db)) return
  throw new PalimpsestError(
    'file_not_found',
    `There is no database ${JSON.stringify(db)}. Name it with --db, or a PostgreSQL one with --store; chat, a bot, serve, import and memory edit make it.`,
    { file: db },
  )
}

export interface Reading extends AsyncDisposable {
  readonly palimpsest: Palimpsest
  /** The time zone that a server on the same database has. */
  readonly zone: string
}

/** Opens a memory for commands that change nothing. */
export async function openForReading(
  flags: DatabaseFlags & { readonly namespace: string },
  environment: Layer,
): Promise<Reading> {
  requireDatabase(flags)
  const store = await openReadOnly(flags)
  return orClose(store, async () => {
    const { namespace } = flags
    const { zone } = await storedSettings(store, { namespace, environment })
    const options = { store, namespace, zone, folding: 'manual', indexing: 'off' } as const
    const palimpsest = await createPalimpsest(options)
    return { palimpsest, zone, [Symbol.asyncDispose]: () => palimpsest.close() }
  })
}

/**
 * Creates and changes nothing. A database of an older version is refused; the error names the command that
 * migrates it.
 */
export async function openReadOnly({ db, store: url }: DatabaseFlags): Promise<Store> {
  const store =
    url === undefined
      ? (await import('palimpsest/internals/store/sqlite/index')).sqlite(db, { readOnly: true })
      : (await import('palimpsest/internals/store/postgres/index')).postgres(checkUrl(url), {
          readOnly: true,
        })
  await store.open()
  return store
}

/** Opens the database for writing, without a migration. */
export async function openAsItIs({ db, store: url }: DatabaseFlags): Promise<Store> {
  const store =
    url === undefined
      ? (await import('palimpsest/internals/store/sqlite/index')).sqlite(db, { migrate: false })
      : (await import('palimpsest/internals/store/postgres/index')).postgres(checkUrl(url), {
          migrate: false,
        })
  await store.open()
  return store
}

/** Closes the store where `work` fails: open connections would keep the process alive. */
export async function orClose<Result>(
  store: { close(): Promise<void> },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work()
  } catch (error) {
    await store.close()
    throw error
  }
}
