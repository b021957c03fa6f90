import type { SettingsStore } from 'palimpsest/internals/store/index'

/**
 * Other calls wait at most this long for a reading: its connection may have died silently. In milliseconds.
 */
const PATIENCE_MS = 1_000

/**
 * Reads the store's revision. It tells whether another process has changed what this process keeps in memory.
 * An answer is never older than its question. Callers who ask during a reading share the next reading, so
 * that many requests at once cost two readings.
 */
export class Revisions {
  readonly #settings: Pick<SettingsStore, 'readRevision'>
  #underWay: Promise<number> | null = null
  #next: Promise<number> | null = null

  constructor(settings: Pick<SettingsStore, 'readRevision'>) {
    this.#settings = settings
  }

  current(): Promise<number> {
    if (this.#underWay === null) return this.#read()
    this.#next ??= atMost(PATIENCE_MS, this.#underWay).then(() => this.#read())
    return this.#next
  }

  #read(): Promise<number> {
    this.#next = null
    const reading = this.#settings.readRevision()
    this.#underWay = reading
    const over = () => {
      if (this.#underWay === reading) this.#underWay = null
    }
    reading.then(over, over)
    return reading
  }
}

/** Resolves when the work has ended, well or badly, or when the time is over. */
function atMost(ms: number, work: Promise<unknown>): Promise<void> {
  return new Promise(resolve => {
    const timer = setTimeout(resolve, ms)
    const over = () => {
      clearTimeout(timer)
      resolve()
    }
    work.then(over, over)
  })
}
