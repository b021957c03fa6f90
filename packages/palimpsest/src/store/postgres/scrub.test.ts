import { expect, test } from 'vitest'
import { postgresUrl } from '../../../../../test/postgres/url.ts'
import { postgresPlace } from '../../../../../test/stores.ts'
import { Chat } from '../../testing/store-contract/chat.ts'
import { refuses } from '../../testing/store-contract/contract-case.ts'

/** Rows that were deleted and still take their space, in all tables of a schema. */
async function deletedRows(schema: string): Promise<number> {
  const { default: pg } = await import('pg')
  const client = new pg.Client(postgresUrl())
  await client.connect()
  try {
    await client.query('CREATE EXTENSION IF NOT EXISTS pgstattuple').catch(() => {})
    const { rows } = await client.query<{ dead: string }>(
      `SELECT coalesce(sum((pgstattuple(c.oid)).dead_tuple_count), 0) AS dead FROM pg_class c
       JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = $1 AND c.relkind = 'r'`,
      [schema],
    )
    return Number(rows[0]?.dead)
  } finally {
    await client.end()
  }
}

test('a scrub gives back what deleted rows took, and all else stays', async () => {
  const place = postgresPlace()
  const store = await place.open()
  const chat = new Chat(store)
  await chat.say(50)
  for (let round = 0; round < 20; round++) await chat.edit(1, `round ${round}`)
  const schema = place.address.slice('postgres:'.length)
  expect(await deletedRows(schema)).toBeGreaterThan(0)
  const before = await chat.file()
  // As long as a transaction elsewhere on the server may still see them, they stay, and it says so.
  while (!(await store.erasure.scrub()));
  expect(await deletedRows(schema)).toBe(0)
  expect(await chat.file()).toEqual(before)
  await store.close()
  await refuses(store.erasure.scrub(), 'closed')
  await place.remove()
})
