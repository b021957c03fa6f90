import { setTimeout as pause } from 'node:timers/promises'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { startPostgres } from '../postgres/server.ts'
import { checkLog, type Folded } from './chaos-checks.ts'
import { Listener } from './chaos-listener.ts'
import { Supervised } from './supervised.ts'

/** Servers and workers as real processes on one PostgreSQL, which are killed all the time while everybody talks. */
export interface ChaosOptions {
  readonly seed: number
  readonly servers: number
  readonly workers: number
  readonly sessions: number
  /** Of all sessions together, one message each. */
  readonly appends: number
  /** Sessions in which somebody talks at the same time. */
  readonly talkers: number
  readonly killEveryMs: number
  /** How often PostgreSQL is ended at once and started again, spread over the appends. */
  readonly restarts: number
  readonly modelMs: number
  /** After this it is given up, as it is by the signal. */
  readonly longestMs: number
  readonly signal?: AbortSignal
  readonly log?: (text: string) => void
}

export interface ChaosReport {
  readonly seconds: number
  readonly settledInSeconds: number
  readonly appends: number
  /** Sent again, because a server had died, was not there or had no database. */
  readonly retries: number
  /** Of those, how many had been stored, though nobody had said so. */
  readonly storedUnsaid: number
  readonly kills: { readonly servers: number; readonly workers: number; readonly restarts: number }
  readonly failedStarts: number
  readonly folds: number
  readonly verbatim: number
  readonly modelCalls: number
  /** Calls of which nothing was stored: their worker or the database was gone, or another had the session by then. */
  readonly lostCalls: number
  /** As many as there can have been: all that each killed worker, and each worker at a restart, had under way. */
  readonly mostLostCalls: number
  readonly reconnects: number
  /** Whatever is not as it has to be. */
  readonly problems: readonly string[]
}

const FOLD_WORKERS = 4
const LEASE_SEC = 5
const TRY_MS = 10_000
const THRESHOLD = 20
const KEEP_LAST = 10

const SUMMARY = JSON.stringify({
  summary: 'They went through the list of deliveries together and agreed on all of them.',
  events: [],
  details: [],
  memo: {},
})

