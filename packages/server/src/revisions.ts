import type { SettingsStore } from 'palimpsest/internals/store/index'

/** A reading that takes longer is not waited for by others: a connection may have died silently. */
const PATIENCE_MS = 1_000

/**
 * Tells what is kept in memory from what another process has changed since. An answer is never older than the
 * question; whoever asks while a reading is under way shares the next one, so that many requests at once cost two.
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

/** When it has ended, however, or the time is over. */
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
