import pg from 'pg'
import { postgres } from '../../packages/palimpsest/src/store/postgres/index.ts'
import { ownDatabase, setOwnDatabase } from './own-database.ts'
import { postgresUrl } from './url.ts'

/**
 * A schema by all migrations takes a third of a second, and a run needs hundreds. So a database with some empty ones is
 * made once, and the workers' databases are copies of its files. Where a worker has no spare schema left, the store
 * that is opened migrates as anywhere; the next test file has a new database.
 */
export const TEMPLATE = 'with_spare_schemas'
const SPARE = 24
/** Of a test file; it does not matter where one needs more. */
const ENOUGH = 12

/** A connection of its own, for a moment. */
export async function query(url: string, ...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    for (const statement of statements) await client.query(statement)
  } finally {
    await client.end()
  }
}

/** Where a file before has left a connection open, in this very process, the database stays until the end of the run. */
export async function dropUnused(url: string, name: string): Promise<void> {
  const client = new pg.Client(url)
  await client.connect()
  try {
    const used = await client.query('SELECT 1 FROM pg_stat_activity WHERE datname = $1', [name])
    if (used.rows.length === 0) await client.query(`DROP DATABASE ${name}`)
  } finally {
    await client.end()
  }
}

const spare = (index: number) => `spare_${index}`

/** `url`: of the server's first database. */
export async function makeTemplate(url: string): Promise<void> {
  await query(url, `CREATE DATABASE ${TEMPLATE}`)
  const template = new URL(url)
  template.pathname = TEMPLATE
  for (let index = 0; index < SPARE; index++) {
    const store = postgres(template.href, { schema: spare(index), connections: 1 })
    await store.open()
    await store.close()
    // Where it stands it says when it is opened elsewhere for the first time.
    await query(template.href, `UPDATE ${spare(index)}.identity SET place = NULL`)
  }
}

export function hasEnough(): boolean {
  return SPARE - ownDatabase().taken >= ENOUGH
}

/**
 * Where there is no schema of the name yet, a spare one gets it, and is another one than its copies in other databases.
 * Without a spare one nothing happens.
 */
export async function takeSpareSchema(name: string): Promise<void> {
  const own = ownDatabase()
  if (own.taken === SPARE) return
  setOwnDatabase({ ...own, taken: own.taken + 1 })
  await query(
    postgresUrl(),
    `DO $$ BEGIN
       IF to_regnamespace('${name}') IS NULL THEN
         ALTER SCHEMA ${spare(own.taken)} RENAME TO ${name};
         UPDATE ${name}.identity SET id = replace(CAST(gen_random_uuid() AS TEXT), '-', ''),
           generation_key = left(replace(CAST(gen_random_uuid() AS TEXT), '-', ''), 16);
       END IF;
     END $$`,
  )
}
