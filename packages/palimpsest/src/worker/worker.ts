import type { Job, PgBoss } from 'pg-boss'
import { checkOptions, optionsOf } from '../known-options.ts'
import type { Palimpsest } from '../palimpsest.ts'
import type { Store } from '../store/index.ts'
import { DEAD_FOLDS, FOLDS, keyOfJob, openBoss, type QueuePlace, SWEEPS } from '../store/postgres/boss.ts'
import type { FoldJob } from '../store/sql/steps.ts'
import { foldFailed, jobFailed } from './fold-job-error.ts'

export interface WorkerOptions {
  readonly place: QueuePlace
  /** Open, and not closed here. */
  readonly store: Store
  /** Of a namespace, with the settings that hold now; its `folding` is `worker`. */
  readonly instanceOf: (namespace: string) => Promise<Palimpsest>
  /** Folds at a time. The default: 4. */
  readonly concurrency?: number
  /** How long what is under way may be finished when it is told to stop. The default: 10,000. */
  readonly stopMs?: number
  readonly onError?: (error: unknown, job: FoldJob | null) => void
  /** Milliseconds since 1970; for tests. */
  readonly clock?: () => number
}

const OPTIONS = optionsOf<WorkerOptions>({
  place: true,
  store: true,
  instanceOf: true,
  concurrency: true,
  stopMs: true,
  onError: true,
  clock: true,
})

const CONCURRENCY = 4
/** A trigger wakes a worker at once (LISTEN/NOTIFY); what a lost connection missed is found by looking this often. */
const POLL_SECONDS = 1
const EVERY_MINUTE = '* * * * *'
const AT_A_TIME = 200
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
    checkOptions('FoldWorker.start', options, OPTIONS)
    const boss = await openBoss(options.place, 'worker')
    const worker = new FoldWorker(boss, options)
    try {
      await worker.#work()
      return worker
    } catch (error) {
      await worker.close()
      throw error
    }
  }

  async #work(): Promise<void> {
    const { concurrency = CONCURRENCY } = this.#options
    for (let place = 0; place < concurrency; place++) await this.#takeJobs()
    await this.#boss.schedule(SWEEPS, EVERY_MINUTE)
    await this.#boss.work(SWEEPS, { pollingIntervalSeconds: 5 }, () => this.sweep())
    // What was left behind while nobody worked does not wait for the minute.
    await this.sweep()
    await this.#forgetLost()
  }

  /** One at a time, and the next as soon as one is done: by itself pg-boss looks no sooner than it polls. */
  async #takeJobs(): Promise<void> {
    const polling = { pollingIntervalSeconds: POLL_SECONDS, notifyPollingIntervalSeconds: POLL_SECONDS }
    let place = ''
    place = await this.#boss.work<FoldJob>(FOLDS, polling, async ([job]) => {
      if (!job) return
      try {
        await this.#carryOut(job)
      } finally {
        this.#boss.notifyWorker(place)
      }
    })
  }

  /**
   * What fails is tried again by the queue, later each time, and is put aside in the end. A job whose session is gone
   * has nothing to do: it ends here, and nothing of it is left.
   */
  async #carryOut(job: Job<FoldJob>): Promise<void> {
    const { data, signal: lost } = job
    const signal = AbortSignal.any([lost, this.#stopping.signal])
    try {
      const palimpsest = await this.#options.instanceOf(data.namespace)
      await foldAndEnd(palimpsest, { job, signal })
    } catch (error) {
      if (await this.#isGone(data)) return await this.#forget(job)
      if (this.#stopping.signal.aborted) return await this.#giveBack(job)
      this.#options.onError?.(error, data)
      throw jobFailed(error)
    }
  }

  /** Where the store does not say, it is tried again. */
  async #isGone(job: FoldJob): Promise<boolean> {
    try {
      return (await this.#options.store.sessions.readSeen(job)).session === null
    } catch {
      return false
    }
  }

  async #forget({ id, name }: Pick<Job, 'id' | 'name'>): Promise<void> {
    await this.#boss.deleteJob(name, id)
  }

  /** What a version before this one gave up for sessions that were erased since. */
  async #forgetLost(): Promise<void> {
    for (const job of await this.#boss.findJobs<FoldJob>(DEAD_FOLDS, { queued: true }))
      if (await this.#isGone(job.data)) await this.#forget(job)
  }

  /** Told to stop in the middle of it: nothing has failed, and another worker may begin at once. */
  async #giveBack(job: Job<FoldJob>): Promise<void> {
    await this.#boss.complete(FOLDS, job)
    await this.#boss.send(FOLDS, job.data, { singletonKey: keyOfJob(job.data) })
  }

  /** Sessions whose time has come, and those whose job was lost, become jobs. By itself once a minute. */
  async sweep(): Promise<void> {
    const { store, onError, clock = Date.now } = this.#options
    try {
      while ((await store.jobs.enqueueDue({ now: clock(), limit: AT_A_TIME })) === AT_A_TIME)
        if (this.#stopping.signal.aborted) return
      let after: FoldJob | null = null
      do after = await store.jobs.enqueuePending({ after, limit: AT_A_TIME })
      while (after !== null && !this.#stopping.signal.aborted)
    } catch (error) {
      onError?.(error, null)
    }
  }

  /** Takes no more jobs, finishes those under way, and gives back the rest. */
  async close(): Promise<void> {
    const { stopMs = STOP_MS } = this.#options
    const timer = setTimeout(() => this.#stopping.abort(), stopMs)
    await this.#boss.stop({ graceful: true, timeout: stopMs + 5_000 })
    clearTimeout(timer)
    this.#stopping.abort()
  }
}

/** So often nothing may come of what is said to be pending: then it waits until it is looked for again. */
const MAX_IDLE_ROUNDS = 2

/** Until nothing is left to do: what comes while it folds is part of the same job. */
async function foldAndEnd(
  palimpsest: Palimpsest,
  { job, signal }: { job: Job<FoldJob>; signal: AbortSignal },
): Promise<void> {
  const { id } = job.data
  for (let idle = 0; idle < MAX_IDLE_ROUNDS; ) {
    const last = await palimpsest.foldThrough(id, { signal })
    signal.throwIfAborted()
    if (last?.outcome === 'failed') throw foldFailed(last.reason)
    if (await palimpsest.endFoldJob(id, job)) return
    idle = last === null ? idle + 1 : 0
  }
}
