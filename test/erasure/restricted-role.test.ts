import { randomUUID } from 'node:crypto'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { ErasureReceipt, Palimpsest } from '../../packages/palimpsest/src/index.ts'
import { openBoss } from '../../packages/palimpsest/src/store/postgres/boss.ts'
import { postgres } from '../../packages/palimpsest/src/store/postgres/index.ts'
import { Chat, message } from '../../packages/palimpsest/src/testing/store-contract/chat.ts'
import { runHere } from '../cli/run.ts'
import { dropDatabase } from '../postgres/drop-database.ts'
import { postgresUrl } from '../postgres/url.ts'
import { ANN, CANARIES, fill, World } from './world.ts'

/**
 * A database of its own, so that no other test's transaction keeps rows in it; its tables belong to one role, and the
 * bot connects as another that may read and write them, as docs/stores.md says.
 */
let world: World
let database: string
let bot: string
let owner: pg.Client

beforeEach(async () => {
  world = new World()
  const suffix = randomUUID().replaceAll('-', '').slice(0, 12)
  ;[database, bot] = [`role_${suffix}`, `bot_${suffix}`]
  await asAdmin(`CREATE DATABASE ${database}`, `CREATE ROLE ${bot} LOGIN PASSWORD 'bot'`)
  const store = postgres(urlOf('owner'))
  await store.open()
  await store.close()
  owner = new pg.Client(urlOf('owner'))
  await owner.connect()
  for (const sql of [
    'CREATE EXTENSION pgstattuple',
    `GRANT USAGE ON SCHEMA palimpsest TO ${bot}`,
    `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA palimpsest TO ${bot}`,
  ])
    await owner.query(sql)
})

afterEach(async () => {
  await world.remove()
  await owner.end()
  await dropDatabase(database)
  await asAdmin(`DROP ROLE ${bot}`)
  expect(world.errors).toEqual([])
})

async function asAdmin(...statements: readonly string[]): Promise<void> {
  const client = new pg.Client(postgresUrl())
  await client.connect()
  for (const sql of statements) await client.query(sql)
  await client.end()
}

function urlOf(who: 'owner' | 'bot'): string {
  const url = new URL(postgresUrl())
  url.pathname = `/${database}`
  if (who === 'bot') Object.assign(url, { username: bot, password: 'bot' })
  return url.href
}

function openBot(): Promise<Palimpsest> {
  return world.open({ store: postgres(urlOf('bot'), { connections: 4 }) })
}

/** Rows that were deleted and whose bytes are still there, in tables and in those of long texts beside them. */
async function deletedRows(): Promise<number> {
  const { rows } = await owner.query<{ dead: string }>(
    `SELECT sum((pgstattuple(c.oid)).dead_tuple_count) AS dead FROM pg_class c
     WHERE c.relkind = 'r' AND c.relnamespace = 'palimpsest'::regnamespace
       OR c.oid IN (SELECT reltoastrelid FROM pg_class WHERE relnamespace = 'palimpsest'::regnamespace)`,
  )
  return Number(rows[0]?.dead)
}

function databaseOf({ places }: ErasureReceipt) {
  return places.find(({ place }) => place === 'database')!
}

/** A reader of this database keeps what an older transaction of the server, in any database, may still see. */
async function vacuumUntilDone(palimpsest: Palimpsest, receipt: ErasureReceipt): Promise<void> {
  const isDone = async () => {
    await owner.query(databaseOf(receipt).statement!)
    return (await palimpsest.erasure(receipt.id))?.done
  }
  await expect.poll(isDone, { timeout: 60_000 }).toBe(true)
}

async function forgetAnn(palimpsest: Palimpsest): Promise<ErasureReceipt> {
  await fill(palimpsest, { rounds: 3 })
  const { id } = await palimpsest.forget({ kind: 'person', id: ANN })
  return palimpsest.erased(id)
}

/** What the server has copied of Ann for its planner, by column. */
async function copiesOfAnn(): Promise<readonly string[]> {
  const { rows } = await owner.query<{ place: string }>(
    `SELECT tablename || '.' || attname AS place FROM pg_stats WHERE schemaname LIKE 'palimpsest%'
       AND concat(most_common_vals, histogram_bounds, most_common_elems) ~ $1`,
    [CANARIES.join('|')],
  )
  return rows.map(({ place }) => place)
}

/** As a version before this one left it: the server copies what it likes. */
const COPYING = `DO $$ DECLARE each record; BEGIN
  FOR each IN SELECT c.relkind, c.oid::regclass AS name, a.attnum, quote_ident(a.attname) AS attname FROM pg_attribute a
    JOIN pg_class c ON c.oid = a.attrelid
    WHERE c.relnamespace = 'palimpsest'::regnamespace AND a.attnum > 0 AND a.attstattarget = 0 LOOP
    IF each.relkind = 'i' THEN EXECUTE format('ALTER INDEX %s ALTER COLUMN %s SET STATISTICS -1', each.name, each.attnum);
    ELSE EXECUTE format('ALTER TABLE %s ALTER COLUMN %s SET STATISTICS -1', each.name, each.attname); END IF;
  END LOOP; END $$`

