import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { createPalimpsest, sqlite } from '../index.ts'
import { testClock } from './index.ts'

test('stands still, is moved, and is set', async () => {
  const clock = testClock('2026-03-06T10:00:00Z')
  expect(clock()).toBe(Date.UTC(2026, 2, 6, 10))
  await clock.advance(90_000)
  expect(new Date(clock.now()).toISOString()).toBe('2026-03-06T10:01:30.000Z')
  clock.set(new Date(0))
  expect([clock(), clock.now()]).toEqual([0, 0])
  expect(testClock()()).toBe(Date.UTC(2026, 0, 1))
  expect(testClock(5)()).toBe(5)
})

test('is the clock of a Palimpsest', async () => {
  const clock = testClock('2026-03-06T10:00:00Z')
  await using palimpsest = await createPalimpsest({ store: sqlite(':memory:'), clock })
  const chat = palimpsest.session('s')
  await chat.append({ role: 'user', content: 'Hello' })
  await clock.advance(60_000)
  await chat.append({ role: 'assistant', content: 'Hello, Ann.' })
  const messages = await chat.messages()
  expect(messages.map(({ at }) => at.toISOString())).toEqual([
    '2026-03-06T10:00:00.000Z',
    '2026-03-06T10:01:00.000Z',
  ])
})

describe('timers', () => {
  test('run in order, each at its instant, with those that they set', async () => {
    const clock = testClock(0)
    const ran: string[] = []
    const note = (name: string) => void ran.push(`${name} at ${clock()}`)
    clock.setTimeout(() => note('late'), 300)
    clock.setTimeout(() => note('first'), 100)
    clock.setTimeout(() => {
      note('second')
      clock.setTimeout(() => note('set by the second'), 50)
    }, 100)
    clock.clearTimeout(clock.setTimeout(() => note('cleared'), 100).unref())
    clock.clearTimeout(null)
    expect(clock.pending).toBe(3)
    await clock.advance(99)
    expect(ran).toEqual([])
    await clock.advance(101)
    expect(ran).toEqual(['first at 100', 'second at 100', 'set by the second at 150'])
    expect([clock(), clock.pending]).toEqual([200, 1])
  })

  test('wait for what a callback returns, and for what it sets going', async () => {
    const clock = testClock(0)
    const wait = (ms: number) => new Promise(resolve => clock.setTimeout(() => resolve(null), ms))
    const ran: string[] = []
    clock.setTimeout(async () => {
      await new Promise(resolve => setImmediate(resolve))
      ran.push(`slow at ${clock()}`)
    }, 10)
    clock.setTimeout(() => void ran.push(`next at ${clock()}`), 11)
    const loop = async () => {
      for (let round = 0; round < 3; round++) {
        await wait(20)
        ran.push(`round at ${clock()}`)
      }
    }
    const looping = loop()
    await clock.advance(100)
    await looping
    expect(ran).toEqual(['slow at 10', 'next at 11', 'round at 20', 'round at 40', 'round at 60'])
  })

  test('wait for as long as they did when the hands are set', async () => {
    const clock = testClock('2026-03-06T10:00:00Z')
    let ran = 0
    clock.setTimeout(() => ran++, 1_000)
    clock.set('2026-03-07T10:00:00Z')
    await clock.advance(999)
    expect(ran).toBe(0)
    clock.set('2020-01-01')
    await clock.advance(1)
    expect([ran, clock()]).toEqual([1, Date.UTC(2020, 0, 1) + 1])
  })

  test('as in Node: none runs at once, and none that is too long is waited for', async () => {
    const clock = testClock(0)
    let ran = 0
    for (const ms of [0, -1, Number.NaN, 2 ** 31, Infinity, undefined, 1.9]) clock.setTimeout(() => ran++, ms)
    await clock.advance(0)
    expect(ran).toBe(0)
    await clock.advance(1)
    expect(ran).toBe(7)
  })

  test('one that throws stops the clock there, and no other is lost', async () => {
    const clock = testClock(0)
    let ran = 0
    clock.setTimeout(() => Promise.reject(new Error('too early')), 10)
    clock.setTimeout(() => ran++, 20)
    await expect(clock.advance(100)).rejects.toThrow('too early')
    expect([clock(), clock.pending]).toEqual([10, 1])
    await clock.advance(90)
    expect([clock(), ran]).toEqual([100, 1])
  })

  test('however the time is cut, the same runs at the same instants', async () => {
    const waits = fc.array(fc.integer({ min: 1, max: 50 }), { maxLength: 12 })
    const steps = fc.array(fc.integer({ min: 0, max: 30 }), { maxLength: 8 })
    await fc.assert(
      fc.asyncProperty(waits, waits, steps, async (outer, inner, cuts) => {
        const run = async (advances: readonly number[]) => {
          const clock = testClock(0)
          const ran: string[] = []
          for (const [index, ms] of outer.entries())
            clock.setTimeout(() => {
              ran.push(`${index} at ${clock()}`)
              for (const [next, more] of inner.entries())
                clock.setTimeout(() => void ran.push(`${index}.${next} at ${clock()}`), more)
            }, ms)
          for (const ms of advances) await clock.advance(ms)
          return { ran, now: clock(), pending: clock.pending }
        }
        const total = cuts.reduce((sum, ms) => sum + ms, 0)
        expect(await run(cuts)).toEqual(await run([total]))
      }),
      { numRuns: 100 },
    )
  })
})

test('refuses what is no time, and two movements at once', async () => {
  const clock = testClock()
  for (const ms of [-1, 1.5, Number.NaN, Infinity, '5' as never])
    await expect(clock.advance(ms)).rejects.toMatchObject({ code: 'invalid_argument' })
  for (const instant of [Number.NaN, 'noon', new Date(Number.NaN), null as never])
    expect(() => clock.set(instant)).toThrow(expect.objectContaining({ code: 'invalid_argument' }))
  expect(() => testClock('noon')).toThrow('2026-01-15T09:00:00Z')
  const first = clock.advance(10)
  await expect(clock.advance(10)).rejects.toThrow('one at a time')
  await first
  expect(clock()).toBe(Date.UTC(2026, 0, 1) + 10)
})
