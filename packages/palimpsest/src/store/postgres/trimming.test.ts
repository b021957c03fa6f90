import pg from 'pg'
import { expect, test } from 'vitest'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { postgresPlace } from '../../../../../test/stores.ts'
import { Chat } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'

const DAY_MS = 86_400_000

test('nothing is trimmed behind which a transaction under way may still put something', async () => {
  const place = postgresPlace()
  const store = await place.open()
  await new Chat(store).say(1)
  await expect
    .poll(() => store.events.readEvents({ after: null, limit: 10 }), { timeout: 30_000 })
    .toHaveLength(2)
  const client = new pg.Client(postgresUrl())
  await client.connect()
  await client.query(`SET search_path TO ${place.address.slice('postgres:'.length)}`)
  await client.query('BEGIN')
  await client.query('INSERT INTO events (session_id, type, at) SELECT id, 1, 0 FROM sessions')
  for (let round = 0; round < 5; round += 1) await new Chat(store).say(1)
  const request = { retentionMs: 2 * DAY_MS, keepNewest: 1 }
  for (let day = 1; day <= 9; day += 1) await store.events.trimEvents({ ...request, now: day * DAY_MS })
  const position = await store.events.readLastPosition()
  await client.query('COMMIT')
  await client.end()
  await expect
    .poll(() => store.events.readEvents({ after: position, limit: 10 }), { timeout: 30_000 })
    .toHaveLength(6)
  for (let day = 10; day <= 19; day += 1) await store.events.trimEvents({ ...request, now: day * DAY_MS })
  await refuses(store.events.readEvents({ after: position, limit: 10 }), 'position_lost')
  await store.close()
  await place.remove()
})
