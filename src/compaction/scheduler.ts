import type { SessionKey } from '../store/index.ts'
import type { FoldEngine } from './fold-session.ts'
import type { FoldOutcome } from './outcome.ts'

export interface SchedulerOptions {
  /** Folds at a time in this process. */
  readonly concurrency?: number
  readonly onOutcome?: (outcome: FoldOutcome, key: SessionKey) => void
  readonly onError?: (error: unknown, key: SessionKey | null) => void
}

const CONCURRENCY = 4
const SESSIONS_AT_A_TIME = 100
/** At least so often the store is looked at, for what another process left behind. */
const LONGEST_TIMER_MS = 60_000

/**
 * Folds in the background of one process. A session that is triggered waits its turn, is folded until
 * the policy has no more to say, and gets another round if it was triggered meanwhile. Sessions never
 * wait for each other beyond `concurrency`; what is pending or due in the store is taken up at the start
 * and when its time comes, so that silent sessions fold too.
 *
 *   idle ── trigger ──▶ waiting ── a place is free ──▶ folding ── no more to do ──▶ idle
 *                          ▲                              │
 *                          └──────── triggered again ─────┘
 */
export class FoldScheduler {
  readonly #engine: FoldEngine
  readonly #options: SchedulerOptions
  readonly #waiting = new Map<string, SessionKey>()
  readonly #folding = new Map<string, Promise<void>>()
  readonly #abort = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #checking: Promise<void> | null = null
  #closed = false

  constructor(engine: FoldEngine, options: SchedulerOptions = {}) {
    this.#engine = engine
    this.#options = options
  }

  /** Takes up what an earlier process left. */
  start(): void {
    this.#checkStore()
  }

  trigger(key: SessionKey): void {
    if (this.#closed) return
    this.#waiting.set(JSON.stringify([key.namespace, key.id]), key)
    this.#fill()
  }

  /** Something will be due at this instant. */
  noteDue(dueAt: number): void {
    if (this.#closed || dueAt >= this.#timerAt) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timerAt = dueAt
    const wait = Math.min(LONGEST_TIMER_MS, Math.max(1, dueAt - this.#engine.clock()))
    this.#timer = setTimeout(() => this.#checkStore(), wait)
    this.#timer.unref()
  }

  /** Resolves when nothing waits and nothing folds, or when the time is over: `false`. */
  async settled(timeoutMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<false>()
    const timer = setTimeout(() => resolve(false), timeoutMs)
    try {
      while (this.#folding.size > 0 || this.#waiting.size > 0 || this.#checking !== null) {
        const work = Promise.all([...this.#folding.values(), this.#checking])
        if ((await Promise.race([work, promise])) === false) return false
      }
      return true
    } finally {
      clearTimeout(timer)
    }
  }

  /** What was not begun stays pending in the store. What is under way is finished, or abandoned. */
  async close(folds: 'finish' | 'abandon'): Promise<void> {
    this.#closed = true
    this.#waiting.clear()
    if (this.#timer) clearTimeout(this.#timer)
    if (folds === 'abandon') this.#abort.abort(new Error('closed'))
    await Promise.all([...this.#folding.values(), this.#checking])
  }

  #fill(): void {
    const concurrency = this.#options.concurrency ?? CONCURRENCY
    for (const [name, key] of this.#waiting) {
      if (this.#folding.size >= concurrency) return
      if (this.#folding.has(name)) continue
      this.#waiting.delete(name)
      this.#folding.set(
        name,
        this.#foldAll(key).finally(() => {
          this.#folding.delete(name)
          this.#fill()
        }),
      )
    }
  }

  /** Again and again until the policy says no, or a fold moved nothing. */
  async #foldAll(key: SessionKey): Promise<void> {
    const { store, policy, clock } = this.#engine
    try {
      // Most processes start without anything to fold.
      const { foldSession } = await import('./fold-session.ts')
      for (;;) {
        const outcome = await foldSession(this.#engine, key, { signal: this.#abort.signal })
        this.#options.onOutcome?.(outcome, key)
        if (outcome.outcome !== 'applied' || this.#abort.signal.aborted) break
      }
      if (this.#closed) return
      const verdict = await store.judge(key, { policy, now: clock() })
      if (verdict?.dueAt != null) this.noteDue(verdict.dueAt)
    } catch (error) {
      this.#options.onError?.(error, key)
    }
  }

  #checkStore(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    this.#checking ??= this.#triggerFromStore()
      .catch(error => this.#options.onError?.(error, null))
      .finally(() => {
        this.#checking = null
      })
  }

  async #triggerFromStore(): Promise<void> {
    const { store, policy, clock } = this.#engine
    for (const key of await store.listPending(SESSIONS_AT_A_TIME)) this.trigger(key)
    for (;;) {
      const due = await store.listDue(clock(), SESSIONS_AT_A_TIME)
      for (const key of due) {
        // Judging sets the next due time, so that no session is looked at twice.
        const verdict = await store.judge(key, { policy, now: clock() })
        if (verdict?.decision) this.trigger(key)
        else if (verdict?.dueAt != null) this.noteDue(verdict.dueAt)
      }
      if (due.length < SESSIONS_AT_A_TIME || this.#closed) break
    }
    const next = await store.nextDueAt()
    this.noteDue(Math.min(next ?? Number.POSITIVE_INFINITY, clock() + LONGEST_TIMER_MS))
  }
}
