import { promises } from 'node:fs'

type LogFile = promises.FileHandle

/** Returns once what was written to this file is on the disk. */
export type SyncFile = (file: LogFile) => Promise<void>

export const syncFile: SyncFile = file => file.datasync()

/**
 * Waits for the disk outside of the event loop. A commit writes to the log and goes on; who wants to acknowledge it
 * waits here until the log is on the disk. Those that come together share one wait.
 */
export class SyncedLog {
  readonly #file: LogFile
  readonly #sync: SyncFile
  #committed = 0
  #synced = 0
  #syncing: Promise<void> | null = null
  #failure: unknown = null

  private constructor(file: LogFile, sync: SyncFile) {
    this.#file = file
    this.#sync = sync
  }

  /** `null`: this database has no log, since its file system cannot share one. */
  static async open(path: string, sync: SyncFile): Promise<SyncedLog | null> {
    try {
      return new SyncedLog(await promises.open(`${path}-wal`, 'r+'), sync)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
      throw error
    }
  }

  get hasFailed(): boolean {
    return this.#failure !== null
  }

  /** Something was written to the log, and is not on the disk yet. */
  noteCommit(): void {
    this.#committed += 1
  }

  /** All that was committed before is on the disk. */
  async synced(): Promise<void> {
    const wanted = this.#committed
    while (this.#synced < wanted) {
      this.#syncing ??= this.#syncOnce()
      await this.#syncing
    }
  }

  /**
   * A disk that failed once may say the next time that all is well, with a hole in the log, behind which nothing can
   * be read after a power cut. So nothing is acknowledged any more.
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
    await this.#file.close()
  }
}
