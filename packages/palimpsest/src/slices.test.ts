import { mock } from 'node:test'
import { afterEach, expect, test } from 'vitest'
import { nextTurn, runInSlices, whenThereIsRoom } from './slices.ts'

afterEach(() => mock.timers.reset())

function work(ms: number): void {
  for (const end = performance.now() + ms; performance.now() < end; ) {}
}

test('short work is done at once where there is room, and its error is thrown', async () => {
  await nextTurn()
  expect(whenThereIsRoom(() => 'done')).toBe('done')
  const fail = () => {
    throw new Error('no')
  }
  expect(() => whenThereIsRoom(fail)).toThrow('no')
  whenThereIsRoom(() => work(20))
  await expect(Promise.resolve(whenThereIsRoom(fail))).rejects.toThrow('no')
})

test('what comes later does not overtake what waits', async () => {
  await nextTurn()
  const done: number[] = []
  const works: unknown[] = []
  for (let number = 0; number < 60; number++) {
    works.push(
      whenThereIsRoom(() => {
        work(2)
        done.push(number)
      }),
    )
    if (number % 20 === 19) await new Promise(resolve => setImmediate(resolve))
  }
  await Promise.all(works)
  expect(done).toEqual(done.toSorted((one, other) => one - other))
  expect(done).toHaveLength(60)
})

test('many works leave room for others between them', async () => {
  await nextTurn()
  let turns = 0
  const count = () => {
    turns += 1
    if (turns < 1_000) setImmediate(count)
  }
  setImmediate(count)
  await Promise.all(Array.from({ length: 60 }, () => whenThereIsRoom(() => work(2))))
  expect(turns).toBeGreaterThan(4)
})

test('timers that a test replaces stop nothing', async () => {
  mock.timers.enable()
  await nextTurn()
  whenThereIsRoom(() => work(20))
  expect(await whenThereIsRoom(() => 'done')).toBe('done')
})

test('short works do not wait for slices', async () => {
  await nextTurn()
  let isOver = false
  const long = function* () {
    while (!isOver) {
      work(1)
      yield
    }
  }
  const slices = Array.from({ length: 30 }, () => runInSlices(long()))
  let turns = 0
  const count = () => {
    turns += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  for (let number = 0; number < 20; number++) {
    await whenThereIsRoom(() => work(20))
    await whenThereIsRoom(() => {})
  }
  isOver = true
  await Promise.all(slices)
  // In line with the slices each would have waited for thirty turns.
  expect(turns).toBeLessThan(200)
})

test('a work that another calls in its middle is done after it', async () => {
  await nextTurn()
  const done: string[] = []
  let inner: unknown
  whenThereIsRoom(() => {
    inner = whenThereIsRoom(() => done.push('inner'))
    done.push('outer')
  })
  await inner
  expect(done).toEqual(['outer', 'inner'])
})
