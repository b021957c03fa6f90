import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { type Plugin, rolldown } from 'rolldown'
import { createPalimpsest, postgres, type Store, sqlite } from '../packages/palimpsest/src/index.ts'
import { DEAD_FOLDS, FOLDS, openBoss } from '../packages/palimpsest/src/store/postgres/boss.ts'
import { readSchemaVersions } from '../packages/palimpsest/src/store/sqlite/schema-versions.ts'
import { DUMPED_SCHEMA, dumpPostgres } from '../test/fixtures/dump-postgres.ts'
import { dumpSqlite } from '../test/fixtures/dump-sqlite.ts'
import { fill, NAMESPACE } from '../test/fixtures/fill.ts'
import { loadPostgres, loadSqlite } from '../test/fixtures/load.ts'
import { tellAll } from '../test/fixtures/tell.ts'
import { startPostgres } from '../test/postgres/server.ts'

/**
 * Writes `test/fixtures/<schema version>`: both databases with data of every feature as this version writes them, what
 * this version reads in them, and the stores of this version, to run beside later ones (docs/decisions/0025-fixtures.md).
 */
const root = dirname(import.meta.dirname)
const work = mkdtempSync(join(tmpdir(), 'palimpsest-fixtures-'))
const server = await startPostgres()
try {
  const file = join(work, 'filled.db')
  await filled(sqlite(file), async () => {})
  const { version } = await readSchemaVersions(file)
  const target = join(root, 'test/fixtures', String(version))
  mkdirSync(target, { recursive: true })
  const write = (name: string, text: string) => writeFileSync(join(target, name), text)
  write('sqlite.sql', dumpSqlite(file))
  await filled(postgres(server.url, { schema: DUMPED_SCHEMA, queue: true }), workOff)
  write('postgres.sql', await inPostgres(client => dumpPostgres(client, DUMPED_SCHEMA)))
  await inPostgres(client => client.query(`DROP SCHEMA ${DUMPED_SCHEMA}, ${DUMPED_SCHEMA}_jobs CASCADE`))
  write('expected.json', await readBack(target))
  write('stores.js', await bundled(version))
  console.log(`wrote ${target}`)
} finally {
  await server.stop()
  rmSync(work, { recursive: true, force: true })
}

async function filled(store: Store, afterwards: () => Promise<void>): Promise<void> {
  await store.open()
  await fill(store)
  await afterwards()
  await store.close()
}

async function inPostgres<Result>(action: (client: pg.Client) => Promise<Result>): Promise<Result> {
  const client = new pg.Client(server.url)
  await client.connect()
  try {
    return await action(client)
  } finally {
    await client.end()
  }
}

/** Jobs in every state: one that is under way, one that is to be tried again, one that is done, one that was given up. */
async function workOff(): Promise<void> {
  const boss = await openBoss({ url: server.url, schema: DUMPED_SCHEMA }, 'sender')
  const take = async () => (await boss.fetch(FOLDS))[0]!.id
  await take()
  await boss.fail(FOLDS, await take(), new Error('the model is away'))
  await boss.complete(FOLDS, await take())
  await boss.send(DEAD_FOLDS, { namespace: NAMESPACE, id: 'failed' })
  await boss.stop({ graceful: false })
}

/** Not of the databases that were filled, but of what was loaded from the dumps; and of both the same. */
async function readBack(target: string): Promise<string> {
  const file = join(work, 'loaded.db')
  loadSqlite(join(target, 'sqlite.sql'), file)
  await inPostgres(client => loadPostgres(client, join(target, 'postgres.sql'), 'loaded'))
  const [ofSqlite, ofPostgres] = [
    await readStore(sqlite(file)),
    await readStore(postgres(server.url, { schema: 'loaded' })),
  ]
  if (ofSqlite === ofPostgres) return ofSqlite
  writeFileSync('sqlite.json', ofSqlite)
  writeFileSync('postgres.json', ofPostgres)
  throw new Error('The two databases tell different things: see sqlite.json and postgres.json')
}

async function readStore(store: Store): Promise<string> {
  await store.open()
  const told = await tellAll(store, options => createPalimpsest(options))
  await store.close()
  return `${JSON.stringify(told, null, 1)}\n`
}

/** The stores of this version in one file. They migrate nothing: they are given databases of their own version. */
async function bundled(version: number): Promise<string> {
  const entry = join(root, 'packages/palimpsest/src/stores-of-this-version.ts')
  const modules: Plugin = {
    name: 'stores-of-this-version',
    resolveId: id => (id === entry ? entry : null),
    load: id =>
      id === entry
        ? `export { sqlite } from './store/sqlite/index.ts'; export { postgres } from './store/postgres/index.ts'`
        : null,
    transform: (_, id) =>
      id.endsWith('store/migrations.ts')
        ? `export function readMigrations() { return [{ version: ${version}, sql: '' }] }`
        : null,
  }
  const bundler = await rolldown({
    input: entry,
    platform: 'node',
    external: id => /^(node:|pg|stemmer)/.test(id),
    plugins: [modules],
  })
  const { output } = await bundler.generate({ format: 'esm', comments: false, codeSplitting: false })
  await bundler.close()
  return output[0].code
}
