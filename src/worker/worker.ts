import type { PgBoss } from 'pg-boss'
import type { Palimpsest } from '../palimpsest.ts'
import type { Store } from '../store/index.ts'
import { FOLDS, openBoss, type QueuePlace, SWEEPS } from '../store/postgres/boss.ts'
import type { FoldJob } from '../store/sql/steps.ts'

export interface WorkerOptions {
  readonly place: QueuePlace
  /** Open, and not closed here. */
  readonly store: Store
  /** Of a namespace, with the settings that hold now; its `folding` is `worker`. */
  readonly instanceOf: (namespace: string) => Promise<Palimpsest>
  /** Folds at a time. The default: 4. */
  readonly concurrency?: number
  readonly onError?: (error: unknown, job: FoldJob | null) => void
}

const CONCURRENCY = 4
/** A trigger wakes a worker at once (LISTEN/NOTIFY); what a lost connection missed is found by looking this often. */
const POLL_SECONDS = 1
const EVERY_MINUTE = '* * * * *'
const AT_A_TIME = 200
/** So long what is under way may be finished when it is told to stop. */
const STOP_MS = 10_000

/**
 * Carries out the folds of a queue that any number of servers fill and any number of workers empty. A job says which
 * session is to be looked at, nothing more: whether and what to fold is judged when its turn comes, so a job that comes
 * twice, late or for nothing does no harm. The fold itself is guarded by the session's lease: a worker that was paused
 * past its own can commit nothing.
 */
export class FoldWorker {
  readonly #boss: PgBoss
  readonly #options: WorkerOptions
  readonly #stopping = new AbortController()

  private constructor(boss: PgBoss, options: WorkerOptions) {
    this.#boss = boss
    this.#options = options
  }

  static async start(options: WorkerOptions): Promise<FoldWorker> {
    const boss = await openBoss(options.place, 'worker')
    const worker = new FoldWorker(boss, options)
    await worker.#work()
    return worker
  }

  async #work(): Promise<void> {
    const { concurrency = CONCURRENCY } = this.#options
    const polling = { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS }
    await this.#boss.work<FoldJob>(FOLDS, { ...polling, localConcurrency: concurrency }, async ([job]) => {
      if (job) await this.#fold(job.data, job.signal)
    })
    await this.#boss.schedule(SWEEPS, EVERY_MINUTE)
    await this.#boss.work(SWEEPS, { pollingIntervalSeconds: 5 }, () => this.#sweep())
    // What was left behind while nobody worked does not wait for the minute.
    await this.#sweep()
  }

  /** What fails is tried again by the queue, later each time, and is put aside in the end. */
  async #fold(job: FoldJob, expired: AbortSignal): Promise<void> {
    const signal = AbortSignal.any([expired, this.#stopping.signal])
    try {
      const palimpsest = await this.#options.instanceOf(job.namespace)
      await palimpsest.foldThrough(job.id, { signal })
      const last = (await palimpsest.session(job.id).info())?.lastOutcome
      // In the back-off after a failure nothing is tried: it is not done for all that.
      if (last?.['outcome'] === 'failed') throw new Error(`the last fold failed: ${last['reason']}`)
      // Told to stop in the middle: another worker goes on.
      signal.throwIfAborted()
    } catch (error) {
      this.#options.onError?.(error, job)
      throw error
    }
  }

  /** Sessions whose time has come, and those whose job was lost, become jobs. */
  async #sweep(): Promise<void> {
    const { store, onError } = this.#options
    try {
      while ((await store.enqueueDue({ now: Date.now(), limit: AT_A_TIME })) === AT_A_TIME)
        if (this.#stopping.signal.aborted) return
      let after: FoldJob | null = null
      do after = await store.enqueuePending({ after, limit: AT_A_TIME })
      while (after !== null && !this.#stopping.signal.aborted)
    } catch (error) {
      onError?.(error, null)
    }
  }

  /** Takes no more jobs, finishes those under way, and gives back the rest. */
  async close(): Promise<void> {
    const timer = setTimeout(() => this.#stopping.abort(), STOP_MS)
    await this.#boss.stop({ graceful: true, timeout: STOP_MS + 5_000 })
    clearTimeout(timer)
    this.#stopping.abort()
  }
}