export async function chaos(options: ChaosOptions): Promise<ChaosReport> {
  const { log = () => {} } = options
  const started = performance.now()
  const isOver = () => options.signal?.aborted === true || performance.now() - started > options.longestMs
  const random = randomBy(options.seed)
  const postgres = await startPostgres()
  const calls: Folded[] = []
  await using model = await startModelServer({
    reply: ({ said }) => {
      const range = rangeOf(said.map(({ text }) => text).join('\n'))
      if (range) calls.push(range)
      return { text: SUMMARY, delayMs: options.modelMs }
    },
  })
  const shared = {
    PALIMPSEST_STORE: postgres.url,
    PALIMPSEST_POLICY: 'count',
    PALIMPSEST_THRESHOLD: String(THRESHOLD),
    PALIMPSEST_KEEP_LAST: String(KEEP_LAST),
    PALIMPSEST_EXTRACT: 'off',
    PALIMPSEST_MODEL: 'openai-compatible:scripted',
    PALIMPSEST_MODEL_BASE_URL: model.url,
    PALIMPSEST_MODEL_API_KEY: 'test',
    PALIMPSEST_FOLD_LEASE_SEC: String(LEASE_SEC),
  }
  const server = (number = 0) =>
    new Supervised(`server ${number}`, ['serve', '--port', '0', '--json'], {
      ...shared,
      PALIMPSEST_FOLD_WORKERS: '0',
    })
  const worker = (number = 0) =>
    new Supervised(`worker ${number}`, ['worker', '--json'], {
      ...shared,
      PALIMPSEST_FOLD_WORKERS: String(FOLD_WORKERS),
    })
  const servers = many(options.servers, server)
  const workers = many(options.workers, worker)
  const all = [...servers, ...workers]
  const ready = () => servers.flatMap(({ announced }) => (announced ? [String(announced['url'])] : []))
  const listener = new Listener(() => pick(ready(), random))
  let killing: NodeJS.Timeout | undefined
  try {
    // What Node makes of our TypeScript is kept by those who end by themselves.
    const first = [server(), worker()]
    for (const each of first) each.start()
    await until(() => first.every(({ announced }) => announced !== null), isOver, 'the first two start')
    await Promise.all(first.map(each => each.stop()))
    for (const each of all) each.start()
    await until(() => all.every(({ announced }) => announced !== null), isOver, 'all processes start')
    log(`${all.length} processes are up after ${secondsSince(started)} s`)
    await listener.start()
    // Where a start takes longer than it is to the next kill, the last of its kind is spared: else nobody would be left.
    const mortal = () =>
      [servers, workers].flatMap(kind => spareLast(kind.filter(({ announced }) => announced)))
    killing = setInterval(() => pick(mortal(), random)?.kill(), options.killEveryMs)
    const talk = new Talk(options, { ready, random, isOver })
    const talking = talk.all()
    const telling = setInterval(() => {
      const up = all.filter(({ announced }) => announced).length
      log(
        `${talk.acknowledged} acknowledged, ${up} of ${all.length} up, ${calls.length} calls; tried again: ${JSON.stringify(Object.fromEntries(talk.refusals))}`,
      )
    }, 5_000)
    let isTalking = true
    const talked = talking.finally(() => {
      isTalking = false
      clearInterval(telling)
    })
    talked.catch(() => {})
    for (let restart = 1; restart <= options.restarts; restart += 1) {
      const due = (options.appends * restart) / (options.restarts + 1)
      await until(() => talk.acknowledged >= due || !isTalking, isOver, 'the next restart')
      await postgres.restart()
      log(`PostgreSQL was restarted after ${talk.acknowledged} appends`)
    }
    await talked
    clearInterval(killing)
    const talkedAt = performance.now()
    log(`${talk.acknowledged} appends are acknowledged after ${secondsSince(started)} s`)
    const check = (calledFor: readonly Folded[]) =>
      checkLog({
        url: postgres.url,
        perSession: talk.perSession,
        acknowledged: talk.seqs,
        calls: calledFor,
        keep: THRESHOLD,
      })
    let state = await check(calls)
    while (!state.isSettled && !isOver()) {
      await pause(500)
      state = await check(calls)
    }
    const settledInSeconds = secondsSince(talkedAt)
    const told = await listener.end(state.folds)
    const lostCalls = calls.length - state.asked
    const killedWorkers = sum(workers.map(({ kills }) => kills))
    const mostLostCalls = (killedWorkers + options.restarts * options.workers) * FOLD_WORKERS
    return {
      seconds: secondsSince(started),
      settledInSeconds,
      appends: talk.acknowledged,
      retries: talk.retries,
      storedUnsaid: talk.storedUnsaid,
      kills: {
        servers: sum(servers.map(({ kills }) => kills)),
        workers: killedWorkers,
        restarts: options.restarts,
      },
      failedStarts: sum(all.map(({ failedStarts }) => failedStarts)),
      folds: state.folds,
      verbatim: state.folds - state.asked,
      modelCalls: calls.length,
      lostCalls,
      mostLostCalls,
      reconnects: listener.reconnects,
      problems: [
        ...(state.isSettled ? [] : ['not settled in time']),
        ...state.problems,
        ...told,
        ...all.flatMap(({ crashes }) => crashes),
        ...(lostCalls > mostLostCalls ? [`${lostCalls} calls were lost, of at most ${mostLostCalls}`] : []),
      ],
    }
  } finally {
    clearInterval(killing)
    listener.close()
    await Promise.all(all.map(each => each.stop()))
    await postgres.stop()
  }
}

/** Each session's messages one after the other, each of them until somebody has said that it is stored. */
class Talk {
  readonly #options: ChaosOptions
  readonly #world: { ready: () => readonly string[]; random: () => number; isOver: () => boolean }
  readonly perSession: number
  readonly seqs: number[][]
  acknowledged = 0
  retries = 0
  storedUnsaid = 0
  /** Why it was tried again, and how often. */
  readonly refusals = new Map<string, number>()

