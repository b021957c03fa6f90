import { close, fdatasync, openSync } from 'node:fs'

/** Returns when everything that was written to this open file is on the disk. */
export type SyncFile = (file: number) => Promise<void>

export const syncFile: SyncFile = file => called(done => fdatasync(file, done))

function called(call: (done: (error: Error | null) => void) => void): Promise<void> {
  return new Promise((resolve, reject) => call(error => (error ? reject(error) : resolve())))
}

/**
 * Waits for the disk outside of the event loop. A commit writes to the log and goes on. Before the caller
 * acknowledges the commit, it waits here until the log is on the disk. Callers that come together share one
 * wait.
 */
export class SyncedLog {
  readonly #file: number
  readonly #sync: SyncFile
  #committed = 0
  #synced = 0
  #syncing: Promise<void> | null = null
  #failure: unknown = null

  private constructor(file: number, sync: SyncFile) {
    this.#file = file
    this.#sync = sync
  }

  /** For a database that has a log. */
  static open(path: string, sync: SyncFile): SyncedLog {
    return new SyncedLog(openSync(`${path}-wal`, 'r+'), sync)
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }

  /** Something may have been written to the log that is not on the disk yet. */
  noteCommit(): void {
    this.#committed += 1
  }

  /** Resolves when all that was committed before the call is on the disk. */
  async synced(): Promise<void> {
    const wanted = this.#committed
    while (this.#synced < wanted) {
      this.#syncing ??= this.#syncOnce()
      await this.#syncing
    }
  }

  /**
   * A disk that failed once may report success the next time, with a hole in the log. After a power cut,
   * nothing behind the hole can be read. So nothing is acknowledged any more.
   */
  async #syncOnce(): Promise<void> {
    try {
      if (this.#failure !== null) throw this.#failure
      const committed = this.#committed
      await this.#sync(this.#file)
      this.#synced = committed
    } catch (error) {
      this.#failure = error
      throw error
    } finally {
      this.#syncing = null
    }
  }

  async close(): Promise<void> {
    await this.synced().catch(() => {})
    await called(done => close(this.#file, done))
  }
}
