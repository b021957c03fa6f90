import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import pg from 'pg'
import { expect, test } from 'vitest'
import { PostgresDriver } from '../../packages/palimpsest/src/store/postgres/driver.ts'
import { SqliteDriver } from '../../packages/palimpsest/src/store/sqlite/driver.ts'
import { postgresUrl } from '../postgres/url.ts'
import { planFaults } from '../sqlite/plan-faults.ts'
import { postgresPlace } from '../stores.ts'
import { AgedChat, STEPS, type Step } from './aged-chat.ts'
import { flushingStatistics } from './flushing-driver.ts'

const YOUNG = 200
const OLD = 2_000
/** Until the documents are so full that folds condense them. */
const SETTLED_AFTER = 15
const MEASURED = 6
/** More than one fold. */
const TURNS_TAKEN_BACK = 10

type Counts = Record<Step | 'rollback', number>

/** Of so many folds and what goes with them, and of taking one back: in all. */
async function countsOf(chat: AgedChat, rowsRead: () => Promise<number> | number): Promise<Counts> {
  const counts = Object.fromEntries([...STEPS, 'rollback'].map(step => [step, 0])) as Counts
  const measure = async (step: keyof Counts, action: () => Promise<unknown>) => {
    const before = await rowsRead()
    await action()
    counts[step] += (await rowsRead()) - before
  }
  for (let fold = 0; fold < MEASURED; fold++) await chat.live(measure)
  await measure('rollback', () => chat.goBack(TURNS_TAKEN_BACK))
  return counts
}

/** What a search reads beside: a row for each 4,096 messages, and the rows of words that are in very many. */
function expectNoGrowth(young: Counts, old: Counts, tolerance: number): void {
  const blocks = Math.ceil(((OLD - YOUNG) * 6) / 4096)
  for (const [step, rows] of Object.entries(young)) {
    const isSearch = step === 'search' || step === 'question'
    const most = rows * tolerance + (isSearch ? MEASURED * blocks * 10 : MEASURED)
    expect(rows, `rows for ${step}`).toBeGreaterThan(0)
    expect(old[step as Step], `rows for ${step}, of which a young chat reads ${rows}`).toBeLessThanOrEqual(
      most,
    )
  }
}

test('on SQLite an old chat asks for no more rows than a young one, and by an index for each', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'palimpsest-test-'))
  try {
    const ofAge = async (folds: number) => {
      const file = join(folder, `${folds}.db`)
      const driverOf = () => new SqliteDriver(file, { durability: 'normal' })
      const chat = await AgedChat.open(driverOf, { folds })
      await chat.settleIn(SETTLED_AFTER)
      chat.count.begin()
      const counts = await countsOf(chat, () => chat.count.rows)
      await chat.close()
      return { file, counts, asked: chat.count.asked }
    }
    const young = await ofAge(YOUNG)
    const old = await ofAge(OLD)
    expectNoGrowth(young.counts, old.counts, 1)
    using database = new DatabaseSync(old.file, { readOnly: true })
    expect(planFaults(database, old.asked)).toEqual([])
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
})

test('on PostgreSQL an old chat reads no more rows than a young one, with statistics or without', async () => {
  const place = postgresPlace()
  const client = new pg.Client(postgresUrl())
  await client.connect()
  try {
    const ofAge = async (folds: number) => {
      const schema = `${place.address.slice('postgres:'.length)}_${folds}`
      const driverOf = () => new PostgresDriver(postgresUrl(), { schema, connections: 2 })
      const chat = await AgedChat.open(() => flushingStatistics(driverOf()), { folds })
      try {
        await chat.settleIn(SETTLED_AFTER)
        const rowsRead = async () => {
          const { rows } = await client.query<{ read: string }>(
            `SELECT sum(seq_tup_read + coalesce(idx_tup_fetch, 0)) AS read FROM pg_stat_user_tables
             WHERE schemaname = $1`,
            [schema],
          )
          return Number(rows[0]!.read)
        }
        const before = await countsOf(chat, rowsRead)
        await client.query(`SET search_path TO ${schema}`)
        await client.query('ANALYZE')
        return { before, after: await countsOf(chat, rowsRead) }
      } finally {
        await chat.close()
        await client.query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`)
      }
    }
    const young = await ofAge(YOUNG)
    const old = await ofAge(OLD)
    expectNoGrowth(young.before, old.before, 1.2)
    expectNoGrowth(young.after, old.after, 1.2)
  } finally {
    await client.end()
    await place.remove()
  }
})