  constructor(
    options: ChaosOptions,
    world: { ready: () => readonly string[]; random: () => number; isOver: () => boolean },
  ) {
    this.#options = options
    this.#world = world
    this.perSession = Math.floor(options.appends / options.sessions)
    this.seqs = many(options.sessions, () => [])
  }

  async all(): Promise<void> {
    const { sessions, talkers } = this.#options
    let next = 0
    const talkOn = async () => {
      while (next < sessions) await this.#session(next++)
    }
    await Promise.all(many(talkers, talkOn))
  }

  async #session(session: number): Promise<void> {
    for (let number = 1; number <= this.perSession; number += 1) {
      this.seqs[session]!.push(await this.#untilStored(session, number))
      this.acknowledged += 1
    }
  }

  async #untilStored(session: number, number: number): Promise<number> {
    const body = JSON.stringify({
      messages: [
        {
          role: number % 2 === 1 ? 'user' : 'assistant',
          externalId: externalId(session, number),
          text: textOf(session, number),
        },
      ],
    })
    for (let tries = 0; !this.#world.isOver(); tries += 1) {
      if (tries > 0) this.retries += 1
      const stored = await this.#try(session, body)
      if (stored === null) {
        await pause(20 + 80 * this.#world.random())
        continue
      }
      if (stored.duplicate) this.storedUnsaid += 1
      return stored.seq
    }
    throw new Error(`message ${number} of session ${session} was not stored in time`)
  }

  #refused(reason: string): null {
    this.refusals.set(reason, (this.refusals.get(reason) ?? 0) + 1)
    return null
  }

  async #try(session: number, body: string): Promise<{ seq: number; duplicate: boolean } | null> {
    const url = pick(this.#world.ready(), this.#world.random)
    if (url === undefined) return this.#refused('no server')
    let answer: Response
    let json: { messages?: { seq: number; duplicate: boolean }[]; error?: { code: string } }
    try {
      answer = await fetch(`${url}/v1/sessions/s${session}/messages`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(TRY_MS),
      })
      json = (await answer.json()) as typeof json
    } catch (error) {
      return this.#refused(String((error as Error).cause ?? error))
    }
    if (answer.status >= 500) return this.#refused(`${answer.status} ${json.error?.code}`)
    const [stored] = json.messages ?? []
    if (stored === undefined) throw new Error(`${answer.status}: ${JSON.stringify(json)}`)
    return stored
  }
}

export function externalId(session: number, number: number): string {
  return `s${session}-${number}`
}

const WORDS =
  'forty crates of lemons sail to Porto on Friday, and Ann tells Bob about the invoice and the weather'

export function textOf(session: number, number: number): string {
  return `This is message ${number} of session ${session}: ${WORDS}, ${WORDS}.`
}

/** Of which session what is to be summarised, by what it says. */
function rangeOf(text: string): Folded | null {
  const found = [...text.matchAll(/message (\d+) of session (\d+):/g)]
  const numbers = found.map(([, number]) => Number(number))
  if (found.length === 0) return null
  return { session: Number(found[0]![2]), fromSeq: Math.min(...numbers), toSeq: Math.max(...numbers) }
}

async function until(isTrue: () => boolean, isOver: () => boolean, what: string): Promise<void> {
  while (!isTrue()) {
    if (isOver()) throw new Error(`It took too long until ${what}.`)
    await pause(20)
  }
}

function many<Item>(count: number, make: (index: number) => Item): Item[] {
  return Array.from({ length: count }, (_, index) => make(index))
}

function spareLast<Item>(items: readonly Item[]): readonly Item[] {
  return items.length > 1 ? items : []
}

function pick<Item>(items: readonly Item[], random: () => number): Item | undefined {
  return items[Math.floor(random() * items.length)]
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

function secondsSince(instant: number): number {
  return Math.round((performance.now() - instant) / 100) / 10
}

/** The same numbers for the same seed (mulberry32). */
function randomBy(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}
