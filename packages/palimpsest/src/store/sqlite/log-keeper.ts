import { stat } from 'node:fs'
import { PalimpsestError } from '../../errors.ts'
import type { Warn } from '../store.ts'
import type { LongWork } from './long-work.ts'

export interface LogLimits {
  /**
   * When the log has grown by this many pages, a thread copies it into the database. The number is a guess.
   */
  readonly copiedPages: number
  /** A log that is larger is emptied when nothing was written for `idleMs`. */
  readonly idleBytes: number
  readonly idleMs: number
  /** If a reader keeps a larger log from being copied, this gives a warning. */
  readonly toldBytes: number
}

export const DEFAULT_LOG_LIMITS: LogLimits = {
  copiedPages: 3_000,
  idleBytes: 1_000_000,
  idleMs: 2_000,
  toldBytes: 64_000_000,
}

const MAX_PAUSE_MS = 60_000

/**
 * Keeps the write-ahead log short. A thread does all of it: the copying waits for the disk, and the event
 * loop must not wait with it.
 *
 * While much is written, the log is copied into the database every so many pages, and is begun anew. Its file
 * keeps its size, because a growing file is slower to sync. When nothing is written any more, a large file is
 * cut off.
 */
export class LogKeeper {
  readonly #parts: LogKeeperParts
  #pages = 0
  #lastWrite = 0
  #timer: NodeJS.Timeout | undefined
  #pauseMs: number
  #working: Promise<void> | null = null
  #isTold = false
  #isClosed = false

  constructor(parts: LogKeeperParts) {
    this.#parts = parts
    this.#pauseMs = parts.limits.idleMs
    // Another process may have left a large log.
    this.#lookIn(parts.limits.idleMs)
  }

  /** Notes how many pages were added to the log, as far as this can be guessed. */
  notePages(pages: number): void {
    this.#pages += pages
  }

  /** A long transaction was done. It has added more than a short one ever does. */
  noteLongWork(): void {
    this.#pages += this.#parts.limits.copiedPages
  }

  noteCommit(): void {
    this.#lastWrite = performance.now()
    this.#pauseMs = this.#parts.limits.idleMs
    if (this.#timer === undefined) this.#lookIn(this.#pauseMs)
    if (this.#pages < this.#parts.limits.copiedPages || this.#isAtWork()) return
    this.#pages = 0
    this.#shorten('copy')
  }

  /** Cuts a large log off before the connection ends: other processes may go on for long without a write. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#working
    if ((await this.#bytes()) > this.#parts.limits.idleBytes) await this.#shorten('empty')
  }

  #lookIn(ms: number): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => {
      this.#timer = undefined
      this.#look().catch(() => {})
    }, ms).unref()
  }

  async #look(): Promise<void> {
    const { idleMs, idleBytes } = this.#parts.limits
    const quietMs = performance.now() - this.#lastWrite
    if (quietMs < idleMs) return this.#lookIn(idleMs - quietMs)
    if (this.#isAtWork()) return this.#lookIn(idleMs)
    if ((await this.#bytes()) <= idleBytes || this.#isClosed) return
    await this.#shorten('empty')
    if ((await this.#bytes()) <= idleBytes) return
    // A reader is in the way, and it may stay for long.
    this.#pauseMs = Math.min(MAX_PAUSE_MS, this.#pauseMs * 2)
    if (this.#timer === undefined) this.#lookIn(this.#pauseMs)
  }

  #isAtWork(): boolean {
    return this.#working !== null || this.#parts.isScrubbing()
  }

  #shorten(how: 'copy' | 'empty'): Promise<void> {
    this.#working ??= this.#shortenOnce(how).finally(() => {
      this.#working = null
    })
    return this.#working
  }

  async #shortenOnce(how: 'copy' | 'empty'): Promise<void> {
    try {
      const shortening = await this.#parts.thread.shortenLog(how)
      if (shortening === 'shortened') this.#isTold = false
      else if (shortening === 'held') await this.#tell()
    } catch (error) {
      // If the disk or another process refused this try, the next one makes up for it.
      if (PalimpsestError.isInstance(error)) this.#parts.onNoThread()
    }
  }

  async #tell(): Promise<void> {
    const bytes = await this.#bytes()
    if (this.#isTold || bytes <= this.#parts.limits.toldBytes) return
    this.#isTold = true
    const { file, warn } = this.#parts
    warn(
      `${file} has grown to ${Math.round(bytes / 1e6)} MB, since a reader keeps it from being copied into the database: ` +
        'a program with an open read transaction, such as a backup or a database shell. Nothing is lost. It is cut ' +
        'off once that transaction ends.',
      { file, bytes },
    )
  }

  #bytes(): Promise<number> {
    return new Promise(resolve => {
      stat(this.#parts.file, (error, found) => resolve(error ? 0 : found.size))
    })
  }
}

export interface LogKeeperParts {
  /** The file of the log. */
  readonly file: string
  readonly thread: LongWork
  readonly limits: LogLimits
  readonly warn: Warn
  /** `true`: the scrub copies the log now. */
  readonly isScrubbing: () => boolean
  /** Is called if there is no thread for the work. */
  readonly onNoThread: () => void
}