/** Ann is there, and in the copies of the server. */
async function fillAndCopy(palimpsest: Palimpsest): Promise<void> {
  await fill(palimpsest, { rounds: 3 })
  await owner.query(COPYING)
  await owner.query('ANALYZE')
  expect(await copiesOfAnn()).toEqual(
    expect.arrayContaining(['messages.content', 'senders.sender', 'sessions_of_user.substr']),
  )
}

describe('what the server copies for its planner', () => {
  it('is nothing of what people say, and stays so', async () => {
    await fill(await openBot(), { rounds: 3 })
    await owner.query('ANALYZE')
    expect(await copiesOfAnn()).toEqual([])
    const { rows } = await owner.query("SELECT attname FROM pg_stats WHERE tablename = 'messages'")
    expect(rows).toContainEqual({ attname: 'session_id' })
  })

  it('is removed with an erasure by the owner of the tables, and does not come back', async () => {
    const palimpsest = await world.open({ store: postgres(urlOf('owner'), { connections: 4 }) })
    await fillAndCopy(palimpsest)
    const { id } = await palimpsest.forget({ kind: 'person', id: ANN })
    expect(await palimpsest.erased(id)).toMatchObject({ done: true })
    expect(await copiesOfAnn()).toEqual([])
    await palimpsest.session('later').append({ role: 'user', content: CANARIES.join(' ') })
    await owner.query('ANALYZE')
    expect(await copiesOfAnn()).toEqual([])
  })

  it('is removed with an erasure by a role that may maintain the tables', async () => {
    await owner.query(`GRANT MAINTAIN ON ALL TABLES IN SCHEMA palimpsest TO ${bot}`)
    const palimpsest = await openBot()
    await fillAndCopy(palimpsest)
    // Once the owner has opened them with this version; of an index another role cannot see what is kept.
    const opened = postgres(urlOf('owner'))
    await opened.open()
    await opened.close()
    const { id } = await palimpsest.forget({ kind: 'person', id: ANN })
    expect(await palimpsest.erased(id)).toMatchObject({ done: true })
    expect(await copiesOfAnn()).toEqual([])
  })

  it('keeps a receipt pending where the role may not, with the statement that removes it', async () => {
    const palimpsest = await openBot()
    await fillAndCopy(palimpsest)
    const { id } = await palimpsest.forget({ kind: 'person', id: ANN })
    const receipt = await palimpsest.erased(id)
    expect(databaseOf(receipt)).toMatchObject({
      state: 'pending',
      note: expect.stringContaining('pg_stats'),
      statement: expect.stringContaining('ALTER COLUMN content SET STATISTICS 0'),
    })
    expect(await copiesOfAnn()).not.toEqual([])
    await owner.query(databaseOf(receipt).statement!)
    expect(await copiesOfAnn()).toEqual([])
    const next = (await palimpsest.erasure(id))!
    expect(databaseOf(next).statement).toMatch(/^VACUUM/)
    await vacuumUntilDone(palimpsest, next)
  })
})

