import { backoffMs } from '../compaction/backoff.ts'

/** The remaining work. `null`: none. Otherwise the work is tried again after `afterMs`. */
export type Remaining = { readonly afterMs: number } | null

export interface BackgroundTaskOptions {
  /** Does all work that can be done now. */
  readonly work: (signal: AbortSignal) => Promise<Remaining>
  readonly onError: (error: unknown) => void
}

/**
 * Background work of a process, one run at a time.
 *
 *   idle ── wake ──▶ working ── nothing is left ──▶ idle
 *                      ▲  └── something has to wait, or failed ──▶ resting ──┐
 *                      └──────────────────── wake, or its time comes ───────┘
 *
 * A `wake` during a run starts another run after it.
 */
export class BackgroundTask {
  readonly #options: BackgroundTaskOptions
  readonly #abort = new AbortController()
  #running: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #isWanted = false
  #failures = 0

  constructor(options: BackgroundTaskOptions) {
    this.#options = options
  }

  wake(): void {
    this.#isWanted = true
    if (this.#running === null) this.#start()
  }

  /** Waits for the running work, which may stop early at the signal. */
  async close(): Promise<void> {
    this.#abort.abort(new Error('closed'))
    if (this.#timer) clearTimeout(this.#timer)
    await this.#running
  }

  #start(): void {
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#abort.signal.aborted) return
    this.#isWanted = false
    this.#running = this.#run().then(remaining => {
      this.#running = null
      if (this.#isWanted) this.#start()
      else if (remaining !== null) this.#rest(remaining.afterMs)
    })
  }

  #rest(ms: number): void {
    if (this.#abort.signal.aborted) return
    this.#timer = setTimeout(() => this.#start(), ms)
    this.#timer.unref()
  }

  async #run(): Promise<Remaining> {
    const { signal } = this.#abort
    try {
      const remaining = await this.#options.work(signal)
      this.#failures = 0
      return remaining
    } catch (error) {
      if (signal.aborted) return null
      this.#options.onError(error)
      return { afterMs: backoffMs(this.#failures++) }
    }
  }
}
