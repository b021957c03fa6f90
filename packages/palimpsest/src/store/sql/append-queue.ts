import { PalimpsestError } from '../../errors.ts'
import {
  type AppendReceipt,
  type AppendRequest,
  keyName,
  type SessionKey,
  type TailReceipt,
  type TailRequest,
  type Warn,
} from '../store.ts'
import { append } from './append.ts'
import { CheckedTails } from './checked-tails.ts'
import type { Dialect, Driver } from './driver.ts'
import { inLockstep } from './lockstep.ts'
import { replaceTail } from './replace-tail.ts'
import { tryLockNames } from './session.ts'
import type { Steps } from './steps.ts'
import { isUndone } from './undone.ts'

interface Waiting<Result = unknown> {
  readonly steps: (dialect: Dialect) => Steps<Result>
  /** It gets its own commit. If it is refused in the middle, all of it is undone. */
  readonly isAlone: boolean
  readonly messages: number
  readonly resolve: (result: Result) => void
  readonly reject: (error: unknown) => void
}

type Outcome = { readonly result: unknown } | { readonly error: PalimpsestError }

/** Work that waits. A session has one commit at a time, so the order of the calls is the order of the log. */
interface Queue {
  readonly name: string
  readonly key: SessionKey
  waiting: Waiting[]
}

interface Batch {
  readonly queue: Queue
  readonly waiting: readonly Waiting[]
}

/** For one session. A commit with more messages takes long, and the other sessions would wait for it. */
const MAX_SHARED_MESSAGES = 16
/** With more sessions a transaction saves little more, and its locks are held for longer. */
const MAX_SESSIONS = 32
/** For commits of many sessions. While they are under way, new work gathers for the next one. */
const MAX_SHARED_COMMITS = 2

/**
 * Lets appends that arrive together share one commit. They gather until the event loop has taken in all that
 * is there (`setImmediate`: a microtask would be too early, a timer would make a lone append wait) or until
 * the commit before theirs has ended.
 *
 * If the database takes one writer at a time, all sessions share a queue. If it locks sessions, each session
 * has its own queue. Sessions with waiting work then share a transaction, in lockstep. The shared transaction
 * waits for no lock. A session that another transaction has locked gets its own transaction. If anything else
 * goes wrong, each session gets its own transaction. So no session waits for another's lock.
 */
export class AppendQueues {
  readonly #driver: Driver
  readonly #warn: Warn
  /** Only queues with something waiting or under way, because a process may see millions of sessions. */
  readonly #queues = new Map<string, Queue>()
  /** Queues with something waiting and nothing under way. */
  #ready: Queue[] = []
  #isFlushComing = false
  #commits = 0
  #sharedCommits = 0
  readonly #tails = new CheckedTails()

  constructor(driver: Driver, warn: Warn) {
    this.#driver = driver
    this.#warn = warn
  }

  append(request: AppendRequest): Promise<AppendReceipt> {
    return this.#push(request, false, dialect => append(request, dialect, this.#warn))
  }

  /** Runs after the appends that were called before it, and before those that are called later. */
  replaceTail(request: TailRequest): Promise<TailReceipt> {
    return this.#push(request, true, dialect => replaceTail(request, { dialect, warn: this.#warn }))
  }

