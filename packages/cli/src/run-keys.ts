import { newKey } from '@palimpsest/server/internals/keys/new-key'
import { type Layer, resolveSettings } from 'palimpsest/internals/config/index'
import { describe, InvalidArgumentError, PalimpsestError } from 'palimpsest/internals/errors'
import type { ApiKey, Store } from 'palimpsest/internals/store/index'
import { databasePlace } from './database-place.ts'
import { openReadOnly, orClose, requireDatabase } from './existing-database.ts'
import { inertLine } from './inert-text.ts'
import type { CreateKeyFlags, KeysFlags, RevokeKeyFlags } from './keys.ts'
import { timeText } from './memory-text.ts'
import { openStore } from './options.ts'
import { environmentSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'
import { drawTable, left } from './text-layout.ts'

/** How many keys an error names at most. */
const SHOWN_KEYS = 20

export async function createKey(name: string, flags: CreateKeyFlags, terminal: Terminal): Promise<void> {
  const environment = environmentSettings(terminal)
  const namespace = flags.namespace ?? resolveSettings({ environment }).values.namespace
  const scopes = flags.scope.split(',').map(scope => scope.trim())
  // A wrong argument is refused before a database is opened or made.
  const { key, written } = newKey({ name, namespace, scopes, now: new Date() })
  const others = await withStore(flags, { environment, to: 'create' }, async store => {
    const others = await store.keys.listKeys()
    await store.keys.addKey(key)
    return others.length
  })
  if (flags.json) {
    terminal.output.write(`${JSON.stringify({ key: written, ...shown(key) })}\n`)
    return
  }
  terminal.error.write(
    `Created ${titleOf(key)}, for ${key.scopes.join(', ')}. This is shown once: only a hash of it is kept.\n` +
      'Send it with every call: Authorization: Bearer …, or x-api-key: …\n' +
      (others > 0
        ? ''
        : 'It is the first: from now on every call to a server on this database needs a key.\n'),
  )
  terminal.output.write(`${written}\n`)
}

export async function listKeys(flags: KeysFlags, terminal: Terminal): Promise<void> {
  const environment = environmentSettings(terminal)
  const keys = await withStore(flags, { environment, to: 'read' }, store => store.keys.listKeys())
  if (flags.json) terminal.output.write(`${JSON.stringify({ keys: keys.map(shown) })}\n`)
  else terminal.output.write(listText(keys, resolveSettings({ environment }).values.zone))
}

function listText(keys: readonly ApiKey[], zone: string): string {
  if (keys.length === 0)
    return 'There are no keys: whoever is on the same machine as a server may call it, and nobody else.\n'
  return drawTable(
    ['id', 'name', 'namespace', 'scopes', `created (${zone})`].map(left),
    keys.map(({ id, name, namespace, scopes, createdAt }) => [
      ...[id, inertLine(name), inertLine(namespace), scopes.join(', ')],
      timeText(createdAt, zone),
    ]),
  )
}

export async function revokeKey(wanted: string, flags: RevokeKeyFlags, terminal: Terminal): Promise<void> {
  const environment = environmentSettings(terminal)
  const { key, left } = await withStore(flags, { environment, to: 'change' }, async store => {
    const key = findKey(await store.keys.listKeys(), wanted, flags.namespace)
    await store.keys.removeKey(key.id)
    return { key, left: (await store.keys.listKeys()).length }
  })
  if (flags.json) terminal.output.write(`${JSON.stringify({ revoked: shown(key), left })}\n`)
  else terminal.output.write(`Revoked ${titleOf(key)}: its next call is refused.\n`)
  if (left === 0)
    terminal.error.write(
      'There are no keys any more: a server on this machine only lets everybody on it in again, without a key; one ' +
        'that others can reach lets nobody in, and does not start.\n',
    )
}

/** Finds a key by its id, which is unique, or by its name. */
function findKey(keys: readonly ApiKey[], wanted: string, namespace: string | undefined): ApiKey {
  const within = keys.filter(key => namespace === undefined || key.namespace === namespace)
  const byId = within.find(({ id }) => id === wanted)
  const [first, ...others] = byId ? [byId] : within.filter(({ name }) => name === wanted)
  if (first === undefined) throw keyNotFound(keys, wanted, namespace)
  if (others.length === 0) return first
  throw new InvalidArgumentError(
    'key',
    wanted,
    `one key: this name stands for ${[first, ...others].map(described).join(', ')}. Give the id, or --namespace. Nothing was revoked`,
  )
}

function keyNotFound(
  keys: readonly ApiKey[],
  wanted: string,
  namespace: string | undefined,
): PalimpsestError {
  const where = namespace === undefined ? '' : ` in namespace ${describe(namespace)}`
  const named = keys.slice(0, SHOWN_KEYS).map(described)
  const more = keys.length > named.length ? ` and ${keys.length - named.length} more` : ''
  const others = keys.length === 0 ? 'There are none.' : `There are ${named.join(', ')}${more}.`
  return new PalimpsestError('key_not_found', `There is no key ${describe(wanted)}${where}. ${others}`, {
    key: wanted,
    keys: keys.slice(0, SHOWN_KEYS).map(shown),
  })
}

function described({ id, name, namespace }: ApiKey): string {
  return `${describe(name)} (${id}, namespace ${describe(namespace)})`
}

function titleOf({ id, name, namespace }: ApiKey): string {
  return inertLine(`key ${describe(name)} (${id}) of namespace ${describe(namespace)}`)
}

/** The key without its hash. */
function shown({ hash: _, ...key }: ApiKey): Omit<ApiKey, 'hash'> {
  return key
}

async function withStore<Result>(
  flags: KeysFlags,
  { environment, to }: { readonly environment: Layer; readonly to: 'read' | 'change' | 'create' },
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const place = databasePlace(flags, environment)
  if (to !== 'create') requireDatabase(place)
  const store = await (to === 'read' ? openReadOnly : openStore)(place)
  const result = await orClose(store, () => work(store))
  await store.close()
  return result
}
