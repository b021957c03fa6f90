import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RetryLater } from './retry-later.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['performance'] })
})

afterEach(() => {
  vi.useRealTimers()
})

test('rests ever longer, up to a limit, and begins anew once it worked', () => {
  const retry = new RetryLater({ firstMs: 100, longestMs: 350 })
  expect(retry.leftMs).toBe(0)
  const rests = Array.from({ length: 4 }, () => {
    retry.failed()
    const rest = retry.leftMs
    vi.advanceTimersByTime(rest)
    expect(retry.leftMs).toBe(0)
    return rest
  })
  expect(rests).toEqual([100, 200, 350, 350])
  expect(retry.failures).toBe(4)
  retry.failed(1_000)
  expect(retry.leftMs).toBe(1_000)
  retry.succeeded()
  expect(retry).toMatchObject({ leftMs: 0, failures: 0 })
  retry.failed()
  expect(retry.leftMs).toBe(100)
})
