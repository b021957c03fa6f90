import { type IndexWork, type IndexWrite, keyName, type SessionKey, type Store } from '../store/index.ts'
import type { FoundTerms } from './find-terms.ts'

export interface IndexerEngine {
  readonly store: Pick<Store, 'search'>
  readonly namespace: string
  readonly onError: (error: unknown, details: { readonly sessionId: string }) => void
}

/** Messages that arrive together are indexed together. That costs much less. */
const PAUSE_MS = 100
/** The size of one slice. Reading and counting it takes a few milliseconds. */
const SLICE = { messages: 128, characters: 60_000 }
/** The terms of one transaction. */
const TERMS_AT_A_TIME = 250
const SESSIONS_AT_A_TIME = 200
/**
 * How long the indexer rests after each transaction while callers append, as a multiple of its work time.
 * Without the rest, an append that comes alone would wait for a transaction each time, and each transaction
 * would hold one message. If the appends never stop, the index still catches up: the longer it is behind, the
 * less it rests.
 */
const RESTS = [
  { behindMs: 10_000, times: 4 },
  { behindMs: 60_000, times: 1 },
]
const MAX_REST_MS = 5_000

/**
 * Brings the index up to date in the background, session by session, in short transactions. It owns nothing:
 * several processes may index at once, and if two index the same slice, one is refused. A search reads
 * messages that are not indexed yet by itself.
 */
export class Indexer {
  readonly #engine: IndexerEngine
  readonly #waiting = new Map<string, SessionKey>()
  #running: Promise<void> | null = null
  #timer: NodeJS.Timeout | null = null
  readonly #closing = new AbortController()
  #isClosed = false
  #runningSince = 0
  #restedAt = 0
  #endRest: (() => void) | null = null
  /** A message was noted since the last rest. */
  #isSomebodyAppending = false
  #awaitedBy = 0

  constructor(engine: IndexerEngine) {
    this.#engine = engine
  }

  /** Indexes what earlier processes left, and what other processes leave. */
  start(): void {
    void this.#catchUp().catch(error => this.#report(error, ''))
  }

  /** A message of this session was added or changed. */
  note(key: SessionKey): void {
    this.#isSomebodyAppending = true
    this.#add(key)
  }

  #add(key: SessionKey): void {
    if (this.#isClosed) return
    this.#waiting.set(keyName(key), key)
    if (this.#timer !== null || this.#running !== null) return
    this.#timer = setTimeout(() => this.#run(), PAUSE_MS)
    this.#timer.unref()
  }

  /** Resolves when all noted sessions are indexed. */
  async settled(): Promise<void> {
    this.#awaitedBy += 1
    this.#endRest?.()
    try {
      await this.#runWhile(() => this.#waiting.size > 0 || this.#running !== null)
    } finally {
      this.#awaitedBy -= 1
    }
  }

  /** Waits only for the transaction under way. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#closing.abort()
    this.#endRest?.()
    if (this.#timer !== null) clearTimeout(this.#timer)
    await this.#running
  }

  #run(): void {
    if (this.#timer !== null) clearTimeout(this.#timer)
    this.#timer = null
    if (this.#running === null) {
      this.#runningSince = performance.now()
      this.#restedAt = this.#runningSince
    }
    this.#running ??= this.#indexWaiting().finally(() => {
      this.#running = null
      const [next] = this.#waiting.values()
      if (next) this.#add(next)
    })
  }

  async #runWhile(isLeft: () => boolean): Promise<void> {
    while (!this.#isClosed && isLeft()) {
      if (this.#running === null) this.#run()
      await this.#running
    }
  }

  async #indexWaiting(): Promise<void> {
    for (const [name, key] of this.#waiting) {
      if (this.#isClosed) return
      this.#waiting.delete(name)
      try {
        await this.#indexSession(key)
      } catch (error) {
        this.#report(error, key.id)
      }
    }
  }

  async #indexSession(key: SessionKey): Promise<void> {
    const { store } = this.#engine
    while (!this.#isClosed) {
      const work = await store.search.readIndexWork(key, SLICE)
      if (work === null) return
      const found = await this.#find(work)
      try {
        for await (const write of writesFor(work, found)) {
          if (this.#isClosed) return
          if (!(await store.search.writeIndex(key, write))) break
          await this.#rest()
        }
      } finally {
        await found.close()
      }
    }
  }

  /** A message may be as long as a book. Its words would fill the memory of the event loop's thread. */
  async #find(work: IndexWork): Promise<FoundTerms> {
    // Most programs end before there is anything to index.
    const { findTerms } = await import('./find-terms.ts')
    return findTerms(work, this.#closing.signal)
  }

  /** Lets other work have its turn. */
  async #rest(): Promise<void> {
    const now = performance.now()
    const isQuiet = !this.#isSomebodyAppending || this.#awaitedBy > 0 || this.#isClosed
    this.#isSomebodyAppending = false
    const times = RESTS.find(({ behindMs }) => now - this.#runningSince < behindMs)?.times
    if (isQuiet || times === undefined) await new Promise(resolve => setImmediate(resolve))
    else await this.#sleep(Math.min(times * (now - this.#restedAt), MAX_REST_MS))
    this.#restedAt = performance.now()
  }

  /** Ends early when a caller waits for the index. */
  async #sleep(ms: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    const timer = setTimeout(resolve, ms)
    timer.unref()
    this.#endRest = resolve
    await promise
    clearTimeout(timer)
    this.#endRest = null
  }

  async #catchUp(): Promise<void> {
    const { store, namespace } = this.#engine
    for (let after: string | null = ''; after !== null && !this.#isClosed; ) {
      const { keys, next } = await store.search.listUnindexed(namespace, {
        limit: SESSIONS_AT_A_TIME,
        ...(after !== '' && { after }),
      })
      // Other processes that start now read the same page. In the same order they would all do the same work.
      for (const key of shuffled(keys)) this.#add(key)
      // Waits for the sessions of this page, not for those that arrive meanwhile.
      await this.#runWhile(() => keys.some(key => this.#waiting.has(keyName(key))))
      after = next
    }
  }

  /** After closing, the store may be gone, and errors matter to no caller. */
  #report(error: unknown, sessionId: string): void {
    if (!this.#isClosed) this.#engine.onError(error, { sessionId })
  }
}

function shuffled<T>(items: readonly T[]): readonly T[] {
  const keyed = items.map(item => ({ item, place: Math.random() }))
  return keyed.toSorted((one, other) => one.place - other.place).map(({ item }) => item)
}

/** The writes of a slice. Each is a transaction of its own. */
async function* writesFor(
  work: IndexWork,
  { finished, next }: FoundTerms,
): AsyncGenerator<IndexWrite, void, void> {
  const finish = { messages: finished, edited: work.edited.map(({ seq }) => seq) }
  for (let isLast = false; !isLast; ) {
    const some = await next(TERMS_AT_A_TIME)
    isLast = some.length < TERMS_AT_A_TIME
    yield { work, terms: new Map(some), ...(isLast && { finish }) }
  }
}
