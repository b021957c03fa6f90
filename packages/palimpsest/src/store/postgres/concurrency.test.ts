import pg from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { postgresPlace } from '../../../../../test/stores.ts'
import { createPalimpsest, type Palimpsest } from '../../index.ts'
import { tokens } from '../../policy/index.ts'
import { senderKey } from '../sql/append.ts'
import { SqlStore } from '../sql/sql-store.ts'
import { PostgresDriver } from './driver.ts'
import { toStoreError } from './errors.ts'
import { postgres } from './index.ts'

const url = postgresUrl()
const place = postgresPlace()
const schema = place.address.slice('postgres:'.length)
let one: Palimpsest
let two: Palimpsest
let admin: pg.Client

beforeAll(async () => {
  one = await createPalimpsest({ store: await place.open() })
  two = await createPalimpsest({ store: await place.open() })
  admin = new pg.Client(url)
  await admin.connect()
})

afterAll(async () => {
  await admin.end()
  await one.close()
  await two.close()
  await place.remove()
})

const say = (palimpsest: Palimpsest, session: string) =>
  palimpsest.session(session).append({ role: 'user', content: 'hi' })

/** Holds the lock of a session as a slow writer would. */
async function lockOf(session: string): Promise<void> {
  await admin.query('BEGIN')
  await admin.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [
    JSON.stringify(['default', session]),
  ])
}

async function countDeadlocks(): Promise<number> {
  const { rows } = await admin.query(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  )
  return rows[0].deadlocks
}

/** One for us, and one for us or for that one. */
async function untilTwoWait(): Promise<void> {
  await vi.waitUntil(async () => {
    const { rows } = await admin.query(
      `WITH first AS MATERIALIZED (
         SELECT pid FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid)))
       SELECT count(*)::int AS waiting FROM pg_stat_activity
       WHERE pg_blocking_pids(pid) && (SELECT array_agg(pid) || pg_backend_pid() FROM first)`,
    )
    return rows[0].waiting >= 2
  }, 10_000)
}

test('a session that somebody else holds keeps no other one waiting', async () => {
  await say(one, 'held')
  await lockOf('held')
  let isHeldDone = false
  const held = say(one, 'held').then(() => {
    isHeldDone = true
  })
  await Promise.all([say(one, 'free'), say(one, 'free too')])
  expect(isHeldDone).toBe(false)
  await admin.query('COMMIT')
  await held
})

test('a person whom somebody else is storing keeps no other session waiting', async () => {
  const sessions = Array.from({ length: 8 }, (_, index) => `beside ${index}`)
  await Promise.all(sessions.map(session => say(one, session)))
  await admin.query('BEGIN')
  await admin.query(
    `INSERT INTO ${schema}.senders (namespace, sender_key, sender) VALUES ('default', $1, '{}')`,
    [senderKey({ id: 'new here' })],
  )
  let isHeldDone = false
  const held = one
    .session('beside 0')
    .append({ role: 'user', content: 'hi', sender: { id: 'new here' } })
    .then(() => {
      isHeldDone = true
    })
  await Promise.all(sessions.slice(1).map(session => say(one, session)))
  expect(isHeldDone).toBe(false)
  await admin.query('ROLLBACK')
  await held
})

test('whoever waits too long is told so', async () => {
  await lockOf('slow')
  const impatient = await createPalimpsest({ store: postgres(url, { schema, busyTimeoutMs: 1 }) })
  await expect(say(impatient, 'slow')).rejects.toMatchObject({ code: 'store_busy' })
  await admin.query('COMMIT')
  await impatient.close()
})

test('a connection that breaks fails its call and nothing else', async () => {
  await say(one, 'broken')
  await lockOf('broken')
  const waiting = expect(say(one, 'broken')).rejects.toMatchObject({ code: 'store_unavailable' })
  let killed = 0
  while (killed === 0) {
    const { rowCount } = await admin.query(
      // Who waits for us, and nobody of another test on the same server.
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))',
    )
    killed = rowCount ?? 0
  }
  await waiting
  await admin.query('COMMIT')
  await say(one, 'broken')
})

test('two processes with the same sessions in another order never wait for each other', async () => {
  const rounds = Array.from({ length: 20 }, () =>
    Promise.all([say(one, 'a'), say(one, 'b'), say(two, 'b'), say(two, 'a')]),
  )
  await Promise.all(rounds)
  expect(await countDeadlocks()).toBe(0)
})

test('what the server refuses of one session fails alone', async () => {
  await say(one, 'poisoned')
  await admin.query(`CREATE FUNCTION ${schema}.refuse() RETURNS trigger LANGUAGE plpgsql AS
    $$ BEGIN RAISE EXCEPTION 'not this one'; END $$;
    CREATE TRIGGER refuse BEFORE INSERT ON ${schema}.messages FOR EACH ROW
    WHEN (NEW.content = 'poison') EXECUTE FUNCTION ${schema}.refuse()`)
  const results = await Promise.allSettled([
    ...Array.from({ length: 8 }, (_, index) => say(one, `healthy ${index}`)),
    one.session('poisoned').append({ role: 'user', content: 'poison' }),
    say(one, 'poisoned'),
  ])
  expect(results.map(({ status }) => status)).toEqual([
    ...Array(8).fill('fulfilled'),
    'rejected',
    'fulfilled',
  ])
  expect(results[8]).toMatchObject({
    reason: { code: 'store_failed', message: expect.stringContaining('not this one') },
  })
  await admin.query(`DROP FUNCTION ${schema}.refuse CASCADE`)
  expect(await one.session('poisoned').messages()).toHaveLength(2)
})

