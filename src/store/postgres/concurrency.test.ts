import pg from 'pg'
import { afterAll, beforeAll, expect, inject, test } from 'vitest'
import { postgresPlace } from '../../../test/stores.ts'
import { createPalimpsest, type Palimpsest } from '../../index.ts'
import { postgres } from './index.ts'

const url = inject('postgresUrl')
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
  const { rows } = await admin.query(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  )
  expect(rows[0].deadlocks).toBe(0)
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
    const page = await store.readEvents({ after, limit: 50 })
    for (const { sessionId, type, toSeq } of page)
      if (sessionId === 'order' && type === 'message-appended') seqs.push(toSeq!)
    if (page.length === 0) break
    after = page.at(-1)!.position
  }
  await store.close()
  expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
  expect(seqs.at(-1)).toBe(60)
})