  #push<Result>(
    { key, messages }: AppendRequest,
    isAlone: boolean,
    steps: Waiting<Result>['steps'],
  ): Promise<Result> {
    const name = this.#driver.dialect.writers === 'row-locks' ? keyName(key) : ''
    return new Promise((resolve, reject) => {
      const waiting = {
        ...{ steps: this.#afterTail(key, steps), isAlone, messages: messages.length },
        ...{ resolve, reject },
      } as Waiting
      const queue = this.#queues.get(name)
      if (queue) {
        queue.waiting.push(waiting)
        return
      }
      const created = { name, key, waiting: [waiting] }
      this.#queues.set(name, created)
      this.#makeReady(created)
    })
  }

  #afterTail<Result>(key: SessionKey, steps: Waiting<Result>['steps']): Waiting<Result>['steps'] {
    if (!this.#driver.dialect.checksTails) return steps
    const tails = this.#tails
    return function* (dialect) {
      yield* tails.check(key)
      return yield* steps(dialect)
    }
  }

  #makeReady(queue: Queue): void {
    this.#ready.push(queue)
    this.#flushSoon()
  }

  /** Also called between two commits, so that a long queue does not keep everything else waiting. */
  #flushSoon(): void {
    if (this.#isFlushComing) return
    this.#isFlushComing = true
    setImmediate(() => {
      this.#isFlushComing = false
      this.#flush()
    })
  }

  #flush(): void {
    const [shareable, alone] = partition(this.#ready, isShareable)
    this.#ready = shareable
    for (const queue of alone) this.#commitAlone(batchOf(queue))
    // The shortest way, if no other session is there to share the commit. With one queue for all sessions it
    // is always taken.
    if (shareable.length === 1 && this.#commits === 0) {
      this.#ready = []
      this.#commitAlone(batchOf(shareable[0]!))
    }
    while (this.#ready.length > 0 && this.#sharedCommits < MAX_SHARED_COMMITS)
      this.#commitTogether(this.#ready.splice(0, MAX_SESSIONS).map(batchOf))
  }

  async #commitAlone({ queue, waiting }: Batch): Promise<void> {
    this.#commits += 1
    await this.#settleAlone(queue, waiting)
    this.#commits -= 1
    this.#goOn(queue)
  }

  async #settleAlone(queue: Queue, waiting: readonly Waiting[]): Promise<void> {
    const { dialect } = this.#driver
    try {
      settle(queue, waiting, await this.#driver.write(() => runBatch(waiting, dialect)))
    } catch (error) {
      // An error of one request must not fail the others, so each gets its own commit.
      if (waiting.length > 1 && isUndone(error) && !isOfAll(error))
        for (const each of waiting) await this.#settleAlone(queue, [each])
      else for (const { reject } of waiting) reject(error)
    }
  }

  async #commitTogether(batches: readonly Batch[]): Promise<void> {
    this.#commits += 1
    this.#sharedCommits += 1
    const alone = await this.#settleTogether(batches)
    this.#commits -= 1
    this.#sharedCommits -= 1
    for (const batch of batches)
      if (alone.includes(batch)) this.#commitAlone(batch)
      else this.#goOn(batch.queue)
    this.#flushSoon()
  }

  /** Returns the batches that need their own transactions. */
  async #settleTogether(batches: readonly Batch[]): Promise<readonly Batch[]> {
    try {
      const { dialect } = this.#driver
      const outcomes = await this.#driver.write(() => runTogether(batches, dialect), { waits: false })
      return batches.filter((batch, index) => {
        const ofBatch = outcomes[index]
        if (ofBatch === undefined) return true
        settle(batch.queue, batch.waiting, ofBatch)
        return false
      })
    } catch (error) {
      if (isUndone(error)) return batches
      for (const { waiting } of batches) for (const { reject } of waiting) reject(error)
      return []
    }
  }

  #goOn(queue: Queue): void {
    if (queue.waiting.length > 0) this.#makeReady(queue)
    else this.#queues.delete(queue.name)
  }
}

/** The error would hit the next request as well. */
function isOfAll(error: unknown): boolean {
  const codes = ['store_busy', 'store_full', 'store_read_only', 'store_unavailable', 'store_replaced']
  return PalimpsestError.isInstance(error) && codes.includes(error.code)
}

function isShareable({ waiting }: Queue): boolean {
  const messages = waiting.reduce((sum, each) => sum + each.messages, 0)
  return !waiting[0]!.isAlone && messages <= MAX_SHARED_MESSAGES
}

function batchOf(queue: Queue): Batch {
  const alone = queue.waiting.findIndex(({ isAlone }) => isAlone)
  const waiting = queue.waiting.splice(0, alone === -1 ? queue.waiting.length : Math.max(1, alone))
  return { queue, waiting }
}

/** The outcomes of each batch. `undefined`: another transaction has the session. */
function* runTogether(
  batches: readonly Batch[],
  dialect: Dialect,
): Steps<readonly (readonly Outcome[] | undefined)[]> {
  const isLocked = yield* tryLockNames(
    batches.map(({ queue }) => queue.key),
    dialect,
  )
  const ours = batches.filter((_, index) => isLocked[index])
  const locked = withoutSessionLocks(dialect)
  const outcomes = yield* inLockstep(
    ours.map(({ waiting }) => runBatch(waiting, locked)),
    dialect.joinQuestions,
  )
  const byBatch = new Map(ours.map((batch, index) => [batch, outcomes[index]]))
  return batches.map(batch => byBatch.get(batch))
}

/** For a transaction that has already locked its sessions. */
function withoutSessionLocks(dialect: Dialect): Dialect {
  return {
    ...dialect,
    *lock(space, name) {
      if (space !== 'session') yield* dialect.lock(space, name)
    },
  }
}

function* runBatch(batch: readonly Waiting[], dialect: Dialect): Steps<readonly Outcome[]> {
  const outcomes: Outcome[] = []
  const start = performance.now()
  for (const waiting of batch) {
    outcomes.push(yield* runOne(waiting, dialect))
    if (performance.now() - start > dialect.maxSharingMs) break
  }
  return outcomes
}

/** An append that is refused fails alone, because it has written nothing. */
function* runOne({ steps, isAlone }: Waiting, dialect: Dialect): Steps<Outcome> {
  try {
    return { result: yield* steps(dialect) }
  } catch (error) {
    if (!isAlone && PalimpsestError.isInstance(error) && !error.code.startsWith('store_')) return { error }
    throw error
  }
}

function settle(queue: Queue, batch: readonly Waiting[], outcomes: readonly Outcome[]): void {
  for (const [index, { resolve, reject }] of batch.entries()) {
    const outcome = outcomes[index]
    if (outcome === undefined) break
    if ('result' in outcome) resolve(outcome.result)
    else reject(outcome.error)
  }
  queue.waiting = [...batch.slice(outcomes.length), ...queue.waiting]
}

function partition<Item>(items: readonly Item[], is: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(is), items.filter(item => !is(item))]
}
