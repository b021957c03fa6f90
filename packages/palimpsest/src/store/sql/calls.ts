import { ClosedError } from '../../errors.ts'
import type { SessionKey, Warn } from '../store.ts'
import type { AppendQueues } from './append-queue.ts'
import type { Dialect, Driver } from './driver.ts'
import type { KeptColumns } from './kept-columns.ts'
import type { SessionRow } from './rows.ts'
import type { Steps } from './steps.ts'
import { unpackingDriver } from './unpacking-driver.ts'

/** A third of the library's code. A program that has not opened a store does not load it. */
const loadOperations = () => import('./operations.ts')
type Operations = Awaited<ReturnType<typeof loadOperations>>

/** What exists once the store is open. */
export interface Opened {
  readonly sql: Operations
  readonly appends: AppendQueues
  readonly columns: KeptColumns
}

/**
 * How every port calls the database. Each call is one transaction. It is refused unless the store is open.
 * Closing the store waits for it.
 */
export class Calls {
  readonly driver: Driver
  readonly warn: Warn
  readonly #underWay = new Set<Promise<unknown>>()
  #opened: Opened | null = null
  #opening: Promise<void> | null = null
  #closing: Promise<void> | null = null

  constructor(driver: Driver, warn: Warn) {
    this.driver = unpackingDriver(driver)
    this.warn = warn
  }

  get dialect(): Dialect {
    return this.driver.dialect
  }

  get rules() {
    return { dialect: this.dialect, warn: this.warn }
  }

  async open(): Promise<void> {
    this.#checkOpen()
    this.#opening ??= this.#open().catch(error => {
      this.#opening = null
      throw error
    })
    return this.#opening
  }

  async #open(): Promise<void> {
    const sql = await loadOperations()
    await this.driver.open()
    this.#opened = {
      sql,
      appends: new sql.AppendQueues(this.driver, this.warn),
      columns: new sql.KeptColumns(),
    }
  }

  close(): Promise<void> {
    this.#closing ??= this.#finish()
    return this.#closing
  }

  async #finish(): Promise<void> {
    await Promise.allSettled(this.#underWay)
    await this.#opening?.catch(() => {})
    if (this.#opening !== null) await this.driver.close()
  }

  #checkOpen(): void {
    if (this.#closing !== null) throw new ClosedError('store')
  }

  /** Closing the store waits for every call that was let in. */
  async while<Result>(call: (opened: Opened) => Promise<Result>): Promise<Result> {
    this.#checkOpen()
    if (this.#opened === null) throw new ClosedError('store')
    const running = call(this.#opened)
    this.#underWay.add(running)
    try {
      return await running
    } finally {
      this.#underWay.delete(running)
    }
  }

  read<Result>(steps: (opened: Opened) => Steps<Result>): Promise<Result> {
    return this.while(opened => this.driver.read(() => steps(opened)))
  }

  /** Returns `missing` if there is no such session. */
  readOr<Result, Missing>(
    key: SessionKey,
    missing: Missing,
    steps: (session: SessionRow, opened: Opened) => Steps<Result>,
  ): Promise<Result | Missing> {
    return this.read(function* (opened) {
      const session = yield* opened.sql.findSession(key)
      return session ? yield* steps(session, opened) : missing
    })
  }

  write<Result>(steps: (opened: Opened) => Steps<Result>): Promise<Result> {
    return this.while(opened => this.driver.write(() => steps(opened)))
  }

  writeOr<Result, Missing>(
    key: SessionKey,
    missing: Missing,
    steps: (session: SessionRow, opened: Opened) => Steps<Result>,
  ): Promise<Result | Missing> {
    const { dialect } = this
    return this.write(function* (opened) {
      const session = yield* opened.sql.lockSession(key, dialect)
      return session ? yield* steps(session, opened) : missing
    })
  }

  /** Throws a `SessionNotFoundError` if there is no such session. */
  writeExisting<Result>(
    key: SessionKey,
    steps: (session: SessionRow, opened: Opened) => Steps<Result>,
  ): Promise<Result> {
    const { dialect } = this
    return this.write(function* (opened) {
      return yield* steps(yield* opened.sql.lockExistingSession(key, dialect), opened)
    })
  }
}
