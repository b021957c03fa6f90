import type { Worker } from 'node:worker_threads'
import { StoreError } from '../../errors.ts'
import { nextTurn } from '../../slices.ts'
import { type Query, type Row, runAsync, type Steps } from '../sql/steps.ts'
import type { LongWorkAnswer, LongWorkQuestion, LongWorkRequest } from './long-work-thread.ts'
import type { LogShortening } from './shorten-log.ts'
import { type Numbers, rowMaker } from './statements.ts'
import { hasMark, type TextsApart } from './texts-apart.ts'

/**
 * The most that a transaction may read and write, and the longest that it may take, before it counts as long.
 */
export interface Stretch {
  readonly characters: number
  readonly ms: number
}

/**
 * A million characters take some ten milliseconds. Many short statements run better in the main thread, even
 * if they take a while. In the thread, each of them waits for a turn of the event loop, and all writers wait
 * for the last one.
 */
export const DEFAULT_STRETCH: Stretch = { characters: 1_000_000, ms: 50 }
export const ENDLESS: Stretch = { characters: Number.POSITIVE_INFINITY, ms: Number.POSITIVE_INFINITY }

/**
 * A transaction has come to more than fits at a stretch. It was undone, and must be begun anew as a long one.
 */
export class LongWorkError extends Error {}

/** In the sources the file is TypeScript, in the build it is JavaScript. */
const THREAD = import.meta.url.endsWith('.ts')
  ? new URL('./long-work-thread.ts', import.meta.url)
  : new URL('./long-work-thread.js', import.meta.url)

/** A thread without work ends after this time, and gives its memory back. */
const IDLE_MS = 10_000

/**
 * Runs transactions over many megabytes one after the other, in a thread with a connection of its own. Only
 * the database works in the thread. Decisions between two statements are made here, so that no code exists
 * twice.
 */
export class LongWork {
  readonly #name: string
  readonly #request: LongWorkRequest
  readonly #texts: TextsApart
  readonly #giveWay: () => Promise<void>
  #thread: Worker | null = null
  /** The questions that are not answered yet, in the order in which they were asked. */
  #waiting: { resolve: (answer: LongWorkAnswer) => void; reject: (error: unknown) => void }[] = []
  #idle: NodeJS.Timeout | undefined
  #last: Promise<unknown> = Promise.resolve()
  #locked: Promise<void> | null = null

  /**
   * `giveWay`: this is waited for before the lock is taken. Without it, one long write after the other would
   * keep all other writers waiting.
   */
  constructor(
    name: string,
    request: LongWorkRequest,
    texts: TextsApart,
    giveWay: () => Promise<void> = async () => {},
  ) {
    this.#name = name
    this.#request = request
    this.#texts = texts
    this.#giveWay = giveWay
  }

  /**
   * Resolves when a transaction has released the lock, which only one writer can have. `null`: no transaction
   * has it now.
   */
  get locked(): Promise<void> | null {
    return this.#locked
  }

  /** `onCommit` is called just before the commit: work that fails after this call may have been stored. */
  transaction<Result>(
    steps: () => Steps<Result>,
    { numbers, onCommit }: { numbers: Numbers; onCommit: () => void },
  ): Promise<Result> {
    return this.#afterAll(() => this.#transaction(steps, numbers, onCommit))
  }

