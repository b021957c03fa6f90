import { whenThereIsRoom } from '../../slices.ts'

export interface WriteLineParts {
  /** Resolves when a long write of this process has released the lock. `null`: none has it. */
  readonly locked: () => Promise<void> | null
  /** `true`: another connection has the lock; try again. */
  readonly isBusy: (error: unknown) => boolean
  readonly busyTimeoutMs: number
  /** Rewriting a database takes long: no writer gives up meanwhile. */
  readonly isBeingScrubbed: () => boolean
}

interface Writer {
  /** Begins, works and commits, in one go. */
  readonly transact: () => void
  readonly fail: (error: unknown) => void
  readonly came: number
  /** Since when another process has had the lock, as far as this writer has seen. */
  busySince: number | null
}

const MAX_PAUSE_MS = 20
/** A process that takes longer to rewrite the database has died. */
export const MAX_SCRUB_MS = 3_600_000
/**
 * How much of a turn of the event loop the waiting writers take, give or take one writer. The rest is for
 * readers.
 */
const MAX_DRAIN_MS = 8

/**
 * Only one writer at a time can write to SQLite. Writers that find the lock taken wait in line, and a later
 * writer does not overtake them. One of them tries for all, with pauses of random length, so that the event
 * loop goes on and another process gets its turn. While a thread of this process has the lock, no writer
 * tries: that would take processor time from the thread that all wait for.
 */
export class WriteLine {
  readonly #parts: WriteLineParts
  readonly #waiting: Writer[] = []
  #isServing = false

  constructor(parts: WriteLineParts) {
    this.#parts = parts
  }

  async run<Result>(transact: () => Result): Promise<Result> {
    const entered = await whenThereIsRoom((): { result: Promise<Result> } | { done: Result } => {
      if (this.#waiting.length > 0 || this.#parts.locked() !== null)
        return { result: this.#enter(transact, null) }
      try {
        return { done: transact() }
      } catch (error) {
        if (!this.#parts.isBusy(error)) throw error
        return { result: this.#enter(transact, performance.now()) }
      }
    })
    return 'done' in entered ? entered.done : entered.result
  }

  /** Resolves when the writers that wait now have had their turn. */
  async served(): Promise<void> {
    if (this.#waiting.length > 0) await this.#enter(() => {}, null).catch(() => {})
  }

  #enter<Result>(transact: () => Result, busySince: number | null): Promise<Result> {
    return new Promise<Result>((resolve, reject) => {
      this.#waiting.push({
        transact: () => resolve(transact()),
        fail: reject,
        came: performance.now(),
        busySince,
      })
      if (!this.#isServing) void this.#serve()
    })
  }

  /** Serves until no writer waits. */
  async #serve(): Promise<void> {
    this.#isServing = true
    for (let pause = 1; this.#waiting.length > 0; ) {
      const locked = this.#parts.locked()
      if (locked !== null) {
        await locked
        // That time was taken by this process itself.
        for (const writer of this.#waiting) writer.busySince = null
      } else if ((await whenThereIsRoom(() => this.#drain(), 'first')) === 'busy') {
        await new Promise(resolve => setTimeout(resolve, Math.random() * pause))
        pause = Math.min(MAX_PAUSE_MS, pause * 2)
        continue
      }
      pause = 1
    }
    this.#isServing = false
  }

  #drain(): 'busy' | 'done' {
    const begun = performance.now()
    while (this.#waiting.length > 0 && performance.now() - begun < MAX_DRAIN_MS) {
      const [writer] = this.#waiting
      try {
        writer!.transact()
      } catch (error) {
        if (this.#parts.isBusy(error)) {
          this.#giveUp(error)
          return 'busy'
        }
        writer!.fail(error)
      }
      this.#waiting.shift()
    }
    return 'done'
  }

  /** Fails the writers whose time is over. */
  #giveUp(error: unknown): void {
    const now = performance.now()
    const { busyTimeoutMs, isBeingScrubbed } = this.#parts
    for (const writer of this.#waiting) writer.busySince ??= now
    if (!this.#waiting.some(({ busySince }) => now - busySince! > busyTimeoutMs)) return
    const isScrubbed = isBeingScrubbed()
    const left = this.#waiting.filter(writer => {
      if (now - writer.busySince! <= busyTimeoutMs) return true
      if (isScrubbed && now - writer.came <= MAX_SCRUB_MS) {
        writer.busySince = now
        return true
      }
      writer.fail(error)
      return false
    })
    this.#waiting.splice(0, this.#waiting.length, ...left)
  }
}
