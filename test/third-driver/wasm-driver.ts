import sqlite3, { type Database, type Statement } from 'node-sqlite3-wasm'
import { ClosedError, PalimpsestError, StoreError } from 'palimpsest'
import type { SqlQuery, SqlRow, SqlSteps, SqlValue } from 'palimpsest/store'
import { asDamage, asUndone, type Driver, runSync } from 'palimpsest/store'
import { migrateSqlite, SQLITE_DIALECT, withTextsApart } from 'palimpsest/store/sqlite'

const MAX_WAIT_MS = 10_000
const MAX_PAUSE_MS = 20

/** SQLite compiled to WebAssembly: a driver that knows of Palimpsest only what anybody can import. */
export class WasmDriver implements Driver {
  readonly name: string
  readonly dialect = SQLITE_DIALECT
  readonly #path: string
  readonly #statements = new Map<string, Statement>()
  /** The schema keeps long texts apart from their rows; above this nothing knows of it. */
  readonly #execute = withTextsApart(query => this.#all(query))
  #database: Database | null = null

  constructor(path: string) {
    this.name = `SQLite (WebAssembly) ${path}`
    this.#path = path
  }

  async open(): Promise<void> {
    const database = new sqlite3.Database(this.#path)
    try {
      await this.#attempt(() =>
        migrateSqlite(
          { exec: sql => database.exec(sql), prepare: sql => ({ get: () => database.get(sql) }) },
          this.name,
        ),
      )
    } catch (error) {
      database.close()
      throw error
    }
    this.#database = database
  }

  async close(): Promise<void> {
    for (const statement of this.#statements.values()) statement.finalize()
    this.#statements.clear()
    this.#database?.close()
    this.#database = null
  }

  read<Result>(steps: () => SqlSteps<Result>): Promise<Result> {
    return this.#attempt(() => this.#transaction('BEGIN', steps))
  }

  write<Result>(steps: () => SqlSteps<Result>): Promise<Result> {
    return this.#attempt(() => this.#transaction('BEGIN IMMEDIATE', steps))
  }

  /** Written anew, the file holds only what is there. */
  async scrub(): Promise<boolean> {
    await this.#attempt(() => this.#opened().exec('VACUUM'))
    return true
  }

  #opened(): Database {
    if (this.#database === null) throw new ClosedError('store')
    return this.#database
  }

  #transaction<Result>(begin: string, steps: () => SqlSteps<Result>): Result {
    const database = this.#opened()
    let isCommitting = false
    database.exec(begin)
    try {
      const result = runSync(steps(), this.#execute)
      isCommitting = true
      database.exec('COMMIT')
      return result
    } catch (error) {
      const isUndone = database.inTransaction
      if (isUndone) database.exec('ROLLBACK')
      const failure = this.#toStoreError(error)
      throw isUndone || !isCommitting ? asUndone(failure) : failure
    }
  }

  #all({ sql, parameters }: SqlQuery): readonly SqlRow[] {
    let statement = this.#statements.get(sql)
    if (statement === undefined) {
      statement = this.#opened().prepare(sql)
      this.#statements.set(sql, statement)
    }
    return statement.all(parameters as SqlValue[]) as SqlRow[]
  }

  /** While another process has the file, everything else in this one goes on. */
  async #attempt<Result>(action: () => Result): Promise<Result> {
    const deadline = performance.now() + MAX_WAIT_MS
    for (;;) {
      try {
        return action()
      } catch (error) {
        const failure = this.#toStoreError(error)
        const isBusy = PalimpsestError.isInstance(failure) && failure.code === 'store_busy'
        if (!isBusy || performance.now() > deadline) throw failure
      }
      await new Promise(resolve => setTimeout(resolve, Math.random() * MAX_PAUSE_MS))
    }
  }

  #toStoreError(error: unknown): unknown {
    const failure = asDamage(error, this.name)
    if (!(failure instanceof sqlite3.SQLite3Error)) return failure
    if (failure.message === 'database is locked')
      return new StoreError('store_busy', this.name, 'another process has the file. Try again.', error)
    return new StoreError('store_failed', this.name, failure.message, error)
  }
}
