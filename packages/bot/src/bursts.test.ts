import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { backedOff, dueAt, earliestDue, joinBursts, newBurst, nextDue } from './bursts.ts'

const RULES = { quietMs: 1_500, mostMs: 10_000 }
const burst = (seq: number, at: number, key = '') => newBurst({ key, seq, at, trigger: 'private' })

describe('a burst', () => {
  test('is due after the quiet time, and at the latest when its first message has waited for long', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5_000), { minLength: 1, maxLength: 20 }), waits => {
        let now = 0
        const messages = waits.map((wait, index) => {
          now += wait
          return burst(index + 1, now)
        })
        const all = messages.reduce(joinBursts)
        expect(all.seqs).toEqual(messages.map(({ seqs }) => seqs[0]))
        const due = dueAt(all, RULES)
        expect(due).toBeLessThanOrEqual(messages[0]!.firstAt + RULES.mostMs)
        expect(due).toBeLessThanOrEqual(now + RULES.quietMs)
        expect(due === now + RULES.quietMs || due === messages[0]!.firstAt + RULES.mostMs).toBe(true)
      }),
    )
  })

  test('that is joined with another keeps its place, and what the platform has of either', () => {
    const earlier = { ...burst(1, 0), attempts: 2, notBefore: 50 }
    const joined = joinBursts(earlier, { ...burst(2, 10), sent: ['x'] })
    expect(joined).toMatchObject({
      seqs: [1, 2],
      firstAt: 0,
      lastAt: 10,
      attempts: 2,
      notBefore: 50,
      sent: ['x'],
    })
    expect(joinBursts(joined, burst(2, 10)).seqs).toEqual([1, 2])
  })

  test('of several that are due the oldest is next', () => {
    const bursts = [burst(5, 0, 'b'), burst(3, 0, 'a'), burst(1, 9_000, 'c')]
    expect(nextDue(bursts, 1_500, RULES)?.key).toBe('a')
    expect(nextDue(bursts, 1_499, RULES)).toBeNull()
    expect(earliestDue(bursts, RULES)).toBe(1_500)
    expect(earliestDue([], RULES)).toBeNull()
  })

  test('waits twice as long after each failure, and a minute at the most', () => {
    const waits = [1, 2, 3, 4, 20].map(
      attempts => backedOff({ ...burst(1, 0), attempts }, { now: 100, backoffMs: 2_000 }).notBefore - 100,
    )
    expect(waits).toEqual([2_000, 4_000, 8_000, 16_000, 60_000])
  })
})
