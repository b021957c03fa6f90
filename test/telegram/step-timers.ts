import type { Timers } from '../../packages/bot/src/timers.ts'

/** Timers that wait to be told, for code whose next timer is set when a socket has answered. */
export interface StepTimers extends Timers {
  /** Resolves when a timer waits. */
  untilSet(): Promise<void>
  /** Waits until a timer is set, and lets it fall due. Resolves with how long it was set for. */
  elapse(): Promise<number>
  readonly pending: number
}

interface Timer {
  readonly callback: () => unknown
  readonly ms: number
}

export function stepTimers(): StepTimers {
  const timers = new Set<Timer>()
  let onSet = () => {}
  const untilSet = async () => {
    while (timers.size === 0)
      await new Promise<void>(resolve => {
        onSet = resolve
      })
  }
  return {
    untilSet,
    now: () => 0,
    setTimeout: (callback, ms) => {
      const timer = { callback, ms }
      timers.add(timer)
      onSet()
      return timer
    },
    clearTimeout: timer => {
      timers.delete(timer)
    },
    elapse: async () => {
      await untilSet()
      const [timer] = timers as unknown as [Timer]
      timers.delete(timer)
      timer.callback()
      return timer.ms
    },
    get pending() {
      return timers.size
    },
  }
}
