import { StoreError } from '../../errors.ts'
import { fileAt } from './connection.ts'

/** Which of the two is gone or replaced. */
type Missing = 'file' | 'log'

/** How old the last look may be: for reads, and for writes that do not wait for the disk. */
export interface SameFileLimits {
  readonly writingMs: number
  readonly readingMs: number
}

export const DEFAULT_SAME_FILE_LIMITS: SameFileLimits = { writingMs: 250, readingMs: 2_000 }

/**
 * Checks whether a database and its log are still the files that were opened. If they are removed, moved or
 * replaced under a running program, they go on taking its writes without an error, and nothing of that can be
 * found again. While they are open, the system gives their numbers to no other file.
 */
export class SameFile {
  readonly #name: string
  readonly #path: string
  readonly #limits: SameFileLimits
  readonly #file: string | null
  readonly #log: string | null
  #looked = performance.now()
  #missing: Missing | null = null

  /** For a database that is open and has a log. */
  constructor(name: string, path: string, limits: SameFileLimits) {
    this.#name = name
    this.#path = path
    this.#limits = limits
    this.#file = fileAt(path)
    this.#log = fileAt(`${path}-wal`)
  }

  /**
   * Looks only if the last look was long ago. `now`: looks always, for work that takes far longer than a
   * look.
   */
  require(when: 'reading' | 'writing' | 'now'): void {
    if (this.#missing === null && this.#isDue(when)) this.#look()
    if (this.#missing !== null) throw this.#error(this.#missing)
  }

  #isDue(when: 'reading' | 'writing' | 'now'): boolean {
    if (when === 'now') return true
    const { writingMs, readingMs } = this.#limits
    return performance.now() - this.#looked >= (when === 'reading' ? readingMs : writingMs)
  }

  #look(): void {
    this.#looked = performance.now()
    if (fileAt(this.#path) !== this.#file) this.#missing = 'file'
    else if (fileAt(`${this.#path}-wal`) !== this.#log) this.#missing = 'log'
  }

  #error(missing: Missing): StoreError {
    const what = missing === 'file' ? 'the file' : `its log (${this.#path}-wal)`
    return new StoreError(
      'store_replaced',
      this.#name,
      `${what} was removed, moved or replaced while it was open. What was written since is in no file that has a name, so ` +
        'nothing is acknowledged any more, and nothing is read. See that the right files are in place, then start the program ' +
        'again.',
    )
  }
}
