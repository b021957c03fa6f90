import { expect, onTestFinished, test } from 'vitest'
import { postgresUrl } from '../postgres/url.ts'
import { longest, runs } from '../runs.ts'
import { PLACES } from '../stores.ts'
import { groupChat } from './group-chat.ts'
import { simulateGroup } from './group-simulation.ts'

const SIZES = {
  SQLite: { messages: runs(500, 1_500), kills: runs(3, 8) },
  PostgreSQL: { messages: runs(100, 200), kills: runs(1, 2) },
} as const

/** `node test/runtime/run-group.ts` is the same with 20,000 messages, or with the days of an IRC channel. */
test.each(Object.entries(SIZES))(
  '%s: a group of thirty whose bot is killed again and again loses, doubles and mixes up nothing',
  async (name, { messages, kills }) => {
    const given = process.env['PALIMPSEST_TEST_SEED'] ?? '1'
    const seed = given === 'random' ? Math.floor(Math.random() * 1e6) : Number(given)
    const place = PLACES[name as keyof typeof PLACES]()
    onTestFinished(() => place.remove())
    const simulation = simulateGroup({
      messages: groupChat({ seed, messages }),
      ...{ seed, kills, place, postgresUrl: postgresUrl() },
    })
    const figures = await simulation.catch(cause => {
      throw new Error(`PALIMPSEST_TEST_SEED=${seed}: ${String(cause)}`, { cause })
    })
    expect(figures.maxContextTokens).toBeLessThanOrEqual(figures.budget)
    expect(figures.kills).toBeGreaterThan(0)
    expect(figures.replies).toBeGreaterThan(0)
    expect(figures.answered).toBeGreaterThan(figures.replies)
    expect(figures.folds).toBeGreaterThan(0)
  },
  longest(240_000),
)