  /** Runs in the thread, after everything that was asked for before. */
  #afterAll<Result>(work: () => Promise<Result>): Promise<Result> {
    const working = this.#last.then(async () => {
      await this.#begin()
      try {
        return await work()
      } finally {
        this.#rest()
      }
    })
    // The result is not kept here: it may be many megabytes.
    this.#last = working.then(
      () => {},
      () => {},
    )
    return working
  }

  /** Copies the log into the database and begins it anew. `empty`: cuts it off too. */
  async shortenLog(how: 'copy' | 'empty'): Promise<LogShortening> {
    const { rows } = await this.#afterAll(() => this.#ask(`${how} the log`))
    return rows[0]![0] as LogShortening
  }

  async close(): Promise<void> {
    await this.#last
    await this.#end()
  }

  async #transaction<Result>(
    steps: () => Steps<Result>,
    numbers: Numbers,
    onCommit: () => void,
  ): Promise<Result> {
    await this.#giveWay()
    await this.#run(this.#request.readOnly ? 'BEGIN' : 'BEGIN IMMEDIATE')
    const { promise, resolve: unlock } = Promise.withResolvers<void>()
    this.#locked = promise
    // Other writers wait for the lock meanwhile. So an answer that is not read is not waited for.
    const unread: Promise<unknown>[] = []
    try {
      const result = await runAsync(
        steps(),
        oneAfterAnother(async query => {
          const answer = this.#answer(query, numbers)
          if (!query.isUnread || this.#texts.brings(query)) return answer
          unread.push(answer)
          answer.catch(() => {})
          return []
        }),
      )
      await Promise.all(unread)
      onCommit()
      await this.#run('COMMIT')
      return result
    } catch (error) {
      // Some errors, such as a full disk, have already undone the transaction.
      await this.#run('ROLLBACK').catch(() => {})
      throw error
    } finally {
      this.#locked = null
      unlock()
    }
  }

  /**
   * A process must not end while a transaction is under way, and a thread that waits for work must not keep a
   * process alive.
   */
  async #begin(): Promise<void> {
    clearTimeout(this.#idle)
    this.#thread ??= await this.#start()
    this.#thread.ref()
  }

  #rest(): void {
    this.#thread?.unref()
    this.#idle = setTimeout(() => {
      this.#last = this.#last.then(() => this.#end()).catch(() => {})
    }, IDLE_MS).unref()
  }

  async #start(): Promise<Worker> {
    const { Worker } = await import('node:worker_threads')
    const thread = new Worker(THREAD, { workerData: this.#request })
    const fail = (error: unknown) => {
      if (this.#thread !== thread) return
      this.#thread = null
      const waiting = this.#waiting
      this.#waiting = []
      for (const { reject } of waiting) reject(this.#threadError(error))
    }
    thread.on('message', (answer: LongWorkAnswer) => {
      this.#waiting.shift()?.resolve(answer)
    })
    thread.on('error', fail)
    thread.on('exit', () => fail(null))
    return thread
  }

  #threadError(cause: unknown): StoreError {
    const reason = cause instanceof Error ? cause.message : 'it has ended'
    return new StoreError('store_failed', this.#name, `the thread for long work failed: ${reason}.`, cause)
  }

  async #end(): Promise<void> {
    clearTimeout(this.#idle)
    const thread = this.#thread
    if (thread === null) return
    this.#thread = null
    const ended = new Promise(resolve => thread.once('exit', resolve))
    thread.ref()
    thread.postMessage('end' satisfies LongWorkQuestion)
    await ended
  }

  async #run(sql: string): Promise<void> {
    await this.#ask({ sql, parameters: [], numbers: 'numbers' })
  }

  async #answer(query: Query, numbers: Numbers): Promise<readonly Row[]> {
    if (query.job !== undefined) return []
    const execute = (each: Query) => this.#query(each, numbers)
    const texts = this.#texts
    const rows = await execute(texts.brings(query) ? await runAsync(texts.keepApart(query), execute) : query)
    return rows.some(hasMark) ? runAsync(texts.fillIn(rows), execute) : rows
  }

  async #query({ sql, parameters }: Query, numbers: Numbers): Promise<readonly Row[]> {
    const rows: Row[] = []
    let answer = await this.#ask({ sql, parameters, numbers })
    for (;;) {
      const toRow = rowMaker(answer.columns)
      for (const values of answer.rows) rows.push(toRow(values))
      if (!answer.isMore) return rows
      await nextTurn()
      answer = await this.#ask('more')
    }
  }

  async #ask(question: LongWorkQuestion): Promise<Rows> {
    const thread = this.#thread
    if (thread === null) throw this.#threadError(null)
    const answer = await new Promise<LongWorkAnswer>((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      thread.postMessage(question)
    })
    if ('rows' in answer) return answer
    const { message, ...codes } = answer
    throw Object.assign(new Error(message), codes)
  }
}

/** Several questions of a transaction are asked at the same time. */
function oneAfterAnother<Question, Answer>(
  ask: (question: Question) => Promise<Answer>,
): (question: Question) => Promise<Answer> {
  let last: Promise<unknown> = Promise.resolve()
  return question => {
    const answer = last.then(() => ask(question))
    last = answer.catch(() => {})
    return answer
  }
}

type Rows = Extract<LongWorkAnswer, { readonly rows: unknown }>
