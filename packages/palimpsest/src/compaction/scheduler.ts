import { callListener } from '../call-listener.ts'
import type { Policy } from '../policy/index.ts'
import { keyName, type SessionKey } from '../store/index.ts'
import type { FoldEngine } from './fold-session.ts'
import { foldStep, type Waiting } from './fold-step.ts'
import type { FoldOutcome } from './outcome.ts'
import { pause } from './pause.ts'

export interface SchedulerOptions {
  /** The number of folds at a time in this process. */
  readonly concurrency?: number
  /** A fold that takes longer waits for its summariser, so it gives up its place. */
  readonly slowAfterMs?: number
  /** `none`: another program takes care of the pending and due sessions of the store. */
  readonly takesUp?: 'all' | 'none'
  readonly onOutcome?: (outcome: FoldOutcome, key: SessionKey) => void
  readonly onError?: (error: unknown, key: SessionKey | null) => void
}

export const FOLD_CONCURRENCY = 4
const SLOW_AFTER_MS = 10_000
/** The limit includes folds that wait for a summariser, since each keeps its messages in memory. */
const MAX_AT_ONCE = 32
const SESSIONS_AT_A_TIME = 100
const MAX_DUE_AT_ONCE = 100_000
const RETRY_MS = 1_000
/** The store is read at least this often, for work that another process left. */
const MAX_TIMER_MS = 60_000

/**
 * A session with more to fold first rests for this multiple of its last fold's time. Without a rest it would
 * share every moment with a caller who appends without pause. A fold of a few messages costs as much as one
 * of many.
 */
const REST_TIMES = 2
const MAX_REST_MS = 20

/**
 * Runs the folds of one process in the background. A triggered session waits for its turn and is folded once.
 * If its policy asks for more, it goes to the end of the queue, so a long backlog does not block other
 * sessions. A hanging summariser does not block them either: a slow fold gives up its place. Pending and due
 * sessions are read from the store at the start and when they are due. So sessions without new messages are
 * folded too.
 *
 *   idle ── trigger ──▶ waiting ── a place is free ──▶ folding ── no more to do ──▶ idle
 *                          ▲                              │
 *                          ├── triggered again, or more to fold
 *                          └── failed, and over its limits: once more, without the summariser
 */
export class FoldScheduler {
  readonly #engine: FoldEngine
  readonly #options: SchedulerOptions
  readonly #waiting = new Map<string, Waiting>()
  readonly #folding = new Map<string, Promise<void>>()
  readonly #slow = new Set<string>()
  readonly #abort = new AbortController()
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #checking: Promise<void> | null = null
  #closed = false
  #awaitedBy = 0

  constructor(engine: FoldEngine, options: SchedulerOptions = {}) {
    this.#engine = engine
    this.#options = options
  }

  /** Takes up the work that an earlier process left. */
  start(): void {
    if (!this.#takesUpNothing) this.#checkStore()
  }

  get #takesUpNothing(): boolean {
    return this.#options.takesUp === 'none'
  }

  /**
   * Requests a fold. With `policy`, that policy decides about one fold, and then the configured one decides.
   */
  trigger(key: SessionKey, policy?: Policy): void {
    // Only this process knows a policy for one request.
    if (this.#closed || (this.#takesUpNothing && policy === undefined)) return
    this.#enqueue({ key, policy, isFallback: false })
    this.#fill()
  }

  /** Adds a session at the end of the queue. A waiting session keeps its place. */
  #enqueue({ key, policy, isFallback }: Waiting): void {
    const name = keyName(key)
    this.#waiting.set(name, { key, policy: policy ?? this.#waiting.get(name)?.policy, isFallback })
  }

