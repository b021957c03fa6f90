import { PalimpsestError } from '../../errors.ts'
import type { AppendReceipt, AppendRequest, Warn } from '../store.ts'
import { append } from './append.ts'
import type { Driver } from './driver.ts'
import type { Steps } from './steps.ts'

interface Waiting {
  readonly request: AppendRequest
  readonly resolve: (receipt: AppendReceipt) => void
  readonly reject: (error: unknown) => void
}

type Outcome = { readonly receipt: AppendReceipt } | { readonly error: PalimpsestError }

/** Other writers wait for a transaction, so it ends soon; what is left over is in the next one. */
const LONGEST_TRANSACTION_MS = 5

/**
 * Lets appends that arrive together share one commit. They gather until the event loop has taken in all
 * that is there (`setImmediate`: a microtask would be too early, a timer would make a lone append wait)
 * or until the commit before theirs has ended. One commit at a time, so that the order of calls is the
 * order of the log.
 */
export class AppendQueue {
  readonly #driver: Driver
  readonly #warn: Warn
  #waiting: Waiting[] = []
  #isFlushing = false

  constructor(driver: Driver, warn: Warn) {
    this.#driver = driver
    this.#warn = warn
  }

  append(request: AppendRequest): Promise<AppendReceipt> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ request, resolve, reject })
      if (!this.#isFlushing) this.#flush()
    })
  }

  async #flush(): Promise<void> {
    this.#isFlushing = true
    await new Promise(resolve => setImmediate(resolve))
    while (this.#waiting.length > 0) {
      const batch = this.#waiting
      this.#waiting = []
      try {
        const outcomes = await this.#driver.write(() => this.#appendBatch(batch))
        this.#settle(batch, outcomes)
      } catch (error) {
        for (const { reject } of batch) reject(error)
      }
    }
    this.#isFlushing = false
  }

  *#appendBatch(batch: readonly Waiting[]): Steps<readonly Outcome[]> {
    const outcomes: Outcome[] = []
    const start = performance.now()
    for (const { request } of batch) {
      outcomes.push(yield* this.#appendOne(request))
      if (performance.now() - start > LONGEST_TRANSACTION_MS) break
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
