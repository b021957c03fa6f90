import { mock } from 'node:test'
import { afterEach, expect, test } from 'vitest'
import { nextTurn, whenThereIsRoom } from './slices.ts'

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
  work(20)
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
  work(20)
  expect(await whenThereIsRoom(() => 'done')).toBe('done')
})
