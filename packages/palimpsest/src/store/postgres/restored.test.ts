import pg from 'pg'
import { expect, test } from 'vitest'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { changeRows, postgresPlace } from '../../../../../test/stores.ts'
import { Chat } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'
import type { Store } from '../index.ts'
import { postgres } from './index.ts'

const DAY_MS = 86_400_000

/** As `pg_restore` does it: tables made anew, with the rows as they were on a server that was far ahead, or behind. */
const restored = (transactions: string) => `
  ALTER TABLE events RENAME TO before;
  CREATE TABLE events (LIKE before INCLUDING ALL);
  INSERT INTO events OVERRIDING SYSTEM VALUE SELECT * FROM before;
  UPDATE events SET transaction_id = CAST(CAST(CAST(transaction_id AS TEXT) AS BIGINT) ${transactions} AS TEXT)::xid8;
  DROP TABLE before CASCADE`

test.each(['+ 1000000000', '- 10'])(
  'a database that was restored, its transactions %s',
  async transactions => {
    const place = postgresPlace()
    const store = await place.open()
    await new Chat(store).say(3)
    const identity = await store.database.readIdentity()
    // While a transaction of another test is older, events are not told yet, and are after this position.
    await expect
      .poll(() => store.events.readEvents({ after: null, limit: 10 }), { timeout: 30_000 })
      .toHaveLength(2)
    const position = await store.events.readLastPosition()
    await store.close()

    // Opened again where it was, it is the same.
    const same = await place.open()
    expect(await same.database.readIdentity()).toEqual(identity)
    expect(await same.events.readEvents({ after: position, limit: 10 })).toEqual([])
    await same.close()

    await changeRows(place, restored(transactions))
    const elsewhere = await place.open()
    const now = await elsewhere.database.readIdentity()
    expect(now).toMatchObject({ id: identity.id, generation: identity.generation + 1 })
    expect(now.generationKey).not.toBe(identity.generationKey)
    await refuses(elsewhere.events.readEvents({ after: position, limit: 10 }), 'position_lost')
    const last = await elsewhere.events.readLastPosition()
    const tell = async (after: string | null) =>
      (await elsewhere.events.readEvents({ after, limit: 100 })).map(({ type, toSeq }) => [type, toSeq])
    expect(await tell(null)).toEqual([
      ['session-created', null],
      ['message-appended', 3],
    ])
    expect(await tell(last)).toEqual([])
    await new Chat(elsewhere).say(1)
    await expect.poll(() => tell(last), { timeout: 30_000 }).toEqual([['message-appended', 4]])
    await elsewhere.close()
    await place.remove()
  },
)

test('what was trimmed before a restore is told to nobody after it', async () => {
  const place = postgresPlace()
  const store = await place.open()
  const chat = new Chat(store)
  await chat.say(12)
  await chat.fold(4)
  await chat.say(1)
  const told = async (from: Store, count: number) => {
    const read = async () =>
      (await from.events.readEvents({ after: null, limit: 100 })).map(({ type }) => type)
    await expect.poll(read, { timeout: 30_000 }).toHaveLength(count)
    return read()
  }
  await told(store, 4)
  const request = { retentionMs: 2 * DAY_MS, keepNewest: 1 }
  for (let day = 1; day <= 4; day += 1) await store.events.trimEvents({ ...request, now: day * DAY_MS })
  expect(await told(store, 1)).toEqual(['message-appended'])
  await store.events.noteConsumer('test', { name: 'reader', after: null, now: 4 * DAY_MS })
  await store.close()

  await changeRows(place, restored('+ 0'))
  const elsewhere = await place.open()
  expect(await told(elsewhere, 1)).toEqual(['message-appended'])
  expect(await elsewhere.folds.readFolds(chat.key, { limit: 10 })).toHaveLength(1)
  const first = await elsewhere.events.readFirstPosition()
  await new Chat(elsewhere).say(1)
  await told(elsewhere, 2)
  // The reader of before holds nothing; it is told in any case.
  for (let day = 5; day <= 9; day += 1) await elsewhere.events.trimEvents({ ...request, now: day * DAY_MS })
  await told(elsewhere, 1)
  await refuses(elsewhere.events.readEvents({ after: first, limit: 10 }), 'position_lost')
  expect(await elsewhere.folds.readFolds(chat.key, { limit: 10 })).toHaveLength(1)
  await elsewhere.close()
  await place.remove()
})

test('roles that may ask for different parts of the place begin no generation in turn', async () => {
  const place = postgresPlace()
  const store = await place.open()
  const { generation } = await store.database.readIdentity()
  await store.close()
  const placeNow = async () => {
    const client = new pg.Client(postgresUrl())
    await client.connect()
    const { rows } = await client.query(
      `SELECT place FROM ${place.address.slice('postgres:'.length)}.identity`,
    )
    await client.end()
    return rows[0].place as string
  }
  const whole = await placeNow()
  const opened = async () => {
    const next = await place.open()
    const identity = await next.database.readIdentity()
    await next.close()
    return identity.generation
  }
  // As a role that may not ask for the server has left it.
  await changeRows(place, `UPDATE identity SET place = '${whole.split('/').slice(2).join('/')}'`)
  expect(await opened()).toBe(generation)
  expect(await placeNow()).toBe(whole)
  // Another server, once it was known which one it was.
  await changeRows(place, `UPDATE identity SET place = '1/1/${whole.split('/').slice(2).join('/')}'`)
  expect(await opened()).toBe(generation + 1)
  await place.remove()
})

test('a role with time-outs begins a generation, however many events there are', async () => {
  const place = postgresPlace()
  const store = await place.open()
  await new Chat(store).say(3)
  await store.close()
  const schema = place.address.slice('postgres:'.length)
  // Each takes a moment: longer than the role gives a transaction.
  await changeRows(
    place,
    `UPDATE identity SET place = '1/1/1/1';
     CREATE FUNCTION linger() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN PERFORM pg_sleep(1.5); RETURN new; END';
     CREATE TRIGGER lingers BEFORE UPDATE ON events FOR EACH ROW EXECUTE FUNCTION linger()`,
  )
  const settings = ['statement_timeout', 'transaction_timeout', 'idle_in_transaction_session_timeout']
  const options = encodeURIComponent(settings.map(name => `-c ${name}=2000`).join(' '))
  const slow = postgres(`${postgresUrl()}?options=${options}`, { schema })
  await slow.open()
  expect((await slow.database.readIdentity()).generation).toBe(2)
  await slow.close()
  await place.remove()
})
