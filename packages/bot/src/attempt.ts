import { isOverForGood, NotWaitingError } from 'palimpsest/internals/errors'
import type { Message } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'
import type { FinishedTurn, TurnFile, TurnOptions } from 'palimpsest/internals/turn/index'
import { orStopped, within } from './bounded.ts'
import type { Burst } from './bursts.ts'
import type { Channel } from './channel.ts'
import type { Delivery } from './delivery.ts'
import { fetchFiles } from './fetch-files.ts'
import { askResponder } from './reply.ts'
import type { Reply, ReplyRequest, Responder } from './responder.ts'
import type { Timers } from './timers.ts'
import { unansweredNote } from './unanswered-note.ts'

/** Why an answer ends before it is whole. */
export type Stop = 'person' | 'newer' | 'join' | 'time' | 'shutdown' | 'erased'

const REASONS: Readonly<Record<Stop, string>> = {
  person: 'Somebody stopped this reply.',
  newer: 'A newer message interrupts this reply.',
  join: 'A further message is to be answered with it.',
  time: 'This reply took too long: turns.timeoutMs was over.',
  shutdown: 'The program ends; the reply is made again when it is back.',
  erased: 'What this reply has seen was erased.',
}

export interface AttemptOptions {
  readonly session: Session
  readonly burst: Burst
  /** Those of the burst, as they are now. */
  readonly messages: readonly Message[]
  readonly delivery: Delivery
  readonly responder: Responder
  /** Of the channel through which they came; left out: it fetches nothing. */
  readonly fetch?: Channel['fetch']
  readonly timeoutMs: number
  readonly timers: Timers
  readonly onError: (error: unknown) => void
}

export interface Ended {
  /** As it was stored; `null`: nobody knows. */
  readonly finished: FinishedTurn | null
  /** All of its text was heard. */
  readonly isHeard: boolean
  readonly error: unknown
}

/** How long something that was told to stop may take for it. */
const STOPPING_MS = 500
/** An answer is not made again because the database was busy for a moment. */
const STORE_TRIES_MS = [100, 1_000, 5_000]

/** One try to answer: from the question to what is stored of the answer, and shown of it meanwhile. */
export class Attempt {
  readonly #options: AttemptOptions
  readonly #controller = new AbortController()
  #stop: Stop | null = null
  /** What it is made from: it knows the memory that it was shown, too. */
  #turn: { check(): Promise<void> } | null = null
  #hasFiles = false

  constructor(options: AttemptOptions) {
    this.#options = options
  }

  get burst(): Burst {
    return this.#options.burst
  }

  get delivery(): Delivery {
    return this.#options.delivery
  }

  /** The model was shown files, which it may not be able to read. */
  get hasFiles(): boolean {
    return this.#hasFiles
  }

  get stopped(): Stop | null {
    return this.#stop
  }

  stop(why: Stop): void {
    if (this.#stop === 'shutdown' || (this.#stop !== null && why !== 'shutdown')) return
    this.#stop = why
    this.#controller.abort(new DOMException(REASONS[why], 'AbortError'))
  }

  /** Throws where something that this answer has seen was erased since. */
  async check(): Promise<void> {
    await (this.#turn?.check() ?? this.#options.session.checkBound())
  }

  async run(): Promise<Ended> {
    const { timers, timeoutMs, delivery } = this.#options
    const clock = timers.setTimeout(() => this.stop('time'), timeoutMs)
    try {
      delivery.beginTyping()
      return await this.#listen()
    } finally {
      timers.clearTimeout(clock)
      await delivery.rest()
    }
  }

  async #listen(): Promise<Ended> {
    const { responder, delivery } = this.#options
    const { signal } = this.#controller
    let reply: Reply | null = null
    try {
      const asking = askResponder(responder, this.#request())
      asking.then(late => signal.aborted && leave(late.text[Symbol.asyncIterator]())).catch(() => {})
      reply = await orStopped(asking, signal)
      if (reply.isPlain) delivery.markPlain()
      for await (const piece of untilStopped(reply.text, signal)) delivery.add(piece)
    } catch (error) {
      const cutOff = reply === null ? { finished: null } : await this.#cutOff(reply)
      return { isHeard: false, error, ...cutOff }
    }
    return this.#stored(reply)
  }

  #request(): ReplyRequest {
    const { session, burst, messages } = this.#options
    const { trigger, attempts } = burst
    const answers = messages.map(({ seq }) => seq)
    return {
      ...{ session, messages, trigger, attempt: attempts, signal: this.#controller.signal },
      turn: async <Tools extends object>(options: TurnOptions<Tools> = {}) => {
        const seen = trigger === 'private' ? null : await session.messages({ from: 'newest', limit: 1 })
        const throughSeq = options.throughSeq ?? seen?.[0]?.seq
        const reminder = options.reminder ?? unansweredNote(messages, throughSeq)
        const files = options.files ?? (await this.#files())
        this.#hasFiles = files.length > 0
        const turn = await session.turn<Tools>({
          ...options,
          ...(files.length > 0 && { files }),
          ...(reminder !== null && { reminder }),
          // In a group an answer knows what others have said since.
          ...(throughSeq !== undefined && { throughSeq }),
          answers,
        })
        this.#turn = turn
        return turn
      },
    }
  }

  /** A further attempt goes without them: the model may be one that cannot read such files. */
  async #files(): Promise<readonly TurnFile[]> {
    const { fetch, messages, burst, onError } = this.#options
    if (!fetch || burst.attempts > 1) return []
    return fetchFiles(messages, { fetch, signal: this.#controller.signal, onError })
  }

  /** Whoever was told to stop, or has failed, is not waited for for ever. */
  async #cutOff(reply: Reply): Promise<Pick<Ended, 'finished'> & Partial<Ended>> {
    const { timers, onError } = this.#options
    const finishing = async () => reply.finish()
    try {
      return { finished: await within(STOPPING_MS, finishing(), timers) }
    } catch (error) {
      if (isOverForGood(error)) return { finished: null, error }
      if (!(error instanceof NotWaitingError)) onError(error)
      return { finished: null }
    }
  }

  async #stored(reply: Reply): Promise<Ended> {
    const { timers, timeoutMs } = this.#options
    try {
      const finished = await within(timeoutMs, this.#insistOnFinish(reply), timers)
      const error = finished === null ? new Error('To store this reply took too long.') : finished.error
      return { finished, isHeard: true, error }
    } catch (error) {
      return { finished: null, isHeard: true, error }
    }
  }

  async #insistOnFinish(reply: Reply): Promise<FinishedTurn> {
    const { timers, onError } = this.#options
    for (const wait of STORE_TRIES_MS) {
      try {
        return await reply.finish()
      } catch (error) {
        const isOver = error instanceof NotWaitingError || isOverForGood(error)
        if (isOver || this.#stop === 'shutdown') throw error
        onError(error)
        await new Promise(resolve => timers.setTimeout(() => resolve(null), wait))
      }
    }
    return reply.finish()
  }
}

/** As far as it comes until the signal; then it is told that nobody listens any more. */
async function* untilStopped(texts: AsyncIterable<string>, signal: AbortSignal): AsyncGenerator<string> {
  const pieces = texts[Symbol.asyncIterator]()
  let isOver = false
  try {
    for (;;) {
      const next = await orStopped(pieces.next(), signal)
      isOver = next.done === true
      if (next.done) return
      yield next.value
    }
  } finally {
    if (!isOver) leave(pieces)
  }
}

/** Not waited for: it may hang in what it was asked for last. */
function leave(pieces: AsyncIterator<string>): void {
  const leaving = async () => pieces.return?.()
  leaving().catch(() => {})
}
