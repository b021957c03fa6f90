import { mock } from 'node:test'
import { afterEach, expect, test } from 'vitest'
import { nextTurn, runInSlices } from './slices.ts'

afterEach(() => mock.timers.reset())

test('timers that a test replaces stop nothing', async () => {
  mock.timers.enable()
  await nextTurn()
  const work = function* () {
    for (const end = performance.now() + 50; performance.now() < end; ) yield
    return 'done'
  }
  expect(await runInSlices(work())).toBe('done')
})
