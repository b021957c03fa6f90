import type { SessionKey } from '../../store/index.ts'
import type { ExtractionEngine } from './extract-session.ts'

const CONCURRENCY = 2
const SESSIONS_AT_A_TIME = 100
/** Node's timers reach no further. */
const LONGEST_TIMER_MS = 2 ** 31 - 1
/** What is due but could not be done is looked at again after this. */
const LEAST_PAUSE_MS = 1_000

/**
 * Extracts user and scope memory in the background of a process, session by session, when the store says that
 * they are due. What it does not get done stays due, for this process or another one.
 */
export class ExtractionScheduler {
  readonly #engine: ExtractionEngine
  readonly #abort = new AbortController()
  #running: Promise<void> | null = null
  #isWanted = false
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #closed = false

  constructor(engine: ExtractionEngine) {
    this.#engine = engine
  }

  /** Takes up what an earlier process left. */
  start(): void {
    this.#run()
  }

  /** Something will be due at this instant. */
  noteDue(at: number): void {
    if (this.#closed || at >= this.#timerAt) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timerAt = at
    const wait = Math.min(LONGEST_TIMER_MS, Math.max(0, at - this.#engine.clock()))
    this.#timer = setTimeout(() => this.#run(), wait)
    this.#timer.unref()
  }

  /** Resolves when nothing that is due now is left. */
  async settled(): Promise<void> {
    if (this.#timerAt <= this.#engine.clock()) this.#run()
    while (this.#running !== null) await this.#running
  }

  /** What is under way is abandoned: its messages are read again. */
  async close(): Promise<void> {
    this.#closed = true
    if (this.#timer) clearTimeout(this.#timer)
    this.#abort.abort(new Error('closed'))
    await this.#running
  }

  #run(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#closed) return
    if (this.#running !== null) {
      this.#isWanted = true
      return
    }
    this.#running = this.#extractAll()
      .catch(error => this.#tell(error, ''))
      .finally(() => {
        this.#running = null
        if (!this.#isWanted) return
        this.#isWanted = false
        this.#run()
      })
  }

  async #extractAll(): Promise<void> {
    const { store, namespace, clock } = this.#engine
    const seen = new Set<string>()
    while (!this.#closed) {
      const due = await store.listExtractionDue(namespace, { now: clock(), limit: SESSIONS_AT_A_TIME })
      const fresh = due.filter(({ id }) => !seen.has(id))
      if (fresh.length === 0) break
      for (const { id } of fresh) seen.add(id)
      await this.#extractEach(fresh)
    }
    const next = this.#closed ? null : await store.nextExtractionAt(namespace)
    if (next !== null) this.noteDue(Math.max(next, clock() + LEAST_PAUSE_MS))
  }

  async #extractEach(keys: readonly SessionKey[]): Promise<void> {
    const waiting = [...keys]
    const work = async () => {
      for (let key = waiting.shift(); key !== undefined && !this.#closed; key = waiting.shift())
        await this.#extract(key)
    }
    await Promise.all(Array.from({ length: CONCURRENCY }, work))
  }

  async #extract(key: SessionKey): Promise<void> {
    // Most processes start without anything to extract.
    const { extractSession } = await import('./extract-session.ts')
    try {
      while (!this.#closed && (await extractSession(this.#engine, key, this.#abort.signal)) === 'more');
    } catch (error) {
      this.#tell(error, key.id)
    }
  }

  #tell(error: unknown, sessionId: string): void {
    if (!this.#closed) this.#engine.onError(error, { sessionId })
  }
}
