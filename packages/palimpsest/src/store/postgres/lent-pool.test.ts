import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { postgresPlace, type StorePlace } from '../../../../../test/stores.ts'
import { createPalimpsest } from '../../palimpsest.ts'
import { storeContract } from '../../testing/index.ts'
import { Chat } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import type { Store } from '../store.ts'
import { type PostgresPoolOptions, postgres } from './index.ts'

let place: StorePlace
let schema: string
const pools: pg.Pool[] = []

beforeEach(async () => {
  place = postgresPlace()
  schema = place.address.slice('postgres:'.length)
  await (await place.open()).close()
})

afterEach(async () => {
  for (const pool of pools.splice(0)) if (!pool.ending) await pool.end()
  await place.remove()
})

function poolWith(config: pg.PoolConfig = {}): pg.Pool {
  const pool = new pg.Pool({ connectionString: postgresUrl(), ...config })
  pools.push(pool)
  return pool
}

async function open(pool: pg.Pool, options: Partial<PostgresPoolOptions> = {}): Promise<Store> {
  const store = postgres({ pool, schema, ...options })
  await store.open()
  return store
}

async function listeners(pool: pg.Pool): Promise<readonly number[]> {
  const client = await pool.connect()
  const ofClient = client.listenerCount('error')
  client.release()
  return [ofClient, ...['error', 'connect', 'acquire', 'remove'].map(event => pool.listenerCount(event))]
}

/** Ends the connections of a pool as a server does that is started anew. */
async function breakConnections(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query('SELECT pg_backend_pid() AS pid')
  const admin = poolWith({ max: 1 })
  await admin.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
  await expect.poll(() => pool.totalCount).toBe(0)
}

const SETTINGS = ['search_path', 'statement_timeout', 'application_name', 'enable_seqscan', 'lock_timeout']

describe('a pool of the caller', () => {
  test('is shared with queries of the caller, and stays as it was set', async () => {
    const pool = poolWith({
      max: 3,
      options:
        '-c search_path=pg_catalog -c statement_timeout=60000 -c default_transaction_isolation=serializable',
      // All as texts, as many a program has it.
      types: { getTypeParser: () => (value: unknown) => value as never },
    })
    const settings = async () =>
      Promise.all(SETTINGS.map(async name => (await pool.query(`SHOW ${name}`)).rows[0][name]))
    const [before, heard] = [await settings(), await listeners(pool)]
    const store = await open(pool)
    const chats = Array.from({ length: 8 }, (_, index) => new Chat(store, `chat-${index}`))
    await Promise.all([
      ...chats.map(chat => chat.say(5)),
      ...chats.map(() => pool.query('SELECT pg_sleep(0.01)')),
    ])
    for (const chat of chats)
      expect(await store.log.readMessages(chat.key, { from: 'newest', limit: 9 })).toHaveLength(5)
    await store.erasure.scrub()
    await store.database.checkUp?.({ now: Date.now(), isDeep: true })
    expect((await pool.query('SELECT CAST(7 AS BIGINT) AS big')).rows).toEqual([{ big: '7' }])
    await store.close()
    expect(await settings()).toEqual(before)
    expect(await listeners(pool)).toEqual(heard)
  })

  test('of one connection is enough, also beside queries of the caller', async () => {
    const pool = poolWith({ max: 1 })
    await using palimpsest = await createPalimpsest({ store: postgres({ pool, schema }) })
    const chats = Array.from({ length: 12 }, (_, index) => palimpsest.session(`s-${index}`))
    await Promise.all(
      chats.flatMap(chat => [chat.append({ role: 'user', content: 'Hello' }), pool.query('SELECT 1')]),
    )
    await Promise.all(chats.flatMap(chat => [chat.context(), pool.query('SELECT 1')]))
    expect(pool.totalCount).toBe(1)
    for (const chat of chats) expect(await chat.messages()).toHaveLength(1)
  })

  test('is not ended with the store, and several stores have it', async () => {
    const pool = poolWith({ max: 2 })
    const [one, other] = [await open(pool), await open(pool)]
    await new Chat(one).say(1)
    await one.close()
    await new Chat(other).say(1)
    await other.close()
    expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
  })

  test('keeps a time-out of a connection through a scrub', async () => {
    const pool = poolWith({ max: 1, onConnect: client => void client.query("SET statement_timeout = '33s'") })
    const store = await open(pool)
    await store.erasure.scrub()
    await store.close()
    expect((await pool.query('SHOW statement_timeout')).rows).toEqual([{ statement_timeout: '33s' }])
  })

  test('whose connections break goes on with others', async () => {
    const pool = poolWith({ max: 1 })
    const told: Error[] = []
    pool.on('error', error => told.push(error))
    const store = await open(pool)
    await breakConnections(pool)
    expect(told).toHaveLength(1)
    await new Chat(store).say(1)
    await store.close()
  })

  test('whose statements are taken away fails once, with words, and goes on', async () => {
    const pool = poolWith({ max: 1 })
    const store = await open(pool)
    await new Chat(store).say(1)
    await pool.query('DISCARD ALL')
    const error = await refuses(new Chat(store).say(1), 'store_failed')
    expect(error.message).toContain('DISCARD ALL')
    await new Chat(store, 'other').say(1)
    await store.close()
  })
})

describe('a pool of the caller that was ended too early', () => {
  test('refuses to be opened, with words', async () => {
    const pool = poolWith()
    await pool.end()
    const error = await refuses(postgres({ pool, schema }).open(), 'store_unavailable')
    expect(error.message).toContain('the pool was ended')
  })

  test('refuses what comes later, and the store can be closed', async () => {
    const pool = poolWith()
    const store = await open(pool)
    await pool.end()
    await refuses(new Chat(store).say(1), 'store_unavailable')
    await refuses(store.database.readIdentity(), 'store_unavailable')
    await store.close()
  })

  test('refuses what waits for a connection', async () => {
    const pool = poolWith({ max: 1 })
    const store = await open(pool)
    const taken = await pool.connect()
    const waiting = [
      refuses(new Chat(store).say(1), 'store_unavailable'),
      refuses(store.database.readIdentity(), 'store_unavailable'),
    ]
    await expect.poll(() => pool.waitingCount).toBeGreaterThan(0)
    const ended = pool.end()
    taken.release()
    await Promise.all([ended, ...waiting])
    await store.close()
  })
})

test('a pool without a free connection in its time says so', async () => {
  const pool = poolWith({ max: 1, connectionTimeoutMillis: 2_500 })
  const store = await open(pool)
  const taken = await pool.connect()
  const error = await refuses(new Chat(store).say(1), 'store_unavailable')
  expect(error.message).toContain('connectionTimeoutMillis')
  taken.release()
  await new Chat(store).say(1)
  await store.close()
})

test.each([
  ['no pool', { pool: {} as pg.Pool }, /pool/],
  ['one that reads bytes', { binary: true }, /text/],
  ['a number of connections', { connections: 3 }, /connections/],
  ['a queue', { queue: true }, /queue/],
])('%s is refused', (_, { binary = false, ...options }: Record<string, unknown>, words) => {
  const pool = poolWith({ binary } as pg.PoolConfig)
  expect(() => postgres({ pool, ...options })).toThrow(words)
})

/** All of it passes; these open, write and read in every way in which a connection is used. */
const ABOUT = /^(append|commitFold|events):/

test.for(storeContract.filter(({ name }) => ABOUT.test(name)))('by a lent pool: $name', async ({ run }) => {
  const pool = poolWith({ max: 2 })
  await run(() => open(pool))
})
