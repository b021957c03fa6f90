import type { DatabaseSync } from 'node:sqlite'
import { ClosedError, checkPositive, InvalidArgumentError, StoreError } from '../../errors.ts'
import { isToCome } from '../../log/index.ts'
import { whenThereIsRoom } from '../../slices.ts'
import type { CheckResult, CheckUpRequest } from '../check-up.ts'
import { requireNewest, type SchemaVersions } from '../migrations.ts'
import { closeToOthers, createPrivately, openToOthersText } from '../private-file.ts'
import { asDamage } from '../sql/damage.ts'
import type { Driver } from '../sql/driver.ts'
import { all, type Query, type Row, runSync, type Steps } from '../sql/steps.ts'
import { asUndone, asUndoneAs } from '../sql/undone.ts'
import { type OnScrub, type Warn, warnOnStderr } from '../store.ts'
import { readAnnouncement } from './announcement.ts'
import { CHECKPOINT_PAGES, fileAt, setDurability, setLog } from './connection.ts'
import { SQLITE_DIALECT } from './dialect.ts'
import { erasedListOf } from './erased-list-of.ts'
import { isBusy, isDamage, isTooLong, toStoreError } from './errors.ts'
import { DEFAULT_LOG_LIMITS, LogKeeper, type LogLimits } from './log-keeper.ts'
import { DEFAULT_STRETCH, ENDLESS, LongWork, LongWorkError, type Stretch } from './long-work.ts'
import { markingLog, markLogAlone } from './mark-log.ts'
import { checkVersions, migrate, needsMigration } from './migrate.ts'
import { DEFAULT_SAME_FILE_LIMITS, SameFile, type SameFileLimits } from './same-file.ts'
import { type Numbers, Statements } from './statements.ts'
import { SyncedLog, type SyncFile, syncFile } from './synced-log.ts'
import { TextsApart, withTextsApart } from './texts-apart.ts'
import { addressOf, isReliable, isSpecialName, isStill, realPath, sizeOf, type View, viewOf } from './view.ts'
import { MAX_SCRUB_MS, WriteLine } from './write-line.ts'

export interface SqliteOptions {
  /**
   * `full`: an acknowledged message survives a power cut. `normal`: it survives the end of the process, but a
   * power cut may lose the last messages. On a disk, `normal` is many times faster.
   */
  readonly durability?: 'full' | 'normal'
  /** How long to wait for other processes that write. */
  readonly busyTimeoutMs?: number
  /**
   * Opens an existing database for reading only. Nothing is made or changed, neither in the file nor beside
   * it. A database of an older version is refused.
   */
  readonly readOnly?: boolean
  /**
   * `false`: a database that is missing, or of an older version, is refused, and it is not made or changed.
   */
  readonly migrate?: boolean
}

/** What tests may replace. */
export interface DriverParts {
  readonly stretch?: Stretch | undefined
  readonly sync?: SyncFile | undefined
  readonly limits?: Partial<LogLimits> | undefined
  readonly sameFile?: Partial<SameFileLimits> | undefined
  readonly texts?: TextsApart | undefined
}

/** The limit for one value, in bytes as stored. */
const MAX_BYTES_OF_VALUE = 1_000_000

const MAX_PAUSE_MS = 20
/** If a file changes under a reader more often than this, it cannot be read now. */
const MAX_VIEWS = 10
const PARAMETERS_A_PAGE = 4
const CHARACTERS_A_PAGE = 3_000

export class SqliteDriver implements Driver {
  readonly name: string
  readonly dialect = SQLITE_DIALECT
  readonly #path: string
  readonly #options: Required<SqliteOptions>
  readonly #warn: Warn
  #database: DatabaseSync | null = null
  #statements: Statements | null = null
  /** `null`: a database in memory has only one connection. */
  #long: { readonly reads: LongWork; readonly writes: LongWork; readonly copies: LongWork } | null = null
  /** `null`: a commit waits for the disk itself, or no wait is wanted. */
  #log: SyncedLog | null = null
  #keeper: LogKeeper | null = null
  /** `null`: the database is open for writing. */
  #view: View | null = null
  /** `null`: the database is in memory, or open for reading. */
  #files: SameFile | null = null
  /** The very first write marks the log with the identity of its database. */
  #isLogMarked = false
  /** The damage that the database, or a read of it, has reported. Nothing is written after it. */
  #damage: unknown = null
  #renewing: Promise<void> | null = null
  readonly #writers: WriteLine
  readonly #texts: TextsApart
  #scrub: Promise<boolean> | null = null
  #nextScrub: Promise<boolean> | null = null