  /** Some work is due at this instant. */
  noteDue(dueAt: number): void {
    if (this.#closed || this.#takesUpNothing || dueAt >= this.#timerAt) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timerAt = dueAt
    const wait = Math.min(MAX_TIMER_MS, Math.max(1, dueAt - this.#engine.clock()))
    this.#timer = setTimeout(() => this.#checkStore(), wait)
    this.#timer.unref()
  }

  /** Resolves with `true` when no session waits or folds. Resolves with `false` if the time is over first. */
  async settled(timeoutMs: number): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<false>()
    const timer = setTimeout(() => resolve(false), timeoutMs)
    this.#awaitedBy += 1
    try {
      while (this.#folding.size > 0 || this.#waiting.size > 0 || this.#checking !== null) {
        const work = Promise.all([...this.#folding.values(), this.#checking])
        if ((await Promise.race([work, promise])) === false) return false
      }
      return true
    } finally {
      this.#awaitedBy -= 1
      clearTimeout(timer)
    }
  }

  /** Waiting sessions stay pending in the store. Running folds are finished or aborted. */
  async close(folds: 'finish' | 'abandon'): Promise<void> {
    this.#closed = true
    this.#waiting.clear()
    if (this.#timer) clearTimeout(this.#timer)
    if (folds === 'abandon') this.#abort.abort(new Error('closed'))
    await Promise.all([...this.#folding.values(), this.#checking])
  }

  #fill(): void {
    const { concurrency = FOLD_CONCURRENCY } = this.#options
    for (const [name, waiting] of this.#waiting) {
      if (this.#folding.size - this.#slow.size >= concurrency) return
      if (this.#folding.size >= Math.max(concurrency, MAX_AT_ONCE)) return
      if (this.#folding.has(name)) continue
      this.#waiting.delete(name)
      this.#folding.set(name, this.#keepPlace(name, waiting))
    }
  }

  async #keepPlace(name: string, waiting: Waiting): Promise<void> {
    const { slowAfterMs = SLOW_AFTER_MS } = this.#options
    const timer = setTimeout(() => {
      this.#slow.add(name)
      this.#fill()
    }, slowAfterMs)
    timer.unref()
    const start = performance.now()
    try {
      const next = await this.#foldOnce(waiting)
      // All other work runs between two folds.
      if (next) await pause()
      if (next && !this.#closed) this.#enqueue(next)
      if (this.#waiting.has(name)) await this.#rest(name, performance.now() - start)
    } catch (error) {
      this.#tell(() => this.#options.onError?.(error, waiting.key))
    } finally {
      clearTimeout(timer)
      this.#slow.delete(name)
      this.#folding.delete(name)
      this.#fill()
    }
  }

  /** Other sessions may use its place during the rest. */
  async #rest(name: string, tookMs: number): Promise<void> {
    if (this.#closed || this.#awaitedBy > 0) return
    this.#slow.add(name)
    this.#fill()
    await new Promise(resolve => setTimeout(resolve, Math.min(REST_TIMES * tookMs, MAX_REST_MS)))
  }

  /** The next work on this session. `null`: none. */
  async #foldOnce(waiting: Waiting): Promise<Waiting | null> {
    const { key, policy } = waiting
    const { next, isOvertaken, dueAt } = await foldStep(this.#engine, waiting, {
      signal: this.#abort.signal,
      onOutcome: outcome => this.#tell(() => this.#options.onOutcome?.(outcome, key)),
    })
    if (this.#closed) return null
    if (isOvertaken) this.#triggerLater(key, policy)
    if (dueAt !== null) this.noteDue(dueAt)
    return next
  }

  /** History changed under the fold, or another process holds the lease. The session is tried again soon. */
  #triggerLater(key: SessionKey, policy?: Policy): void {
    setTimeout(() => this.trigger(key, policy), RETRY_MS).unref()
  }

  #tell(call: () => void): void {
    callListener(call)
  }

  #checkStore(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    this.#checking ??= this.#triggerFromStore()
      .catch(error => this.#tell(() => this.#options.onError?.(error, null)))
      .finally(() => {
        this.#checking = null
        // The store is read again even after an error.
        this.noteDue(this.#engine.clock() + MAX_TIMER_MS)
      })
  }

  async #triggerFromStore(): Promise<void> {
    const { store, namespace, clock } = this.#engine
    for (let after = ''; !this.#closed; ) {
      const page = await store.schedule.listPending(namespace, { after, limit: SESSIONS_AT_A_TIME })
      for (const key of page) this.trigger(key)
      if (page.length < SESSIONS_AT_A_TIME) break
      after = page.at(-1)!.id
    }
    for (let seen = 0; !this.#closed; ) {
      const due = await store.schedule.listDue(namespace, {
        kind: 'judging',
        now: clock(),
        limit: SESSIONS_AT_A_TIME,
      })
      for (const key of due) await this.#judgeDue(key)
      seen += due.length
      // A session that cannot be judged stays due. This bound ends the loop.
      if (due.length < SESSIONS_AT_A_TIME || seen > MAX_DUE_AT_ONCE) break
    }
    // A waiting session keeps its place. A segment that cannot be rebuilt now gets a later time.
    for (const key of await store.schedule.listDue(namespace, {
      kind: 'rebuild',
      now: clock(),
      limit: SESSIONS_AT_A_TIME,
    }))
      this.trigger(key)
    for (const next of [
      await store.schedule.nextDueAt(namespace, 'judging'),
      await store.schedule.nextDueAt(namespace, 'rebuild'),
    ])
      if (next !== null) this.noteDue(Math.max(next, clock() + RETRY_MS))
  }

  /** Judging sets the next due time, so that no session is looked at twice. */
  async #judgeDue(key: SessionKey): Promise<void> {
    const { store, policy, clock } = this.#engine
    try {
      const verdict = await store.schedule.judge(key, { policy, now: clock() })
      if (verdict?.decision) this.trigger(key)
      else if (verdict?.dueAt != null) this.noteDue(verdict.dueAt)
    } catch (error) {
      this.#tell(() => this.#options.onError?.(error, key))
    }
  }
}
