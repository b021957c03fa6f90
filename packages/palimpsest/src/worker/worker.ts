import type { Job, PgBoss } from 'pg-boss'
import { checkOptions, optionsOf } from '../known-options.ts'
import type { Palimpsest } from '../palimpsest.ts'
import type { Store } from '../store/index.ts'
import { DEAD_FOLDS, FOLDS, keyOfJob, openBoss, type QueuePlace, SWEEPS } from '../store/postgres/boss.ts'
import type { FoldJob } from '../store/sql/steps.ts'
import { foldFailed, jobFailed } from './fold-job-error.ts'

export interface WorkerOptions {
  readonly place: QueuePlace
  /** An open store. The worker does not close it. */
  readonly store: Store
  /** The instance of a namespace, with the settings in force now. Its `folding` is `worker`. */
  readonly instanceOf: (namespace: string) => Promise<Palimpsest>
  /** How many folds at a time. Default: 4. */
  readonly concurrency?: number
  /** How long the folds under way may go on after a stop, in milliseconds. Default: 10,000. */
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
/** A trigger wakes a worker at once (LISTEN/NOTIFY). This poll finds what a lost connection missed. */
const POLL_SECONDS = 1
const EVERY_MINUTE = '* * * * *'
const AT_A_TIME = 200
const STOP_MS = 10_000

/**
 * Carries out the folds of a queue. Any number of servers fill the queue, and any number of workers empty it.
 * A job only says which session to look at. Whether and what to fold is decided when the job runs, so a job
 * that comes twice, late or for nothing does no harm. The session's lease guards the fold itself: a worker
 * that was paused beyond its lease cannot commit anything.
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
    // Jobs that were left while no worker ran do not wait for the next minute.
    await this.sweep()
    await this.#forgetLost()
  }

  /**
   * Takes one job at a time, and the next as soon as one is done. Without this, pg-boss looks again only when
   * it polls.
   */
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
   * The queue tries a failed job again, later each time, and in the end puts it aside. If the session of a
   * job is gone, there is nothing to do: the job ends here and leaves nothing.
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

  /** If the store does not answer, the job is tried again. */
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

  /** Removes jobs that an earlier version gave up, if their sessions were erased since. */
  async #forgetLost(): Promise<void> {
    for (const job of await this.#boss.findJobs<FoldJob>(DEAD_FOLDS, { queued: true }))
      if (await this.#isGone(job.data)) await this.#forget(job)
  }

  /**
   * The worker was told to stop in the middle of the job. Nothing has failed, and another worker may begin at
   * once.
   */
  async #giveBack(job: Job<FoldJob>): Promise<void> {
    await this.#boss.complete(FOLDS, job)
    await this.#boss.send(FOLDS, job.data, { singletonKey: keyOfJob(job.data) })
  }

  /**
   * Makes jobs for sessions that are due, and for sessions whose job was lost. It also runs by itself once a
   * minute.
   */
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

/** If pending work comes to nothing this many times, the job ends and waits for a later look. */
const MAX_IDLE_ROUNDS = 2

/** Folds until nothing is left to do. What arrives meanwhile is part of the same job. */
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
