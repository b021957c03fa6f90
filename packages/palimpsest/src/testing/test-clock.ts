import { setImmediate as nextTurn } from 'node:timers/promises'
import { InvalidArgumentError } from '../errors.ts'
import { parseInstant } from '../log/index.ts'

/**
 * A clock that stands still until a test moves it. The clock itself is the function that `createPalimpsest`
 * takes as `clock`. It has its own timers, and their callbacks run while it advances.
 * @example const clock = testClock('2026-02-10T09:00:00Z')
 */
export interface TestClock {
  /** Milliseconds since 1970. */
  (): number
  /** The same as a call of the clock. */
  now(): number
  /**
   * Lets time pass. Due timers run one after the other, each at its own instant. The next one waits until the
   * promise of the one before has settled. Timers that are set meanwhile run too.
   */
  advance(ms: number): Promise<void>
  /**
   * Sets the time, also back, as a person sets the clock of a machine. Timers still wait for as long as
   * before.
   */
  set(instant: number | string | Date): void
  setTimeout(callback: () => unknown, ms?: number): TestTimer
  clearTimeout(timer: TestTimer | null | undefined): void
  /** The number of waiting timers. */
  readonly pending: number
}

/** For code that calls `unref` on a timer of Node. A test clock never keeps a process running. */
export interface TestTimer {
  ref(): TestTimer
  unref(): TestTimer
}

interface Waiting {
  readonly due: number
  readonly callback: () => unknown
}

/** The longest timer, as in Node. A longer wait becomes 1 ms. No callback runs at once. */
const MAX_MS = 2 ** 31 - 1

/** Makes a test clock. Default: the beginning of 2026, in UTC. */
export function testClock(start: number | string | Date = '2026-01-01T00:00:00Z'): TestClock {
  let hands = checkInstant('start', start)
  /** The time for timers. It never goes back. */
  let elapsed = 0
  let isAdvancing = false
  /** In the order in which they were set. */
  const waiting = new Map<TestTimer, Waiting>()

  const moveTo = (instant: number) => {
    hands += instant - elapsed
    elapsed = instant
  }
  /** If several timers are due at once, the one that was set first runs first. */
  const takeNext = (until: number): Waiting | null => {
    let next: TestTimer | null = null
    let earliest = until + 1
    for (const [timer, { due }] of waiting) if (due < earliest) [next, earliest] = [timer, due]
    const found = next && waiting.get(next)!
    if (next) waiting.delete(next)
    return found
  }
  /** The event loop turns between two timers, so that code which waited for the first can set the second. */
  const runUntil = async (until: number) => {
    await nextTurn()
    for (let next = takeNext(until); next; next = takeNext(until)) {
      moveTo(next.due)
      await next.callback()
      await nextTurn()
    }
    moveTo(until)
  }

  const now = () => hands
  const clock = Object.assign(now, {
    now,
    advance: async (ms: number) => {
      if (!Number.isSafeInteger(ms) || ms < 0)
        throw new InvalidArgumentError('ms', ms, 'a whole number of at least 0')
      if (isAdvancing)
        throw new InvalidArgumentError('advance', ms, 'one at a time: await the one before it first')
      isAdvancing = true
      try {
        await runUntil(elapsed + ms)
      } finally {
        isAdvancing = false
      }
    },
    set: (instant: number | string | Date) => {
      hands = checkInstant('instant', instant)
    },
    setTimeout: (callback: () => unknown, ms = 1) => {
      const timer: TestTimer = { ref: () => timer, unref: () => timer }
      const wait = ms >= 1 && ms <= MAX_MS ? Math.trunc(ms) : 1
      waiting.set(timer, { due: elapsed + wait, callback })
      return timer
    },
    clearTimeout: (timer: TestTimer | null | undefined) => {
      if (timer) waiting.delete(timer)
    },
    pending: 0,
  })
  return Object.defineProperty(clock, 'pending', { get: () => waiting.size })
}

function checkInstant(field: string, value: unknown): number {
  const instant = parseInstant(value, 'UTC')
  if (instant !== null) return instant
  throw new InvalidArgumentError(field, value, 'milliseconds since 1970, a Date or "2026-01-15T09:00:00Z"')
}
