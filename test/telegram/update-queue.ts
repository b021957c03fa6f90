import type { Update } from 'grammy/types'
import { Refusal } from './refusal.ts'

export interface Poll {
  readonly offset?: number
  readonly limit?: number
  readonly timeout?: number
  readonly allowed_updates?: readonly string[]
}

interface Waiting {
  readonly answer: () => void
  readonly refuse: (refusal: Refusal) => void
}

/** Updates as Telegram keeps them: an update is given again and again until a poll with a higher offset confirms it. */
export class UpdateQueue {
  #pending: Update[] = []
  #lastId = 700_000
  #confirmedThrough = 0
  #allowed: readonly string[] = []
  #waiting: Waiting | null = null
  readonly #onChange: () => void

  constructor(onChange: () => void) {
    this.#onChange = onChange
  }

  get pending(): readonly Update[] {
    return this.#pending
  }

  /** The highest id that was confirmed; 0: none. */
  get confirmedThrough(): number {
    return this.#confirmedThrough
  }

  /** A poll waits for an update now. */
  get isPolled(): boolean {
    return this.#waiting !== null
  }

  add(update: Omit<Update, 'update_id'>): number {
    const update_id = ++this.#lastId
    this.#pending.push({ update_id, ...update })
    this.endPoll()
    return update_id
  }

  /** The poll that waits is answered with what there is, as if its time were over. */
  endPoll(): void {
    this.#waiting?.answer()
  }

  /** A newer poll ends an older one. `gone`: the one who asked does not listen any more. */
  poll(
    { offset = 0, limit = 100, timeout = 0, allowed_updates }: Poll,
    gone: AbortSignal,
  ): Promise<Update[]> {
    this.#allowed = allowed_updates ?? this.#allowed
    this.#confirm(offset)
    this.#waiting?.refuse(
      new Refusal(
        409,
        'Conflict: terminated by other getUpdates request; make sure that only one bot instance is running',
      ),
    )
    const found = () => this.#pending.filter(update => this.#isAllowed(update)).slice(0, limit)
    if (timeout === 0 || found().length > 0) return Promise.resolve(found())
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        if (this.#waiting === waiting) this.#waiting = null
      }
      const waiting: Waiting = {
        answer: () => {
          end()
          resolve(found())
        },
        refuse: refusal => {
          end()
          reject(refusal)
        },
      }
      const timer = setTimeout(waiting.answer, timeout * 1_000)
      this.#waiting = waiting
      gone.addEventListener('abort', waiting.answer)
      this.#onChange()
    })
  }

  #confirm(offset: number): void {
    this.#pending = this.#pending.filter(update => update.update_id >= offset)
    this.#confirmedThrough = Math.max(this.#confirmedThrough, offset - 1)
    this.#onChange()
  }

  #isAllowed(update: Update): boolean {
    return this.#allowed.length === 0 || Object.keys(update).some(field => this.#allowed.includes(field))
  }
}