  readonly #parts: {
    readonly stretch: Stretch
    readonly sync: SyncFile
    readonly limits: LogLimits
    readonly sameFile: SameFileLimits
  }

  constructor(path: string, options: SqliteOptions, warn: Warn = warnOnStderr, parts: DriverParts = {}) {
    const { stretch = DEFAULT_STRETCH, sync = syncFile, limits } = parts
    this.#parts = {
      ...{ stretch, sync, limits: { ...DEFAULT_LOG_LIMITS, ...limits } },
      sameFile: { ...DEFAULT_SAME_FILE_LIMITS, ...parts.sameFile },
    }
    this.#texts = parts.texts ?? new TextsApart()
    this.name = `SQLite ${path}`
    this.#warn = warn
    this.#path = path
    const { durability = 'full', busyTimeoutMs = 10_000, readOnly = false, migrate = true } = options
    this.#options = { durability, busyTimeoutMs, readOnly, migrate }
    // SQLite takes an empty name for a database that vanishes when it is closed.
    if (typeof path !== 'string' || path.trim() === '')
      throw new InvalidArgumentError('path', path, 'the name of a file, such as "./palimpsest.db"')
    if (durability !== 'full' && durability !== 'normal')
      throw new InvalidArgumentError('durability', durability, 'full, normal')
    checkPositive('busyTimeoutMs', busyTimeoutMs)
    this.#writers = new WriteLine({
      locked: () => this.#long?.writes.locked ?? null,
      isBusy,
      busyTimeoutMs,
      isBeingScrubbed: () => this.#isBeingScrubbed(),
    })
  }

  /**
   * Beside the file that a link leads to, where its log is too. A database that is open for reading only
   * erases nothing.
   */
  get erasedList(): string | null {
    const path = this.#options.readOnly ? null : (this.#database?.location() ?? null)
    return path ? erasedListOf(path) : null
  }

  async open(): Promise<void> {
    const { durability, migrate: migrates } = this.#options
    if (this.#options.readOnly) return this.#openAsItIs()
    await this.#checkLog()
    if (!migrates) requireNewest(await this.readSchemaVersions())
    // SQLite gives the log and its index the mode of the database. So those of a new database are private
    // from the first byte on.
    else if (!isSpecialName(this.#path)) createPrivately(this.#path)
    const database = await this.#connect(this.#path, false)
    const path = database.location()
    this.#closeToOthers(path)
    try {
      await this.#attempt(() => {
        // The first read of the file: here a file that is no database is found out.
        const mustMigrate = needsMigration(database, this.name)
        setLog(database, this.name)
        setDurability(database, durability)
        if (mustMigrate) migrate(database, this.name)
        readNewestAppend(database, this.name)
      })
      if (durability === 'full' && path) this.#log = SyncedLog.open(path, this.#parts.sync)
    } catch (error) {
      database.close()
      throw error
    }
    this.#use(database)
    if (!path) return
    const commits = this.#log === null ? durability : 'normal'
    setDurability(database, durability, commits)
    this.#files = new SameFile(this.name, path, this.#parts.sameFile)
    const file = fileAt(path)!
    const long = (readOnly: boolean, giveWay?: () => Promise<void>) =>
      new LongWork(
        this.name,
        {
          ...{ path, file, durability, commits, readOnly },
          parameters: readOnly ? 'mode=ro' : 'mode=rw',
        },
        this.#texts,
        giveWay,
      )
    const copies = long(false)
    const writes = long(false, () => this.#writers.served())
    this.#long = { reads: long(true), writes, copies }
    this.#keeper = new LogKeeper({
      file: `${path}-wal`,
      thread: copies,
      limits: this.#parts.limits,
      warn: this.#warn,
      isScrubbing: () => this.#scrub !== null,
      onNoThread: () => {
        if (database.isOpen) database.exec(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`)
      },
    })
  }

  /** The check comes before SQLite sees the file and the log. Its code is loaded only if there is a log. */
  async #checkLog(): Promise<void> {
    if (isSpecialName(this.#path)) return
    const path = realPath(this.#path)
    if (sizeOf(`${path}-wal`) <= 0) return
    const { checkLog } = await import('./log-check.ts')
    await checkLog(this.name, path)
  }

  #use(database: DatabaseSync): void {
    this.#database = database
    this.#statements = new Statements(database)
    // A longer value is not even looked at here: reading, writing or copying it fails at once, and a thread
    // does the work.
    if (database.limits && database.location()) database.limits.length = MAX_BYTES_OF_VALUE
  }

  async #openAsItIs(): Promise<void> {
    const { database, view, versions } = await this.#connectAsItIs()
    try {
      requireNewest(versions)
    } catch (error) {
      database.close()
      throw error
    }
    this.#use(database)
    this.#view = view
    const { path, parameters } = view
    const file = path && fileAt(path)
    if (!path || !file) return
    const { durability } = this.#options
    const request = { path, file, durability, commits: durability, readOnly: true, parameters }
    const long = new LongWork(this.name, request, this.#texts)
    this.#long = { reads: long, writes: long, copies: long }
  }

  /** Another process may begin to write between a look at the files and their opening. */
  async #connectAsItIs(): Promise<{ database: DatabaseSync; view: View; versions: SchemaVersions }> {
    for (let tries = MAX_VIEWS; ; tries--) {
      const view = viewOf(this.#path)
      const { path, parameters } = view
      await this.#checkLog()
      try {
        const address = path === null ? this.#path : addressOf(path, parameters)
        const database = await this.#connect(address, true)
        try {
          const versions = await this.#attempt(() => checkVersions(database, this.name))
          if (isReliable(view, this.#path)) return { database, view, versions }
          if (tries === 0) throw this.#unsteadyError()
        } catch (error) {
          database.close()
          throw error
        }
        database.close()
      } catch (error) {
        if (tries === 0 || isStill(view, this.#path)) throw this.#afterOpening(error, view)
      }
    }
  }

  /** In a folder that cannot be written, a log without its index cannot be read. */
  #afterOpening(error: unknown, { parameters }: View): unknown {
    const { code } = error as { code?: unknown }
    if (parameters !== 'mode=ro' || (code !== 'store_unavailable' && code !== 'store_read_only')) return error
    return new StoreError(
      'store_unavailable',
      this.name,
      'beside it is a log (-wal or -journal) with what is not in the file yet, and SQLite can read that only where it ' +
        'can write. Nothing was changed. Copy the file together with its log to a folder that can be written.',
      error,
    )
  }

  /** `null`: the database is in memory. */
  #closeToOthers(file: string | null): void {
    if (!file) return
    for (const each of [file, `${file}-wal`, `${file}-shm`])
      if (!closeToOthers(each)) this.#warn(openToOthersText(each), { file: each })
  }

  /** The versions of the database, without opening it for good. */
  async readSchemaVersions(): Promise<SchemaVersions> {
    const { database, versions } = await this.#connectAsItIs()
    database.close()
    return versions
  }

  async #connect(address: string | URL, readOnly: boolean): Promise<DatabaseSync> {
    const { DatabaseSync } = await import('node:sqlite').catch(cause => {
      throw new StoreError(
        'store_unavailable',
        this.name,
        'node:sqlite is missing. Run Node 24 or newer.',
        cause,
      )
    })
    return this.#attempt(() => new DatabaseSync(address, { timeout: 0, readOnly }))
  }

  async close(): Promise<void> {
    // A scrub takes seconds, and its thread cannot be stopped in the middle.
    await (this.#nextScrub ?? this.#scrub)?.catch(() => {})
    await this.#keeper?.close()
    this.#keeper = null
    await Promise.all(Object.values(this.#long ?? {}).map(long => long.close()))
    this.#long = null
    this.#endLog()
    await this.#log?.close()
    this.#log = null
    this.#statements = null
    this.#view = null
    this.#database?.close()
    this.#database = null
  }

  /**
   * The last connection deletes the log when it closes, so the log is marked before. An error of the mark
   * does not stop the closing.
   */
  #endLog(): void {
    if (!this.#isLogMarked || this.#database === null || this.#damage !== null) return
    try {
      this.#files?.require('now')
      markLogAlone(this.#database)
    } catch {}
  }

  async read<Result>(steps: () => Steps<Result>): Promise<Result> {
    this.#files?.require('reading')
    return this.#read(steps).catch(error => {
      throw this.#noteDamage(error)
    })
  }

  async #read<Result>(steps: () => Steps<Result>): Promise<Result> {
    for (let tries = MAX_VIEWS; ; tries--) {
      await this.#renewing
      const view = this.#view
      const [read] = await Promise.allSettled([this.#perform('BEGIN', steps, this.#long?.reads)])
      if (view === null || isReliable(view, this.#path)) {
        if (read.status === 'rejected') throw read.reason
        return read.value
      }
      if (tries === 0) throw this.#unsteadyError()
      await this.#renew(view)
    }
  }

  /** Other processes have written since the file was opened, and this connection cannot notice it. */
  #renew(view: View): Promise<void> {
    if (this.#view !== view) return Promise.resolve()
    this.#renewing ??= this.#renewOnce().finally(() => {
      this.#renewing = null
    })
    return this.#renewing
  }

  async #renewOnce(): Promise<void> {
    const [database, long] = [this.#database, this.#long]
    await this.#openAsItIs()
    await long?.reads.close()
    database?.close()
  }

  async write<Result>(steps: () => Steps<Result>): Promise<Result> {
    if (this.#options.readOnly && this.#database !== null) throw this.#readOnlyError()
    if (this.#log?.hasFailed) throw asUndone(this.#unsyncedError())
    if (this.#damage !== null) throw asUndone(this.#damagedError())
    this.#requireSameFile()
    const marked = this.#marked(steps)
    const result = await this.#perform('BEGIN IMMEDIATE', marked, this.#long?.writes).catch(error => {
      throw this.#noteDamage(error)
    })
    this.#isLogMarked = true
    await this.#synced()
    // The wait for the disk is so long that this look takes no time beside it.
    this.#files?.require(this.#log === null ? 'writing' : 'now')
    return result
  }

  #marked<Result>(steps: () => Steps<Result>): () => Steps<Result> {
    if (this.#isLogMarked || this.#files === null) return steps
    return function* () {
      yield* markingLog()
      return yield* steps()
    }
  }

  /** The check comes before anything is written. */
  #requireSameFile(): void {
    try {
      this.#files?.require('writing')
    } catch (error) {
      throw asUndone(error)
    }
  }

  /**
   * Notes damage that a read has found. Anything written from then on might be lost with the damage, or make
   * it worse.
   */
  #noteDamage(error: unknown): unknown {
    if (isDamage(error)) this.#damage ??= error
    return error
  }

  #damagedError(): StoreError {
    return new StoreError(
      'store_corrupt',
      this.name,
      'damage was found in it since it was opened, so nothing more is stored. Copy the file with its -wal, then put a backup ' +
        'back with "palimpsest restore", or recover it with: sqlite3 FILE ".recover" | sqlite3 NEW. Then start the program again.',
      this.#damage,
    )
  }

  async #synced(): Promise<void> {
    try {
      await this.#log?.synced()
    } catch (error) {
      throw this.#unsyncedError(error)
    }
  }

  /**
   * Runs the steps at a stretch. If they are too much for that, they are undone and begun anew in a thread.
   */
  async #perform<Result>(
    begin: string,
    steps: () => Steps<Result>,
    long: LongWork | undefined,
  ): Promise<Result> {
    const stretch = long === undefined ? ENDLESS : this.#parts.stretch
    const transact = () => this.#transaction(begin, steps, stretch)
    try {
      return await (begin === 'BEGIN'
        ? this.#attempt(() => whenThereIsRoom(transact))
        : this.#writers.run(transact).catch(error => {
            throw this.#asStoreError(error)
          }))
    } catch (error) {
      if (!(error instanceof LongWorkError)) throw error
    }
    // A long write adds more to the log than a short one ever does.
    if (long === this.#long?.writes) this.#keeper?.noteLongWork()
    return this.#attempt(() => this.#longTransaction(steps, long!))
  }

  /**
   * Calls that come during a scrub share the next one: what they let go may have come too late for the
   * present one.
   */
  scrub(onScrub: OnScrub = () => {}): Promise<boolean> {
    this.#nextScrub ??= (this.#scrub ?? Promise.resolve())
      .catch(() => {})
      .then(() => {
        this.#scrub = this.#nextScrub
        this.#nextScrub = null
        return this.#scrubOnce(onScrub)
      })
      .finally(() => {
        this.#scrub = null
      })
    return this.#nextScrub
  }

  async #scrubOnce(onScrub: OnScrub): Promise<boolean> {
    const { durability, busyTimeoutMs, readOnly } = this.#options
    const database = this.#database
    if (database === null) throw new ClosedError('store')
    if (readOnly) throw this.#readOnlyError()
    const path = database.location()
    // A database in memory has no file.
    if (!path) return true
    this.#files?.require('now')
    const { scrubInThread } = await import('./scrub.ts')
    return scrubInThread(this.name, { path, durability, busyTimeoutMs }, onScrub)
  }

  async checkUp({ isDeep }: CheckUpRequest): Promise<readonly CheckResult[]> {
    const database = this.#database
    if (database === null) throw new ClosedError('store')
    const { checkFile } = await import('./check-file.ts')
    return this.#attempt(() => checkFile(database, isDeep))
  }

  /**
   * Files that were imported before numbers were checked may hold numbers that are too large. Reading such
   * rows in a second way lets them be erased.
   */
  #transaction<Result>(begin: string, steps: () => Steps<Result>, stretch: Stretch): Result {
    if (this.#database === null) throw new ClosedError('store')
    try {
      return this.#transactionReading('numbers', { begin, steps, stretch })
    } catch (error) {
      if (!isTooLarge(error)) throw error
      return this.#transactionReading('large numbers', { begin, steps, stretch })
    }
  }

  #transactionReading<Result>(
    what: Numbers,
    { begin, steps, stretch }: { begin: string; steps: () => Steps<Result>; stretch: Stretch },
  ): Result {
    const database = this.#database!
    this.#run(begin)
    let isCommitting = false
    try {
      const execute = this.#executor(what, stretch)
      const result = runSync(steps(), execute)
      isCommitting = true
      this.#run('COMMIT')
      // Also if it wrote nothing: it may have found what another writer has just written, for example a
      // repeated message.
      if (begin !== 'BEGIN') this.#noteCommit()
      return result
    } catch (error) {
      // Some errors, such as a full disk, have already undone the transaction.
      if (database.isTransaction) this.#run('ROLLBACK')
      throw this.#afterFailure(error, what, isCommitting)
    }
  }

  async #longTransaction<Result>(steps: () => Steps<Result>, long: LongWork): Promise<Result> {
    const attempt = async (numbers: Numbers): Promise<Result> => {
      let isCommitting = false
      const onCommit = () => {
        isCommitting = true
      }
      try {
        const result = await long.transaction(steps, { numbers, onCommit })
        if (long === this.#long?.writes) this.#noteCommit()
        return result
      } catch (error) {
        throw this.#afterFailure(error, numbers, isCommitting)
      }
    }
    return attempt('numbers').catch(error => {
      if (!isTooLarge(error)) throw error
      return attempt('large numbers')
    })
  }

  #afterFailure(error: unknown, what: Numbers, isCommitting: boolean): unknown {
    if (error instanceof LongWorkError) return error
    if (what === 'numbers' && isTooLarge(error)) return error
    const damage = asDamage(error, this.name)
    return isCommitting ? damage : asUndone(damage)
  }

  #readOnlyError(): StoreError {
    return new StoreError('store_read_only', this.name, 'the database was opened for reading only.')
  }

  #unsteadyError(): StoreError {
    return new StoreError(
      'store_busy',
      this.name,
      'the file was changed again and again while it was read, without a log beside it. Try again.',
    )
  }

  #unsyncedError(cause?: unknown): StoreError {
    return new StoreError(
      'store_failed',
      this.name,
      'the disk did not keep what was written to it. Check the disk, then start the program again. Until then ' +
        'nothing more is stored.',
      cause,
    )
  }

  #run(sql: string): void {
    this.#statements!.run(sql)
  }

  /** Throws as soon as the work is more than fits at a stretch, in characters read and written or in time. */
  #executor(what: Numbers, stretch: Stretch): (query: Query) => readonly Row[] {
    const statements = this.#statements!
    const texts = this.#texts
    const begun = performance.now()
    let left = stretch.characters
    const count = (characters: number) => {
      left -= characters
      if (left < 0) throw new LongWorkError()
    }
    const execute = (query: Query): readonly Row[] => {
      if (performance.now() - begun > stretch.ms) throw new LongWorkError()
      const written = charactersOf(query)
      count(written)
      this.#guessPages(query, written)
      try {
        if (what === 'large numbers' || !statements.holdsContent(query.sql))
          return statements.all(query, what)
        const rows: Row[] = []
        statements.each(query, (row, characters) => {
          rows.push(row)
          count(characters)
        })
        return rows
      } catch (error) {
        throw stretch !== ENDLESS && isTooLong(error) ? new LongWorkError() : error
      }
    }
    // The octets are counted beforehand: reading the parts one by one takes far longer than reading all at
    // once.
    return withTextsApart(execute, texts, rows => count(texts.octetsInParts(rows)))
  }

  #guessPages({ sql, parameters }: Query, characters: number): void {
    if (/^(SELECT|WITH)/.test(sql)) return
    this.#keeper?.notePages(1 + parameters.length / PARAMETERS_A_PAGE + characters / CHARACTERS_A_PAGE)
  }

  #noteCommit(): void {
    this.#log?.noteCommit()
    this.#keeper?.noteCommit()
  }

  /**
   * Waits for other processes. SQLite's own busy handler would stop the event loop, and starve the process
   * that sleeps longest. So this makes pauses of random length, and everything else goes on meanwhile. While
   * this or another process scrubs the database, the time-out does not run.
   */
  async #attempt<Result>(action: () => Result | Promise<Result>): Promise<Result> {
    let start: number | null = null
    let deadline = 0
    for (let pause = 1; ; pause = Math.min(MAX_PAUSE_MS, pause * 2)) {
      try {
        return await action()
      } catch (error) {
        if (!isBusy(error)) throw this.#asStoreError(error)
        const now = performance.now()
        // The time counts from here: before, the action may have waited for its turn among writers of this
        // process.
        if (start === null) {
          start = now
          deadline = now + this.#options.busyTimeoutMs
        }
        if (now > deadline) {
          if (now - start > MAX_SCRUB_MS || !this.#isBeingScrubbed()) throw this.#asStoreError(error)
          deadline = now + this.#options.busyTimeoutMs
        }
      }
      await new Promise(resolve => setTimeout(resolve, Math.random() * pause))
    }
  }

  #asStoreError(error: unknown): unknown {
    return error instanceof LongWorkError ? error : asUndoneAs(toStoreError(error, this.name), error)
  }

  #isBeingScrubbed(): boolean {
    if (this.#scrub !== null) return true
    try {
      const until = this.#database && readAnnouncement(this.#database)
      return until !== null && isToCome(until, { now: Date.now(), longestMs: MAX_SCRUB_MS })
    } catch {
      return false
    }
  }
}

function charactersOf({ parameters }: Query): number {
  let characters = 0
  for (const value of parameters) if (typeof value === 'string') characters += value.length
  return characters
}

/** SQLite returned a whole number beyond the range that JavaScript holds exactly. */
function isTooLarge(error: unknown): boolean {
  return (error as { code?: unknown } | null)?.code === 'ERR_OUT_OF_RANGE'
}

/**
 * How many of the newest events are searched for an append. More events of other kinds in a row are there
 * only if nothing was said for long.
 */
const NEWEST_EVENTS = 200

/**
 * The last append was also the last write, so damage shows itself here first. Its text may stand elsewhere.
 */
function readNewestAppend(database: DatabaseSync, name: string): void {
  const statements = new Statements(database)
  try {
    runSync(newestAppend(), query => statements.all(query, 'large numbers'))
  } catch (error) {
    throw asDamage(error, name)
  }
}

function* newestAppend(): Steps<void> {
  const rows = yield* all(
    `SELECT m.* FROM (SELECT id, session_id, to_seq FROM events ORDER BY id DESC LIMIT ${NEWEST_EVENTS}) e
       JOIN messages m ON m.session_id = e.session_id AND m.seq = e.to_seq ORDER BY e.id DESC LIMIT 1`,
  )
  yield* new TextsApart().fillIn(rows)
}
