import { PalimpsestError } from '../../errors.ts'
import {
  type AppendReceipt,
  type AppendRequest,
  keyName,
  type SessionKey,
  type TailReceipt,
  type TailRequest,
  type Warn,
} from '../store.ts'
import { append } from './append.ts'
import type { Driver } from './driver.ts'
import { replaceTail } from './replace-tail.ts'
import type { Steps } from './steps.ts'

interface Waiting<Result = unknown> {
  readonly steps: () => Steps<Result>
  /** Its commit is its own: what is refused in the middle of it takes all of it back. */
  readonly isAlone: boolean
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

type Outcome = { readonly result: unknown } | { readonly error: PalimpsestError }

/**
 * Lets appends that arrive together share one commit. They gather until the event loop has taken in all
 * that is there (`setImmediate`: a microtask would be too early, a timer would make a lone append wait)
 * or until the commit before theirs has ended. One commit at a time, so that the order of calls is the
 * order of the log.
 *
 * Where the database takes one writer at a time, all sessions share a queue. Where it locks sessions, each
 * has its own: nobody waits for another's lock, and no two processes can wait for each other.
 */
class AppendQueue {
  readonly #driver: Driver
  readonly #onIdle: () => void
  #waiting: Waiting[] = []
  #isFlushing = false

  constructor(driver: Driver, onIdle: () => void) {
    this.#driver = driver
    this.#onIdle = onIdle
  }

  push<Result>(steps: () => Steps<Result>, { isAlone }: { isAlone: boolean }): Promise<Result> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ steps, isAlone, resolve, reject } as Waiting)
      if (!this.#isFlushing) this.#flush()
    })
  }

  async #flush(): Promise<void> {
    this.#isFlushing = true
    while (this.#waiting.length > 0) {
      // Also between two commits, so that a long queue does not keep everything else waiting.
      await new Promise(resolve => setImmediate(resolve))
      await this.#commit(this.#nextBatch())
    }
    this.#isFlushing = false
    this.#onIdle()
  }

  #nextBatch(): readonly Waiting[] {
    const alone = this.#waiting.findIndex(({ isAlone }) => isAlone)
    return this.#waiting.splice(0, alone === -1 ? this.#waiting.length : Math.max(1, alone))
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#driver.write(() => this.#runBatch(batch))
      this.#settle(batch, outcomes)
    } catch (error) {
      const isOneOfMany =
        batch.length > 1 && PalimpsestError.isInstance(error) && error.code === 'store_corrupt'
      // One session's damage is not the others' fault: each gets a commit of its own.
      if (isOneOfMany) for (const waiting of batch) await this.#commit([waiting])
      else for (const { reject } of batch) reject(error)
    }
  }

  *#runBatch(batch: readonly Waiting[]): Steps<readonly Outcome[]> {
    const outcomes: Outcome[] = []
    const start = performance.now()
    for (const waiting of batch) {
      outcomes.push(yield* this.#runOne(waiting))
      if (performance.now() - start > this.#driver.dialect.longestSharingMs) break
    }
    return outcomes
  }

  /** An append that is refused fails alone: it has written nothing. */
  *#runOne({ steps, isAlone }: Waiting): Steps<Outcome> {
    try {
      return { result: yield* steps() }
    } catch (error) {
      if (!isAlone && PalimpsestError.isInstance(error) && !error.code.startsWith('store_')) return { error }
      throw error
    }
  }

  #settle(batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined) break
      if ('result' in outcome) resolve(outcome.result)
      else reject(outcome.error)
    }
    this.#waiting = [...batch.slice(outcomes.length), ...this.#waiting]
  }
}

export class AppendQueues {
  readonly #driver: Driver
  readonly #warn: Warn
  readonly #queues = new Map<string, AppendQueue>()

  constructor(driver: Driver, warn: Warn) {
    this.#driver = driver
    this.#warn = warn
  }

  append(request: AppendRequest): Promise<AppendReceipt> {
    const steps = () => append(request, this.#driver.dialect, this.#warn)
    return this.#queueOf(request.key).push(steps, { isAlone: false })
  }

  /** After the appends that were asked for before it, and before those that come later. */
  replaceTail(request: TailRequest): Promise<TailReceipt> {
    const rules = { dialect: this.#driver.dialect, warn: this.#warn }
    return this.#queueOf(request.key).push(() => replaceTail(request, rules), { isAlone: true })
  }

  #queueOf(key: SessionKey): AppendQueue {
    const name = this.#driver.dialect.locksSessions ? keyName(key) : ''
    let queue = this.#queues.get(name)
    if (queue === undefined) {
      // Gone when it is empty: a process may see millions of sessions.
      queue = new AppendQueue(this.#driver, () => this.#queues.delete(name))
      this.#queues.set(name, queue)
    }
    return queue
  }
}
