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

/** Whoever misspells a name is told so, and gets no empty database. */
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
  /** As a server on the same database would have it. */
  readonly zone: string
}

/** For those who change nothing. */
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

/** As it is: nothing is made or changed. A database of an older version is refused, with what brings it up to date. */
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

/** To write into it, and not to migrate it. */
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

/** Connections that stay open would keep the process waiting. */
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
