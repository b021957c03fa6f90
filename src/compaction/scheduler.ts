import type { SessionKey } from '../store/index.ts'
import type { FoldEngine } from './fold-session.ts'
import { type FoldOutcome, isConflict } from './outcome.ts'

export interface SchedulerOptions {
  /** Folds at a time in this process. */
  readonly concurrency?: number
  readonly onOutcome?: (outcome: FoldOutcome, key: SessionKey) => void
  readonly onError?: (error: unknown, key: SessionKey | null) => void
}

const CONCURRENCY = 4
const SESSIONS_AT_A_TIME = 100
const MOST_DUE_AT_ONCE = 100_000
const RETRY_MS = 1_000
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
      for (let last = 0; ; ) {
        const outcome = await foldSession(this.#engine, key, { signal: this.#abort.signal })
        this.#tell(() => this.#options.onOutcome?.(outcome, key))
        if (this.#closed || this.#abort.signal.aborted) return
        if (isOvertaken(outcome)) this.#triggerLater(key)
        if (outcome.outcome !== 'applied' || outcome.toSeq === null || outcome.toSeq <= last) break
        last = outcome.toSeq
        // Everything else gets its turn between two folds.
        await new Promise(resolve => setImmediate(resolve))
      }
      const verdict = await store.judge(key, { policy, now: clock() })
      if (verdict?.dueAt != null) this.noteDue(verdict.dueAt)
    } catch (error) {
      this.#tell(() => this.#options.onError?.(error, key))
    }
  }

  /** History changed under a fold, or another process has it: looked at again soon. */
  #triggerLater(key: SessionKey): void {
    setTimeout(() => this.trigger(key), RETRY_MS).unref()
  }

  /** What a listener throws is its own affair. */
  #tell(call: () => void): void {
    try {
      call()
    } catch (error) {
      process.emitWarning(`A listener threw: ${String(error)}`, 'PalimpsestWarning')
    }
  }

  #checkStore(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    this.#checking ??= this.#triggerFromStore()
      .catch(error => this.#tell(() => this.#options.onError?.(error, null)))
      .finally(() => {
        this.#checking = null
        // Whatever went wrong, it looks again.
        this.noteDue(this.#engine.clock() + LONGEST_TIMER_MS)
      })
  }

  async #triggerFromStore(): Promise<void> {
    const { store, namespace, clock } = this.#engine
    for (let after = ''; !this.#closed; ) {
      const page = await store.listPending(namespace, { after, limit: SESSIONS_AT_A_TIME })
      for (const key of page) this.trigger(key)
      if (page.length < SESSIONS_AT_A_TIME) break
      after = page.at(-1)!.id
    }
    for (let seen = 0; !this.#closed; ) {
      const due = await store.listDue(namespace, { now: clock(), limit: SESSIONS_AT_A_TIME })
      for (const key of due) await this.#judgeDue(key)
      seen += due.length
      // One that cannot be judged stays due; it must not be looked at for ever.
      if (due.length < SESSIONS_AT_A_TIME || seen > MOST_DUE_AT_ONCE) break
    }
    const next = await store.nextDueAt(namespace)
    if (next !== null) this.noteDue(Math.max(next, clock() + RETRY_MS))
  }

  /** Judging sets the next due time, so that no session is looked at twice. */
  async #judgeDue(key: SessionKey): Promise<void> {
    const { store, policy, clock } = this.#engine
    try {
      const verdict = await store.judge(key, { policy, now: clock() })
      if (verdict?.decision) this.trigger(key)
      else if (verdict?.dueAt != null) this.noteDue(verdict.dueAt)
    } catch (error) {
      this.#tell(() => this.#options.onError?.(error, key))
    }
  }
}

function isOvertaken({ outcome, reason }: FoldOutcome): boolean {
  return outcome === 'skipped' && (isConflict(reason) || reason === 'already_folding')
}