test('two processes that meet the same people in another order never wait for each other', async () => {
  const greet = (palimpsest: Palimpsest, place: string) => (id: string) =>
    palimpsest.session(`${place} of ${id}`).append({ role: 'user', content: 'hi', sender: { id } })
  for (let round = 0; round < 6; round++) {
    const [a, b] = [`${round} a`, `${round} b`]
    // The sessions are there, so that both come to the people in their first steps.
    for (const place of ['one', 'two']) await Promise.all([a, b].map(id => say(one, `${place} of ${id}`)))
    // Whoever begins with the one that a third has cannot have the other yet.
    await admin.query('BEGIN')
    await admin.query(
      `INSERT INTO ${schema}.senders (namespace, sender_key, sender) VALUES ('default', $1, '{}')`,
      [senderKey({ id: b })],
    )
    const greeted = Promise.all([...[a, b].map(greet(one, 'one')), ...[b, a].map(greet(two, 'two'))])
    await untilTwoWait()
    await admin.query('ROLLBACK')
    await greeted
  }
  expect(await countDeadlocks()).toBe(0)
})

test('where the answer to a commit is lost, nothing is tried again', async () => {
  const driver = new PostgresDriver(url, { schema })
  await driver.open()
  let isBroken = false
  const breaking = new Proxy(driver, {
    get(target, name) {
      const value = Reflect.get(target, name)
      if (name !== 'write') return typeof value === 'function' ? value.bind(target) : value
      return async (...args: Parameters<PostgresDriver['write']>) => {
        const result = await target.write(...args)
        if (isBroken) throw toStoreError(Object.assign(new Error('broken'), { code: 'EPROTO' }), 'PostgreSQL')
        return result
      }
    },
  })
  const palimpsest = await createPalimpsest({ store: new SqlStore(breaking, () => {}), folding: 'manual' })
  isBroken = true
  const results = await Promise.allSettled(['lost 1', 'lost 2'].map(session => say(palimpsest, session)))
  expect(results.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  isBroken = false
  expect(await palimpsest.session('lost 1').messages()).toHaveLength(1)
  expect(await palimpsest.session('lost 2').messages()).toHaveLength(1)
  await palimpsest.close()
})

test("a session's events are in the order of its log", async () => {
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      Promise.all([say(index % 2 ? one : two, 'order'), say(one, `other ${index}`)]),
    ),
  )
  const store = await place.open()
  const seqs: number[] = []
  let after: string | null = null
  for (;;) {
    const page = await store.events.readEvents({ after, limit: 50 })
    for (const { sessionId, type, toSeq } of page)
      if (sessionId === 'order' && type === 'message-appended') seqs.push(toSeq!)
    if (page.length === 0 && seqs.at(-1) === 60) break
    // An event is told once no older transaction of the server's is under way: other tests have some.
    if (page.length === 0) await new Promise(resolve => setTimeout(resolve, 20))
    else after = page.at(-1)!.position
  }
  await store.close()
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
  expect(seqs.at(-1)).toBe(60)
})

test('a time that a sweep takes away while the session is judged is set again', async () => {
  const policy = tokens({ budget: 160, idleSec: 300 })
  const store = await place.open()
  const palimpsest = await createPalimpsest({
    store,
    namespace: 'swept',
    policy,
    folding: 'manual',
    indexing: 'off',
  })
  const said = Array.from({ length: 12 }, (_, index) => ({
    role: index % 2 ? ('assistant' as const) : ('user' as const),
    content: `number ${index}, and some words`,
  }))
  await palimpsest.session('quiet').append(said)
  const due = await store.schedule.nextDueAt('swept', 'judging')
  expect(due).not.toBeNull()
  await admin.query('BEGIN')
  await admin.query(`UPDATE ${schema}.sessions SET due_at = NULL WHERE namespace = 'swept'`)
  const judged = store.schedule.judge({ namespace: 'swept', id: 'quiet' }, { policy, now: due! - 1 })
  await vi.waitUntil(async () => {
    const { rows } = await admin.query(
      'SELECT 1 FROM pg_stat_activity WHERE pg_backend_pid() = ANY(pg_blocking_pids(pid))',
    )
    return rows.length > 0
  }, 10_000)
  await admin.query('COMMIT')
  expect(await judged).toMatchObject({ decision: null, dueAt: due })
  expect(await store.schedule.nextDueAt('swept', 'judging')).toBe(due)
  await palimpsest.close()
})
