import { afterAll, describe, expect, test } from 'vitest'
import { postgresUrl } from '../postgres/url.ts'
import { sqlitePlace } from '../stores.ts'
import { DATABASES, inPostgres, postgresDatabase } from './databases.ts'
import { runHere } from './run.ts'

const place = sqlitePlace()
const file = place.address.slice('sqlite:'.length)
afterAll(() => place.remove())

test('doctor tells what the spend guard has counted in this hour, and whether a limit is reached', async () => {
  const store = await place.open()
  const key = { namespace: 'default', id: 'chat' }
  const limits = { calls: 2, tokens: null, sessionCalls: null, sessionTokens: null }
  const spend = () =>
    store.spending.reserveCall(key, { model: 'local:qwen3', limits, tokens: 300, now: Date.now() })
  await store.settings.writeSettings('default', { summaryCallsPerHour: 2 })
  const doctor = (...flags: string[]) => runHere(['doctor', '--db', file, ...flags])
  expect((await doctor()).stdout).not.toContain('spend guard')
  await spend()
  expect(await doctor()).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/ok +spend guard: 1 of 2 calls and 300 tokens of local:qwen3 since /),
  })
  await spend()
  expect(await doctor()).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/BAD +spend guard: 2 of 2 calls .*folds are made without it/),
  })
  await store.close()
})

test.each(['SQLite', 'PostgreSQL'] as const)('doctor forgets a reader of events, on %s', async name => {
  const database = await DATABASES[name]()
  try {
    await database.use(store =>
      store.events.noteConsumer('acme', { name: 'crm', after: null, now: Date.now() }),
    )
    const doctor = (...flags: string[]) => runHere(['doctor', ...database.flags, ...flags])
    expect((await doctor()).stdout).toContain('1 known readers')
    expect(await doctor('--forget-consumer', 'crm')).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('namespace default'),
    })
    expect(await doctor('--forget-consumer', 'crm', '--namespace', 'acme')).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/ok +reader of events: crm is forgotten[\s\S]*0 known readers/),
    })
  } finally {
    await database.remove()
  }
})

describe('doctor on PostgreSQL', () => {
  test('has a finding where a role may not look at the queue, and tells the rest', async () => {
    const database = await postgresDatabase()
    const role = `${new URL(database.address).pathname.slice(1)}_look`
    try {
      expect((await runHere(['migrate', ...database.flags])).code).toBe(0)
      await inPostgres(
        database.address,
        `CREATE ROLE ${role} LOGIN PASSWORD 'look'`,
        `GRANT USAGE ON SCHEMA palimpsest TO ${role}`,
        `GRANT SELECT ON ALL TABLES IN SCHEMA palimpsest TO ${role}`,
      )
      const url = Object.assign(new URL(database.address), { username: role, password: 'look' }).href
      const look = () => runHere(['doctor', '--store', url])
      const refused =
        /ok +schema:[\s\S]*ok +settings:[\s\S]*BAD +queue: .*permission denied for .* palimpsest_jobs/
      expect(await look()).toMatchObject({ code: 1, stdout: expect.stringMatching(refused) })
      await inPostgres(database.address, `GRANT USAGE ON SCHEMA palimpsest_jobs TO ${role}`)
      expect(await look()).toMatchObject({
        code: 1,
        stdout: expect.stringMatching(/BAD +queue: .*permission/),
      })
      await inPostgres(database.address, `GRANT SELECT ON ALL TABLES IN SCHEMA palimpsest_jobs TO ${role}`)
      expect(await look()).toMatchObject({ code: 0, stdout: expect.stringMatching(/ok +queue: 0 waiting/) })
    } finally {
      await database.remove()
      await inPostgres(postgresUrl(), `DROP ROLE IF EXISTS ${role}`)
    }
  })

  test('misses a primary key', async () => {
    const database = await postgresDatabase()
    try {
      await database.use(async () => {})
      await inPostgres(database.address, 'ALTER TABLE palimpsest.segments DROP CONSTRAINT segments_pkey')
      expect(await runHere(['doctor', ...database.flags])).toMatchObject({
        code: 1,
        stdout: expect.stringContaining('missing: the primary key of segments'),
      })
    } finally {
      await database.remove()
    }
  })
})
