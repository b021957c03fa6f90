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
  /** The messages of the burst, as they are now. */
  readonly messages: readonly Message[]
  readonly delivery: Delivery
  readonly responder: Responder
  /**
   * Fetches files through the channel that received the messages. Left out: that channel fetches no files.
   */
  readonly fetch?: Channel['fetch']
  readonly timeoutMs: number
  readonly timers: Timers
  readonly onError: (error: unknown) => void
}

export interface Ended {
  /** How the reply was stored. `null`: unknown. */
  readonly finished: FinishedTurn | null
  /** The whole text was received from the responder. */
  readonly isHeard: boolean
  readonly error: unknown
}

/** How long a responder may take to stop after it was told to. */
const STOPPING_MS = 500
/**
 * The pauses between attempts to store an answer. A database that is busy for a moment must not cost the
 * answer.
 */
const STORE_TRIES_MS = [100, 1_000, 5_000]

/** One attempt to answer. It ends with what is stored of the answer, and shows the answer meanwhile. */
export class Attempt {
  readonly #options: AttemptOptions
  readonly #controller = new AbortController()
  #stop: Stop | null = null
  /** The turn that the answer is made from. Its `check` also covers the memory that the model was shown. */
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

  /** The model was shown files. It may not be able to read them. */
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

  /** Throws where something that this answer has used was erased in the meantime. */
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
          // In a group, the answer knows what others have said since the question.
          ...(throughSeq !== undefined && { throughSeq }),
          answers,
        })
        this.#turn = turn
        return turn
      },
    }
  }

  /**
   * The files for the first attempt. Later attempts go without files: the model may be unable to read them.
   */
  async #files(): Promise<readonly TurnFile[]> {
    const { fetch, messages, burst, onError } = this.#options
    if (!fetch || burst.attempts > 1) return []
    return fetchFiles(messages, { fetch, signal: this.#controller.signal, onError })
  }

  /** A responder that was stopped or has failed gets a limited time to store its part. */
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

/** Passes on the pieces until the signal. Then it tells the source that no more pieces are wanted. */
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

/** Does not wait for the source: it may hang in its last request. */
function leave(pieces: AsyncIterator<string>): void {
  const leaving = async () => pieces.return?.()
  leaving().catch(() => {})
}
