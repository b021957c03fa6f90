import { afterAll, expect, test } from 'vitest'
import { resolveSettings } from '../../packages/palimpsest/src/config/index.ts'
import { InvalidArgumentError } from '../../packages/palimpsest/src/errors.ts'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { configurationOf } from '../../packages/server/src/configuration.ts'
import { sqlitePlace } from '../stores.ts'

const place = sqlitePlace()
afterAll(() => place.remove())

test('a timeout that no timer takes is refused', async () => {
  await using palimpsest = await createPalimpsest({ store: await place.open() })
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '5', 0, -1, 1.5, 2 ** 31, null]) {
    const summarizerTimeoutMs = value as number
    expect(() => palimpsest.configure({ summarizerTimeoutMs })).toThrow(InvalidArgumentError)
    const store = await place.open()
    await expect(createPalimpsest({ store, summarizerTimeoutMs })).rejects.toThrow('summarizerTimeoutMs')
    await store.close()
  }
  palimpsest.configure({ summarizerTimeoutMs: 5 })
})

test('settings of memory reach the instance; what is set to none is left to it', async () => {
  expect((await configurationOf(resolveSettings({}))).memory).toEqual({
    budgets: { persona: 2_000, global: 1_500, user: 800, scope: 1_000, chat: 1_200, daily: 500 },
    scopeLearnsFrom: 'shared',
    ownerSharesIn: 'private',
  })
  const stored = {
    extract: 'off',
    scopeLearnsFrom: 'all',
    memoryOwner: 'u-7',
    globalMemoryTokens: 100,
    dailyLogTokens: 200,
  }
  const { memory } = await configurationOf(resolveSettings({ stored }))
  expect(memory).toMatchObject({
    extract: 'off',
    scopeLearnsFrom: 'all',
    owner: ['u-7'],
    budgets: { global: 100, daily: 200 },
  })
  await using palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual' })
  const lines = Array.from({ length: 31 }, (_, day) => `- 2026-01-${String(day + 1).padStart(2, '0')}: rain`)
  expect(await palimpsest.memory.global.replace(lines.join('\n'))).toMatchObject({
    budget: 1_500,
    version: 1,
  })
  palimpsest.configure({ memory: memory! })
  expect(await palimpsest.memory.global.append('- more')).toMatchObject({ budget: 100 })
})

test('whom memory belongs to can be set while it runs', async () => {
  await using palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual' })
  const toolsOf = async () => {
    const chat = palimpsest.session('private', { kind: 'private', user: 'u-1' })
    await chat.append({ role: 'user', text: 'x', externalId: 'x' })
    return (await chat.memoryTools()).definitions.map(({ name }) => name)
  }
  expect(await toolsOf()).not.toContain('write_memory')
  palimpsest.configure(await configurationOf(resolveSettings({ stored: { memoryOwner: 'u-7, u-1' } })))
  expect(await toolsOf()).toContain('write_memory')
  palimpsest.configure(await configurationOf(resolveSettings({ stored: { memoryOwner: 'u-7' } })))
  expect(await toolsOf()).not.toContain('write_memory')
  palimpsest.configure(await configurationOf(resolveSettings({})))
  expect(await toolsOf()).not.toContain('write_memory')
})