describe('a role that may not vacuum', () => {
  it('gets a receipt that is pending, with the statement that makes it done', async () => {
    const palimpsest = await openBot()
    const receipt = await forgetAnn(palimpsest)
    expect(await deletedRows()).toBeGreaterThan(0)
    expect(receipt.done).toBe(false)
    const { state, note, statement } = databaseOf(receipt)
    expect(state).toBe('pending')
    expect(note).toContain(`GRANT MAINTAIN ON ALL TABLES IN SCHEMA palimpsest TO ${bot}`)
    expect(statement).toMatch(/^VACUUM \(FREEZE, INDEX_CLEANUP ON\) .*palimpsest\.messages.*;$/)
    const others = receipt.places.filter(({ place }) => place !== 'database')
    expect(others.every(place => place.state === 'done')).toBe(true)
    // Another process says the same, and a restart forgets nothing.
    await palimpsest.close()
    const next = await openBot()
    expect(await next.erasure(receipt.id)).toEqual(receipt)

    await vacuumUntilDone(next, receipt)
    const done = await next.erased(receipt.id)
    expect(databaseOf(done)).toEqual({ place: 'database', count: 1, state: 'done' })
    // Down to the record itself, which the next erasure does not look at any more.
    const stages = () => owner.query('SELECT stage FROM palimpsest.erasures').then(({ rows }) => rows)
    await expect.poll(stages, { timeout: 30_000 }).toEqual([{ stage: 'done' }])
  })

  it('does not take a vacuum for one that could not remove the rows, or that came before', async () => {
    const palimpsest = await openBot()
    await fill(palimpsest, { rounds: 3 })
    // A snapshot that still sees what is erased below.
    const reader = new pg.Client(urlOf('owner'))
    await reader.connect()
    await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM palimpsest.messages')
    const { id } = await palimpsest.forget({ kind: 'person', id: ANN })
    const { statement } = databaseOf(await palimpsest.erased(id))
    await owner.query(statement!)
    expect(await palimpsest.erasure(id)).toMatchObject({ done: false })
    expect(await deletedRows()).toBeGreaterThan(0)
    await reader.query('COMMIT')
    await reader.end()
    await vacuumUntilDone(palimpsest, await palimpsest.erased(id))
    expect(await palimpsest.erased(id)).toMatchObject({ done: true })
  })

  it('is told what to be granted for the queue, too, and can do it all then', async () => {
    const queue = await openBoss({ url: urlOf('owner'), schema: 'palimpsest' }, 'sender')
    await queue.stop({ graceful: false })
    await owner.query(`GRANT USAGE ON SCHEMA palimpsest_jobs TO ${bot}`)
    await owner.query(
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA palimpsest_jobs TO ${bot}`,
    )
    const palimpsest = await openBot()
    const receipt = await forgetAnn(palimpsest)
    const [grant] = /GRANT MAINTAIN .*/.exec(databaseOf(receipt).note!)!
    expect(grant).toBe(`GRANT MAINTAIN ON ALL TABLES IN SCHEMA palimpsest, palimpsest_jobs TO ${bot}`)
    await owner.query(grant)
    await palimpsest.close()
    expect(await (await openBot()).erased(receipt.id)).toMatchObject({ done: true })
  })

  it('does the rest itself once it may', async () => {
    const palimpsest = await openBot()
    const { id } = await forgetAnn(palimpsest)
    await owner.query(`GRANT MAINTAIN ON ALL TABLES IN SCHEMA palimpsest TO ${bot}`)
    await palimpsest.close()
    const next = await openBot()
    expect(await next.erased(id)).toMatchObject({ done: true })
  })

  it('is told by the command line, which does not wait for ever', async () => {
    const palimpsest = await openBot()
    await fill(palimpsest, { rounds: 3 })
    await palimpsest.close()
    const flags = ['--store', urlOf('bot')]
    const { code, stdout } = await runHere(['forget', '--user', ANN, '--yes', ...flags])
    expect(code).toBe(77)
    const [statement] = /VACUUM .*;/.exec(stdout)!
    await owner.query(statement)
    const later = await runHere(['forget', '--receipt', '1', ...flags])
    expect(later.code).toBe(0)
    expect(later.stdout).toContain('done')
    expect(later.stdout).not.toContain('VACUUM')
  })
})

describe('a role that may', () => {
  it.each([
    ['MAINTAIN on each table', () => `GRANT MAINTAIN ON ALL TABLES IN SCHEMA palimpsest TO ${bot}`],
    ['pg_maintain', () => `GRANT pg_maintain TO ${bot}`],
    ['membership in the role that owns them', () => `GRANT postgres TO ${bot}`],
    ['the whole database', () => `ALTER DATABASE ${database} OWNER TO ${bot}`],
  ])('by %s removes the rows, and says so when they are gone', async (_, grant) => {
    await owner.query(grant())
    const receipt = await forgetAnn(await openBot())
    expect(receipt.done).toBe(true)
    const dead = await owner.query(
      `SELECT c.relname FROM pg_class c WHERE c.relkind = 'r' AND c.relnamespace = 'palimpsest'::regnamespace
         AND c.relname IN ('messages', 'segments', 'senders', 'facts') AND (pgstattuple(c.oid)).dead_tuple_count > 0`,
    )
    expect(dead.rows).toEqual([])
  })

  it('is not hindered by the time-outs that it has for its statements', async () => {
    // Of one table, so that it takes some seconds and not a minute.
    await owner.query(`GRANT MAINTAIN ON palimpsest.messages TO ${bot}`)
    const store = postgres(`${urlOf('bot')}?options=${encodeURIComponent(SLOW_VACUUM)}`)
    await store.open()
    // Some pages, each of which it changes.
    const text = (place: number) => `${place} ${'x'.repeat(1_800)}`
    await new Chat(store).append(...Array.from({ length: 60 }, (_, place) => message(text(place))))
    const oldest = async () => {
      const { rows } = await owner.query(
        "SELECT relfrozenxid::text AS oldest FROM pg_class WHERE oid = 'palimpsest.messages'::regclass",
      )
      return rows[0].oldest
    }
    const before = await oldest()
    expect(await store.erasure.scrub()).toBe(false)
    expect(await oldest()).not.toBe(before)
    await store.close()
  })
})

/** A vacuum that rests 400 ms after a page that it changed: longer than a statement may take. */
const SLOW_VACUUM =
  '-c vacuum_cost_delay=100 -c vacuum_cost_limit=1 -c statement_timeout=2000 -c lock_timeout=2000'
