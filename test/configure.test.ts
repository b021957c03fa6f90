import { afterAll, expect, test } from 'vitest'
import { count, createPalimpsest, type Summarizer, tokens } from '../packages/palimpsest/src/index.ts'
import { sqlitePlace } from './stores.ts'

const place = sqlitePlace()
afterAll(() => place.remove())

const talk = (length: number) =>
  Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    text: `message ${index}: ${'lemons for Porto '.repeat(12)}`,
  }))

test('a policy for one append folds by it, once, and the configured one holds again', async () => {
  await using palimpsest = await createPalimpsest({ store: await place.open(), policy: tokens() })
  const chat = palimpsest.session('once')
  const { decision } = await chat.append(talk(30), { policy: count({ threshold: 20, keepLast: 4 }) })
  expect(decision).toMatchObject({ reason: 'count' })
  await palimpsest.settled()
  expect(await chat.info()).toMatchObject({ compactedThrough: 26, pending: false })
  await chat.append(talk(30))
  await palimpsest.settled()
  expect(await chat.info()).toMatchObject({ compactedThrough: 26 })
})

test('a policy for one append that lets it be does not take away when the session is due', async () => {
  const policy = tokens({ budget: 1_600, idleSec: 60 })
  await using palimpsest = await createPalimpsest({ store: await place.open(), policy })
  const chat = palimpsest.session('due')
  const store = await place.open()
  const key = { namespace: 'default', id: 'due' }
  const dueAt = async () => (await store.sessions.readSession(key))?.dueAt ?? null
  await chat.append(talk(30))
  expect(await dueAt()).not.toBeNull()
  const lets = count({ threshold: 1000 })
  expect((await chat.append(talk(2), { policy: lets })).decision).toBeNull()
  expect(await dueAt()).not.toBeNull()
  // By that policy alone it would be due at no time.
  expect(await store.schedule.judge(key, { policy: lets, now: Date.now() })).toMatchObject({ dueAt: null })
  await store.close()
})

test('what is configured holds for the next call and the next fold', async () => {
  await using palimpsest = await createPalimpsest({ store: await place.open() })
  const chat = palimpsest.session('configured')
  await chat.append(talk(30))
  expect(await chat.compact()).toMatchObject({ outcome: 'skipped' })
  const asked: number[] = []
  const summarizer: Summarizer = {
    name: 'mine',
    version: '1',
    summarize: async ({ messages }) => {
      asked.push(messages.length)
      return { text: 'They spoke of lemons for Porto.', events: [], details: [] }
    },
  }
  palimpsest.configure({ policy: count(), summarizer })
  expect(await chat.compact()).toMatchObject({ outcome: 'applied', toSeq: 20 })
  expect(asked).toEqual([20])
  expect((await chat.segments())[0]?.summarizer).toBe('mine')
  expect(() => palimpsest.configure({ zone: 'Mars' })).toThrow('IANA')
  expect(() => palimpsest.configure({ policy: count as never })).toThrow('a preset such as')
  const { decision } = await chat.append(talk(15))
  expect(decision).toMatchObject({ reason: 'count' })
})
