import { BoundedMap } from '../../bounded-map.ts'
import type { SessionKey } from '../../store/index.ts'
import type { ExtractionEngine } from './extract-session.ts'

const CONCURRENCY = 4
const SESSIONS_AT_A_TIME = 100
/** The store is read at least this often, since a due time may come from a wrong clock. */
const MAX_TIMER_MS = 600_000
/** The pause before the store is read again after an error, or if due work could not be done. */
const MIN_PAUSE_MS = 1_000
const MAX_REMEMBERED = 10_000

/**
 * Extracts user and scope memory in the background of a process, session by session, when they are due. A
 * slow session takes one place and does not block others. Work that is not done stays due, for this process
 * or another one.
 */
export class ExtractionScheduler {
  readonly #engine: ExtractionEngine
  readonly #abort = new AbortController()
  readonly #waiting = new Map<string, SessionKey>()
  readonly #underWay = new Map<string, Promise<void>>()
  /** The failures of each session in a row, in this process. */
  readonly #failures = new BoundedMap<string, number>(MAX_REMEMBERED)
  #looking: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  #timerAt = Number.POSITIVE_INFINITY
  #closed = false

  constructor(engine: ExtractionEngine) {
    this.#engine = engine
  }

  /** Takes up the work that an earlier process left. */
  start(): void {
    this.#look()
  }

  /** Some work is due at this instant. */
  noteDue(at: number): void {
    if (this.#closed || at >= this.#timerAt) return
    if (this.#timer) clearTimeout(this.#timer)
    this.#timerAt = at
    const wait = Math.min(MAX_TIMER_MS, Math.max(0, at - this.#engine.clock()))
    this.#timer = setTimeout(() => this.#look(), wait)
    this.#timer.unref()
  }

  /** Resolves when nothing that is due now is left. */
  async settled(): Promise<void> {
    while (!this.#closed) {
      if (this.#timerAt <= this.#engine.clock()) this.#look()
      const work = [...this.#underWay.values(), ...(this.#looking ? [this.#looking] : [])]
      if (work.length === 0) return
      await Promise.race(work)
    }
  }

  /** Aborts running steps. Their messages are read again later. */
  async close(): Promise<void> {
    this.#closed = true
    this.#waiting.clear()
    if (this.#timer) clearTimeout(this.#timer)
    this.#abort.abort(new Error('closed'))
    await Promise.all([...this.#underWay.values(), this.#looking])
  }

  #look(): void {
    this.#timerAt = Number.POSITIVE_INFINITY
    if (this.#timer) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#closed) return
    // Work that becomes due during a look is found by the next look.
    if (this.#looking) {
      this.noteDue(this.#engine.clock() + MIN_PAUSE_MS)
      return
    }
    this.#looking = this.#findDue()
      .catch(error => {
        this.#tell(error, '')
        this.noteDue(this.#engine.clock() + MIN_PAUSE_MS)
      })
      .finally(() => {
        this.#looking = null
      })
  }

  async #findDue(): Promise<void> {
    const { store, namespace, clock } = this.#engine
    const due = await store.schedule.listDue(namespace, {
      kind: 'extraction',
      now: clock(),
      limit: SESSIONS_AT_A_TIME,
    })
    for (const key of due) if (!this.#underWay.has(key.id)) this.#waiting.set(key.id, key)
    this.#fill()
    const next = this.#closed ? null : await store.schedule.nextDueAt(namespace, 'extraction')
    if (next !== null && this.#waiting.size === 0) this.noteDue(Math.max(next, clock() + MIN_PAUSE_MS))
  }

  #fill(): void {
    for (const [id, key] of this.#waiting) {
      if (this.#closed || this.#underWay.size >= CONCURRENCY) return
      this.#waiting.delete(id)
      const work = this.#extract(key).finally(() => {
        this.#underWay.delete(id)
        this.#fill()
        // One look reads a limited number of sessions, so more may be due.
        if (this.#waiting.size === 0) this.noteDue(this.#engine.clock())
      })
      this.#underWay.set(id, work)
    }
  }

  async #extract(key: SessionKey): Promise<void> {
    const { id } = key
    try {
      // Loaded late: most processes start with nothing to extract.
      const { extractSession } = await import('./extract-session.ts')
      const { signal } = this.#abort
      while (
        !this.#closed &&
        (await extractSession(this.#engine, key, signal, this.#failures.get(id) ?? 0)) === 'more'
      );
      this.#failures.delete(id)
    } catch (error) {
      this.#failures.set(id, (this.#failures.get(id) ?? 0) + 1)
      this.#tell(error, id)
    }
  }

  #tell(error: unknown, sessionId: string): void {
    if (!this.#closed) this.#engine.onError(error, { sessionId })
  }
}
