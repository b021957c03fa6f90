import { PalimpsestError } from '../../errors.ts'
import { type AppendReceipt, type AppendRequest, keyName, type Warn } from '../store.ts'
import { append } from './append.ts'
import type { Driver } from './driver.ts'
import type { Steps } from './steps.ts'

interface Waiting {
  readonly request: AppendRequest
  readonly resolve: (receipt: AppendReceipt) => void
  readonly reject: (error: unknown) => void
}

type Outcome = { readonly receipt: AppendReceipt } | { readonly error: PalimpsestError }

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
  readonly #warn: Warn
  readonly #onIdle: () => void
  #waiting: Waiting[] = []
  #isFlushing = false

  constructor(driver: Driver, warn: Warn, onIdle: () => void = () => {}) {
    this.#driver = driver
    this.#warn = warn
    this.#onIdle = onIdle
  }

  append(request: AppendRequest): Promise<AppendReceipt> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      if (!this.#isFlushing) this.#flush()
    })
  }

  async #flush(): Promise<void> {
    this.#isFlushing = true
    while (this.#waiting.length > 0) {
      // Also between two commits, so that a long queue does not keep everything else waiting.
      await new Promise(resolve => setImmediate(resolve))
      const batch = this.#waiting
      this.#waiting = []
      await this.#commit(batch)
    }
    this.#isFlushing = false
    this.#onIdle()
  }

  async #commit(batch: readonly Waiting[]): Promise<void> {
    try {
      const outcomes = await this.#driver.write(() => this.#appendBatch(batch))
      this.#settle(batch, outcomes)
    } catch (error) {
      const isOneOfMany =
        batch.length > 1 && PalimpsestError.isInstance(error) && error.code === 'store_corrupt'
      // One session's damage is not the others' fault: each gets a commit of its own.
      if (isOneOfMany) for (const waiting of batch) await this.#commit([waiting])
      else for (const { reject } of batch) reject(error)
    }
  }

  *#appendBatch(batch: readonly Waiting[]): Steps<readonly Outcome[]> {
    const outcomes: Outcome[] = []
    const start = performance.now()
    for (const { request } of batch) {
      outcomes.push(yield* this.#appendOne(request))
      if (performance.now() - start > this.#driver.dialect.longestSharingMs) break
    }
    return outcomes
  }

  /** A request that is refused fails alone: it has written nothing. */
  *#appendOne(request: AppendRequest): Steps<Outcome> {
    try {
      return { receipt: yield* append(request, this.#driver.dialect, this.#warn) }
    } catch (error) {
      if (PalimpsestError.isInstance(error) && !error.code.startsWith('store_')) return { error }
      throw error
    }
  }

  #settle(batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
    for (const [index, { resolve, reject }] of batch.entries()) {
      const outcome = outcomes[index]
      if (outcome === undefined) break
      if ('receipt' in outcome) resolve(outcome.receipt)
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
    const name = this.#driver.dialect.locksSessions ? keyName(request.key) : ''
    let queue = this.#queues.get(name)
    if (queue === undefined) {
      // Gone when it is empty: a process may see millions of sessions.
      queue = new AppendQueue(this.#driver, this.#warn, () => this.#queues.delete(name))
      this.#queues.set(name, queue)
    }
    return queue.append(request)
  }
}
