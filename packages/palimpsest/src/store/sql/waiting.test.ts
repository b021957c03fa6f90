import { afterAll, beforeAll, expect, test } from 'vitest'
import { driverFor } from '../../../../../test/faults/drivers.ts'
import { sqliteBeside, sqlitePlace } from '../../../../../test/stores.ts'
import { Chat, message } from '../../testing/store-contract/chat.ts'
import type { Driver } from './driver.ts'
import { SqlStore } from './sql-store.ts'
import type { Steps } from './steps.ts'

const place = sqlitePlace()
const asked: string[] = []
const store = new SqlStore(listening(driverFor(place.address, '')), () => {})

function listening(driver: Driver): Driver {
  function* heard<Result>(steps: Steps<Result>): Steps<Result> {
    let next = steps.next()
    while (!next.done) {
      asked.push(...[next.value].flat().map(({ sql }) => sql))
      next = steps.next(yield next.value)
    }
    return next.value
  }
  return {
    name: driver.name,
    dialect: driver.dialect,
    open: () => driver.open(),
    close: () => driver.close(),
    read: steps => driver.read(() => heard(steps())),
    write: steps => driver.write(() => heard(steps())),
    scrub: onScrub => driver.scrub(onScrub),
  }
}

async function askedBy(call: () => Promise<unknown>): Promise<readonly string[]> {
  asked.length = 0
  await call()
  return asked.filter(sql => sql.includes('waiting'))
}

beforeAll(() => store.open())
afterAll(async () => {
  await store.close()
  await place.remove()
})

test('an append that nobody waits for asks nothing about it', async () => {
  const chat = new Chat(store)
  expect(await askedBy(() => chat.ask({ burst: 'ann', address: {} }, message('one')))).toHaveLength(1)
  expect(await askedBy(() => chat.append(message('two'), message('three')))).toEqual([])
})

test('what waits is read without a look at sessions where nobody does', async () => {
  const [sql] = await askedBy(() => store.inbox.readWaiting('test', { limit: 9 }))
  const database = sqliteBeside(place.address, { readOnly: true })
  const plan = database.prepare(`EXPLAIN QUERY PLAN ${sql}`).all('test', 0, 9)
  database.close()
  const looks = plan.map(({ detail }) => String(detail)).filter(detail => !detail.includes('SUBQUERY'))
  expect(looks).toEqual([
    'SEARCH w USING INDEX waiting_in_order (namespace=? AND id>?)',
    'SEARCH s USING INTEGER PRIMARY KEY (rowid=?)',
    'SEARCH s USING INTEGER PRIMARY KEY (rowid=?)',
  ])
})
