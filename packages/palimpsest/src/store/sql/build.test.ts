import { afterAll, beforeAll, expect, test } from 'vitest'
import { sqliteBeside, sqlitePlace } from '../../../../../test/stores.ts'
import { createPalimpsest, type Palimpsest } from '../../index.ts'
import { SqliteDriver } from '../sqlite/driver.ts'
import { buildSession } from './build.ts'
import { first, run } from './steps.ts'

const place = sqlitePlace()
const file = place.address.slice('sqlite:'.length)
let palimpsest: Palimpsest
let driver: SqliteDriver

beforeAll(async () => {
  palimpsest = await createPalimpsest({ store: await place.open() })
  driver = new SqliteDriver(file, { durability: 'normal' })
  await driver.open()
})

afterAll(async () => {
  await driver.close()
  await palimpsest.close()
  await place.remove()
})

const options = {
  traits: { kind: 'private', user: null, scope: null },
  event: { type: 'session-imported', at: 0 },
} as const

test('what a dead process left is taken away by the next build, and nothing else is', async () => {
  const chat = palimpsest.session('kept')
  await chat.append(
    Array.from({ length: 50 }, (_, index) => ({ role: 'user' as const, content: `message ${index}` })),
  )
  const file = await chat.export()
  const database = sqliteBeside(place.address)
  database.exec(`INSERT INTO sessions (namespace, name_key, name, ready, kind, created_at, lease_until)
    VALUES ('default', 'x', 'dead', 0, 'private', 0, 1)`)
  // Another one, whose process thought that it was another year.
  database.exec(`INSERT INTO sessions (namespace, name_key, name, ready, kind, created_at, lease_until)
    VALUES ('default', 'y', 'dead', 0, 'private', 0, ${Date.now() + 365 * 86_400_000})`)
  await palimpsest.import(file, { id: 'copy' })
  expect(database.prepare('SELECT count(*) AS count FROM sessions WHERE ready = 0').get()).toEqual({
    count: 0,
  })
  database.close()
  expect(await chat.count()).toBe(50)
  expect(await palimpsest.session('copy').count()).toBe(50)
  expect(await palimpsest.session('dead').info()).toBeNull()
})

test('a build that somebody took for abandoned fails, and touches no other session', async () => {
  const building = buildSession(driver, { namespace: 'default', id: 'slow' }, options, async build => {
    await build.write(() => first('SELECT 1'))
    await driver.write(() => run('DELETE FROM sessions WHERE id = ?1', build.session.id))
    await palimpsest.session('innocent').append({ role: 'user', content: 'hi' })
    await build.write(() => first('SELECT 1'))
  })
  await expect(building).rejects.toMatchObject({ code: 'lease_lost' })
  expect(await palimpsest.session('innocent').count()).toBe(1)
  expect(await palimpsest.session('slow').info()).toBeNull()
})
