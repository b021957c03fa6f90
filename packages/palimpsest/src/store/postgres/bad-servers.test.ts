import { createServer, type Server } from 'node:net'
import { inspect } from 'node:util'
import pg from 'pg'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { postgresPlace } from '../../../../../test/stores.ts'
import { Chat, checkFigures } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import { toStoreError } from './errors.ts'
import { postgres } from './index.ts'

const servers: Server[] = []

afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise(resolve => server.close(resolve))
})

/** A port of this machine on which something listens, until it is closed. */
async function listen(onConnection: Parameters<typeof createServer>[1] = () => {}): Promise<number> {
  const server = createServer(onConnection)
  servers.push(server)
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}

async function query(sql: string): Promise<void> {
  const client = new pg.Client(postgresUrl())
  await client.connect()
  await client.query(sql)
  await client.end()
}

test.for(['statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout'])(
  'what %s ended is not said to be out of reach',
  async setting => {
    const place = postgresPlace()
    const schema = place.address.slice('postgres:'.length)
    await new Chat(await place.open()).say(1)
    await query(
      `CREATE FUNCTION ${schema}.linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(5); RETURN new; END';
       CREATE TRIGGER lingers BEFORE INSERT ON ${schema}.messages FOR EACH ROW EXECUTE FUNCTION ${schema}.linger()`,
    )
    if (setting === 'idle_in_transaction_session_timeout') {
      const idle = Object.assign(new Error('terminating connection due to idle-in-transaction timeout'), {
        code: '25P03',
      })
      expect(toStoreError(idle, 'it')).toMatchObject({ code: 'store_failed' })
    } else {
      const options = encodeURIComponent(`-c ${setting}=1500`)
      const slow = postgres(`${postgresUrl()}?options=${options}`, { schema })
      await slow.open()
      const failed = await new Chat(slow).say(1).catch(error => error)
      expect(failed).toMatchObject({ code: 'store_failed', message: expect.stringContaining('time-out') })
      await slow.close()
    }
    await place.remove()
  },
)

describe('a server that cannot be used', () => {
  test('because nothing listens there is unavailable at once', async () => {
    const port = await listen()
    const server = servers.pop()!
    await new Promise(resolve => server.close(resolve))
    const store = postgres(`postgres://user:secret@127.0.0.1:${port}/db`)
    await refuses(store.open(), 'store_unavailable')
    await store.close()
  })

  test('because it never answers is unavailable after the time-out', async () => {
    const sockets = new Set<{ destroy(): void }>()
    const port = await listen(socket => sockets.add(socket))
    const store = postgres(`postgres://user:secret@127.0.0.1:${port}/db`, { connectTimeoutMs: 50 })
    await refuses(store.open(), 'store_unavailable')
    for (const socket of sockets) socket.destroy()
  })

  test('because it hangs up is unavailable', async () => {
    const port = await listen(socket => socket.destroy())
    await refuses(postgres(`postgres://user:secret@127.0.0.1:${port}/db`).open(), 'store_unavailable')
  })

  test.for([
    ['user', { username: 'nobody' }],
    ['password', { password: 'secret' }],
    ['missing password', { password: '' }],
    ['database', { pathname: '/missing' }],
  ] as const)('because of a wrong %s is unavailable', async ([, change]) => {
    const url = Object.assign(new URL(postgresUrl()), change)
    const error = await refuses(postgres(url.href).open(), 'store_unavailable')
    expect(`${error.message} ${JSON.stringify(error)}`).not.toContain('secret')
  })

  test('can be used once it is there', async () => {
    const place = postgresPlace()
    const schema = place.address.split(':')[1]!
    const store = postgres(postgresUrl(), { schema })
    const connect = vi.spyOn(pg.Pool.prototype, 'connect').mockImplementationOnce(() => {
      throw Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' })
    })
    await refuses(store.open(), 'store_unavailable')
    connect.mockRestore()
    await store.open()
    expect(await new Chat(store).say(1)).toEqual([1])
    await store.close()
    await place.remove()
  })
})

test.for([
  'postgres://user:secret@127.0.0.1:1/db',
  'postgres://user:sec@secret@127.0.0.1:1/db',
  'postgres://user:sec/secret@127.0.0.1:1/db',
  'postgres://user:sec?secret@127.0.0.1:1/db',
  'postgres://127.0.0.1:1/db?user=user&password=secret',
  'postgres://user@127.0.0.1:1/db?password=secret#a',
  'host=127.0.0.1 port=1 password=secret',
])('no error tells the password of %s', async url => {
  const store = postgres(url, { connectTimeoutMs: 50 })
  expect(store.name).not.toContain('secret')
  const error = await store.open().then(
    () => null,
    error => error,
  )
  expect(error).toMatchObject({ code: expect.stringMatching(/^store_/) })
  expect(`${inspect(error)} ${JSON.stringify(error)}`).not.toContain('secret')
})

test('a schema that a newer version wrote is left alone', async () => {
  const place = postgresPlace()
  const schema = place.address.split(':')[1]!
  await (await place.open()).close()
  await query(`INSERT INTO ${schema}.migrations VALUES (999, now())`)
  const store = postgres(postgresUrl(), { schema })
  await refuses(store.open(), 'store_version')
  await place.remove()
})

test('a migration is not cancelled by the time-outs that a role has for its statements', async () => {
  const place = postgresPlace()
  const schema = place.address.split(':')[1]!
  // Another process migrates, for longer than a statement of this role may take.
  const [other, watcher] = [new pg.Client(postgresUrl()), new pg.Client(postgresUrl())]
  for (const client of [other, watcher]) await client.connect()
  await other.query("BEGIN; SELECT pg_advisory_xact_lock(x'50414c49'::int)")
  const settings = `-c statement_timeout=1000 -c lock_timeout=1000 -c transaction_timeout=1000 -c application_name=${schema}`
  const store = postgres(`${postgresUrl()}?options=${encodeURIComponent(settings)}`, { schema })
  const opening = store.open()
  opening.catch(() => {})
  const waiting = async () => {
    const { rows } = await watcher.query(
      `SELECT 1 FROM pg_stat_activity WHERE application_name = $1 AND wait_event = 'advisory'
         AND clock_timestamp() > query_start + interval '1500 ms'`,
      [schema],
    )
    return rows.length
  }
  try {
    await expect.poll(waiting, { timeout: 10_000 }).toBe(1)
  } finally {
    for (const client of [other, watcher]) await client.end()
  }
  await opening
  expect(await new Chat(store).say(1)).toEqual([1])
  await store.close()
  await place.remove()
})

test('many processes may open an empty place at once', async () => {
  const place = postgresPlace()
  const stores = await Promise.all(Array.from({ length: 6 }, () => place.open()))
  await Promise.all(stores.map((store, index) => new Chat(store, `chat ${index}`).say(1)))
  for (const store of stores) await store.close()
  await place.remove()
})

test('a cursor that makes no sense is taken as none, with a warning', async () => {
  const place = postgresPlace()
  const schema = place.address.split(':')[1]!
  const warn = vi.fn()
  const store = await place.open({ warn })
  const chat = new Chat(store)
  await chat.say(30)
  await chat.fold(10)
  await query(`UPDATE ${schema}.sessions SET compacted_through = 1000000000`)
  expect((await chat.record()).state.compactedThrough).toBe(0)
  expect(warn).toHaveBeenCalled()
  expect(await chat.say(1)).toEqual([31])
  await chat.fold(12)
  await checkFigures(chat)
  await store.close()
  await place.remove()
})
