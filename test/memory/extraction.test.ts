import { expect, it, vi } from 'vitest'
import { sqlite } from '../../packages/palimpsest/src/index.ts'
import type { ScheduleStore } from '../../packages/palimpsest/src/store/index.ts'
import { storeWith } from '../../packages/palimpsest/src/store/store-with.ts'
import { clock, scripted, start, turn } from './chat-kit.ts'

const hangs = () => new Promise<never>(() => {})

it('a model that hangs in an extraction delays neither other sessions nor the end', async () => {
  const summarizer = scripted(async ({ subject, sources }) => {
    if (subject?.id === 'slow') return hangs()
    const [seq] = sources
    return { facts: [{ text: 'Ann lives in Rome', section: 'profile', seq: seq!, on: null, replaces: [] }] }
  })
  const palimpsest = await start({ summarizer, memory: { extract: 'turn' } })
  await turn(palimpsest, 'slow', 'I live in a house that is slow.', 'slow')
  await turn(palimpsest, 'quick', 'I live in Rome since years.')
  await expect.poll(async () => (await palimpsest.memory.user('ann').read())?.content).toContain('Rome')
  const started = performance.now()
  await palimpsest.close()
  expect(performance.now() - started).toBeLessThan(30_000)
})

it('a model that is down is asked ever more seldom', async () => {
  let calls = 0
  const summarizer = scripted(async () => {
    calls += 1
    throw new Error('down')
  })
  const palimpsest = await start({ summarizer, memory: { extract: 'turn' }, onError: () => {} })
  await turn(palimpsest, 'a', 'I live in Rome since years.')
  await palimpsest.settled()
  for (let minute = 0; minute < 24 * 60; minute += 5) {
    clock.now += 300_000
    await turn(palimpsest, 'other', 'Hi!', 'bob')
    await palimpsest.settled()
  }
  expect(calls).toBeLessThan(40)
})

it('a store that fails once does not end the extraction', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const store = sqlite(':memory:')
  let fails = 1
  const listDue: ScheduleStore['listDue'] = (namespace, page) =>
    page.kind === 'extraction' && fails-- > 0
      ? Promise.reject(new Error('disk'))
      : store.schedule.listDue(namespace, page)
  const failing = storeWith(store, { schedule: { ...store.schedule, listDue } })
  try {
    const palimpsest = await start({ store: failing, memory: { extract: 'turn' }, onError: () => {} })
    await vi.advanceTimersByTimeAsync(10)
    fails = 1
    await turn(palimpsest, 'a', 'I live in Rome since years.')
    await vi.advanceTimersByTimeAsync(10)
    clock.now += 2_000
    await vi.advanceTimersByTimeAsync(2_000)
    await palimpsest.settled()
    expect((await palimpsest.memory.user('ann').read())?.content).toContain('Rome')
  } finally {
    vi.useRealTimers()
  }
})

it('a rollback brings back what the hidden message had replaced', async () => {
  const palimpsest = await start({ memory: { extract: 'turn' } })
  await turn(palimpsest, 'a', 'I live in Berlin.')
  await palimpsest.settled()
  await turn(palimpsest, 'a', 'I live in Paris now.')
  await palimpsest.settled()
  expect((await palimpsest.memory.user('ann').read())!.content).not.toContain('Berlin')
  await palimpsest.session('a').rollback(2)
  const { content } = (await palimpsest.memory.user('ann').read())!
  expect(content).toContain('Berlin')
  expect(content).not.toContain('Paris')
})

it('what was agreed lies ahead', async () => {
  const palimpsest = await start({ memory: { extract: 'turn' } })
  const group = palimpsest.session('g', { kind: 'group', scope: 'acme' })
  await group.append({
    role: 'user',
    content: 'We decided to meet on Friday at 14:00.',
    sender: { id: 'ann' },
  })
  await group.append({ role: 'assistant', content: 'Good.' })
  await palimpsest.settled()
  expect((await palimpsest.memory.scope('acme').read())!.content).toContain('2026-03-06')
})
