import { ClosedError } from './errors.ts'
import type { Store } from './store/index.ts'

export const DEFAULT_EVENT_RETENTION_DAYS = 30
export const MAX_EVENT_RETENTION_DAYS = 36_500

const DAY_MS = 86_400_000
/** The first look waits, so that it does not slow the start of a program. */
const FIRST_LOOK_MS = 10_000
const LOOK_MS = 3_600_000
/**
 * The pause between two slices, as a multiple of the time of the first one. Other writers work in the pause.
 */
const RESTS = 4
const MIN_REST_MS = 20

export interface EventTrimmerOptions {
  readonly store: Pick<Store, 'events'>
  readonly retentionDays: number
  readonly clock: () => number
  readonly onError: (error: unknown) => void
  /** For tests. */
  readonly firstLookMs?: number
}

/**
 * Trims old events in the background, in short transactions. Events of all namespaces have one order, so any
 * process trims for all. If several processes do it, the later one finds nothing to do.
 */
export class EventTrimmer {
  readonly #options: EventTrimmerOptions
  #timer: NodeJS.Timeout | undefined
  #working: Promise<void> | null = null
  #isClosed = false

  constructor(options: EventTrimmerOptions) {
    this.#options = options
  }

  start(): void {
    this.#lookIn(this.#options.firstLookMs ?? FIRST_LOOK_MS)
  }

  /** Waits for the transaction under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#working
  }

  #lookIn(ms: number): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#working = this.#look().finally(() => {
        this.#working = null
      })
    }, ms).unref()
  }

  /** Trims one slice, and sets when to look again. */
  async #look(): Promise<void> {
    const { store, retentionDays, clock, onError } = this.#options
    const began = performance.now()
    try {
      const { isMore } = await store.events.trimEvents({ now: clock(), retentionMs: retentionDays * DAY_MS })
      this.#lookIn(isMore ? Math.max(MIN_REST_MS, RESTS * (performance.now() - began)) : LOOK_MS)
    } catch (error) {
      if (!this.#isClosed && !(error instanceof ClosedError)) onError(error)
      this.#lookIn(LOOK_MS)
    }
  }
}
