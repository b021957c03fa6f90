import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Palimpsest } from '../../packages/palimpsest/src/index.ts'
import { postgresUrl } from '../postgres/url.ts'
import { postgresPlace, type StorePlace } from '../stores.ts'
import { bytesInFiles } from './bytes-in-files.ts'
import { ANN, CANARIES, expectUnseen, fill, othersOf, World } from './world.ts'

let world: World
let place: StorePlace
let palimpsest: Palimpsest

beforeEach(async () => {
  world = new World()
  place = postgresPlace()
  palimpsest = await world.open({ store: await place.open() })
  await fill(palimpsest)
})

afterEach(async () => {
  await world.remove()
  await place.remove()
  expect(world.errors).toEqual([])
})

/** Tables in any row of which it stands. */
async function tablesWith(canary: string): Promise<readonly string[]> {
  const schema = place.address.slice('postgres:'.length)
  const { default: pg } = await import('pg')
  const client = new pg.Client(postgresUrl())
  await client.connect()
  try {
    const { rows } = await client.query<{ name: string }>(
      'SELECT tablename AS name FROM pg_tables WHERE schemaname = $1',
      [schema],
    )
    const found: string[] = []
    for (const { name } of rows) {
      const { rows: hits } = await client.query(
        `SELECT 1 FROM ${schema}.${name} AS row WHERE CAST(row AS TEXT) LIKE $1 LIMIT 1`,
        [`%${canary}%`],
      )
      if (hits.length > 0) found.push(name)
    }
    return found
  } finally {
    await client.end()
  }
}

it('PostgreSQL: a person is in no table and no file any more, and nobody else has lost anything', async () => {
  for (const canary of CANARIES) expect(await tablesWith(canary)).not.toEqual([])
  const others = await othersOf(palimpsest)
  const { id } = await palimpsest.forget({ kind: 'person', id: ANN })
  await expectUnseen(palimpsest)
  expect(await palimpsest.erased(id)).toMatchObject({ done: true, target: null })
  for (const canary of CANARIES) {
    expect(await tablesWith(canary)).toEqual([])
    expect(bytesInFiles(world.root, canary)).toEqual({})
  }
  expect(await othersOf(palimpsest)).toEqual(others)
})
