import { type ErrorCode, NotWaitingError, PalimpsestError } from '../errors.ts'
import { contentText, type Message } from '../log/index.ts'
import type { Session } from '../session.ts'
import type { FinishedTurn } from '../turn/index.ts'
import { orStopped, within } from './bounded.ts'
import {
  type Burst,
  type BurstRules,
  backedOff,
  earliestDue,
  joinBursts,
  newBurst,
  nextDue,
} from './bursts.ts'
import type { Channel, Place, Trigger } from './channel.ts'
import { Delivery } from './delivery.ts'
import type { ReplyReport, TurnRules } from './options.ts'
import { askResponder } from './reply.ts'
import type { Reply, ReplyRequest, Responder } from './responder.ts'
import type { Timers } from './timers.ts'

/** What every conversation of a runtime shares. */
export interface ConversationHost {
  readonly responder: Responder
  readonly bursts: BurstRules
  readonly turns: Required<TurnRules>
  readonly timers: Timers
  /** Resolves when this one may go ahead; what it gives is called when it is done. */
  enter(): Promise<() => void>
  onReply(report: ReplyReport): void
  onError(error: unknown, details: { readonly sessionId: string }): void
  /** Nothing is being answered there or waits to be. */
  onQuiet(sessionId: string): void
}

export interface ConversationPlace {
  readonly session: Session
  readonly channel: Channel
  readonly place: Place
}

/** Why an answer ends before it is whole. */
type Stop = 'person' | 'newer' | 'join' | 'time' | 'shutdown'

const STOP_REASONS: Readonly<Record<Stop, string>> = {
  person: 'Somebody stopped this reply.',
  newer: 'A newer message interrupts this reply.',
  join: 'A further message is to be answered with it.',
  time: 'This reply took too long: turns.timeoutMs was over.',
  shutdown: 'The program ends; the reply is made again when it is back.',
}

interface Running {
  readonly burst: Burst
  controller: AbortController
  readonly delivery: Delivery
  /** The answer is in the log: what is left is its delivery, which only the end of the program stops. */
  isStored: boolean
  stop: Stop | null
}

/** How an attempt ended; `finished`: as it was stored. */
interface Ended {
  readonly finished: FinishedTurn | null
  readonly error: unknown
}

/** How long something that was told to stop may take for it. */
const STOPPING_MS = 500
/** An answer is not made again because the database was busy for a moment. */
const STORE_TRIES_MS = [100, 1_000, 5_000]

/**
 * What one session owes. One answer at a time; a burst is answered when it is due. All of it is in the store as well:
 * what is here is only when to do what.
 */
export class Conversation {
  readonly #host: ConversationHost
  readonly #at: ConversationPlace
  /** Not begun, by their keys. */
  readonly #bursts = new Map<string, Burst>()
  /** Messages on their way into the log, by their keys. */
  readonly #arriving = new Map<string, { readonly trigger: Trigger; count: number }>()
  #running: Running | null = null
  #work: Promise<void> | null = null
  #timer: unknown = null
  #isClosed = false

  constructor(host: ConversationHost, at: ConversationPlace) {
    this.#host = host
    this.#at = at
  }

  get isQuiet(): boolean {
    return this.#work === null && this.#bursts.size === 0 && this.#arriving.size === 0
  }

  /**
   * Why what is not answered yet under this key will be: what the same person adds before the answer begins belongs to
   * it. `null`: nothing waits.
   */
  openTrigger(key: string): Trigger | null {
    const open = this.#bursts.get(key) ?? this.#arriving.get(key)
    if (open) return open.trigger
    return this.#canJoin(key) ? this.#running!.burst.trigger : null
  }

  /** A message is about to be stored; call what it gives when that is over. */
  expect(key: string, trigger: Trigger): () => void {
    const arriving = this.#arriving.get(key) ?? { trigger, count: 0 }
    arriving.count += 1
    this.#arriving.set(key, arriving)
    return () => {
      arriving.count -= 1
      if (arriving.count === 0) this.#arriving.delete(key)
      this.#tellIfQuiet()
    }
  }

  /** A message that waits for an answer is in the log. */
  add(message: { readonly key: string; readonly seq: number; readonly trigger: Trigger }): void {
    this.#put(newBurst({ ...message, at: this.#host.timers.now() }))
    if (this.#canJoin(message.key)) this.#stop('join')
    if (this.#host.turns.during === 'interrupt' && this.#isRunning(message.key)) this.#stop('newer')
    this.#schedule()
  }

  /** What an earlier process left. */
  takeUp(burst: Burst): void {
    this.#put(burst)
    this.#schedule()
  }

  /** An answer that an earlier process stored and did not deliver. */
  deliverAgain(burst: Burst, reply: readonly number[]): void {
    this.#startWork(() => this.#deliverStored(burst, reply))
  }

  /** `false`: nothing is being answered. */
  stopReply(): boolean {
    if (this.#running === null) return false
    this.#stop('person')
    return true
  }

  /** Begins nothing any more. Resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#host.timers.clearTimeout(this.#timer)
    this.#bursts.clear()
    await this.#work
  }

  /** What is under way ends now; it is answered again by the next process. */
  abort(): void {
    this.#stop('shutdown')
  }

  #isRunning(key: string): boolean {
    return this.#running?.burst.key === key && !this.#running.isStored
  }

  #canJoin(key: string): boolean {
    return this.#host.turns.during === 'join' && this.#isRunning(key) && !this.#running!.delivery.isShown
  }

  #stop(why: Stop): void {
    const running = this.#running
    if (running === null || running.stop === 'shutdown') return
    if (why !== 'shutdown' && (running.stop !== null || running.isStored)) return
    running.stop = why
    running.controller.abort(new DOMException(STOP_REASONS[why], 'AbortError'))
  }

  #put(burst: Burst): void {
    if (this.#isClosed) return
    const open = this.#bursts.get(burst.key)
    const isEarlier = open !== undefined && open.seqs[0]! <= burst.seqs[0]!
    this.#bursts.set(
      burst.key,
      open === undefined ? burst : isEarlier ? joinBursts(open, burst) : joinBursts(burst, open),
    )
  }

  #schedule(): void {
    const { timers, bursts } = this.#host
    timers.clearTimeout(this.#timer)
    this.#timer = null
    if (this.#work !== null || this.#isClosed) return
    const due = earliestDue(this.#bursts.values(), bursts)
    if (due === null) return
    this.#timer = timers.setTimeout(() => this.#begin(), Math.max(0, due - timers.now()))
  }

  #begin(): void {
    this.#timer = null
    if (this.#work !== null || this.#isClosed) return
    this.#startWork(() => this.#answerAllDue())
  }

  #startWork(work: () => Promise<void>): void {
    const before = this.#work ?? Promise.resolve()
    const mine: Promise<void> = before
      .then(work)
      .catch(error => this.#report(error))
      .then(() => {
        if (this.#work !== mine) return
        this.#work = null
        this.#schedule()
        this.#tellIfQuiet()
      })
    this.#work = mine
  }

  #tellIfQuiet(): void {
    if (this.isQuiet) this.#host.onQuiet(this.#at.session.id)
  }

  #report(error: unknown): void {
    this.#host.onError(error, { sessionId: this.#at.session.id })
  }

  async #answerAllDue(): Promise<void> {
    for (;;) {
      const leave = await this.#host.enter()
      try {
        // Looked for only now: what came while it waited belongs to it.
        const burst = nextDue(this.#bursts.values(), this.#host.timers.now(), this.#host.bursts)
        if (burst === null) return
        this.#bursts.delete(burst.key)
        await this.#answer({ ...burst, attempts: burst.attempts + 1 }, leave)
      } finally {
        leave()
      }
    }
  }

  /** `leave`: what is left to do needs no model. */
  async #answer(burst: Burst, leave: () => void): Promise<void> {
    const { session } = this.#at
    try {
      const messages = await this.#messagesOf(burst.seqs)
      const gone = burst.seqs.filter(seq => !messages.some(message => message.seq === seq))
      if (gone.length > 0) await session.settleWaiting(gone)
      const [first] = messages
      if (first === undefined) return
      const present = { ...burst, seqs: messages.map(({ seq }) => seq) }
      const delivery = this.#deliveryOf(present, first)
      if (present.attempts > this.#host.turns.attempts)
        return await this.#giveUp(present, delivery, new Error('Every attempt ended with the process.'))
      await session.noteWaiting(first.seq, { attempts: present.attempts })
      await this.#attempt({ burst: present, messages, delivery, leave })
    } catch (error) {
      await this.#afterFailure(burst, null, error)
    }
  }

  async #messagesOf(seqs: readonly number[]): Promise<readonly Message[]> {
    const found: Message[] = []
    const last = seqs.at(-1) ?? 0
    for (let after = (seqs[0] ?? 1) - 1; after < last; ) {
      const page = await this.#at.session.messages({ after, before: last + 1, limit: 200 })
      if (page.length === 0) break
      found.push(...page.filter(({ seq }) => seqs.includes(seq)))
      after = page.at(-1)!.seq
    }
    return found
  }

  async #attempt({ burst, messages, delivery, leave }: Attempt): Promise<void> {
    const { timers, turns } = this.#host
    const controller = new AbortController()
    const running: Running = { burst, controller, delivery, isStored: false, stop: null }
    this.#running = running
    const clock = timers.setTimeout(() => this.#stop('time'), turns.timeoutMs)
    try {
      delivery.beginTyping()
      const ended = await this.#listen(running, messages)
      leave()
      timers.clearTimeout(clock)
      delivery.pause()
      await this.#afterEnd(running, ended)
    } finally {
      timers.clearTimeout(clock)
      delivery.pause()
      this.#running = null
    }
  }

  #deliveryOf(burst: Burst, first: Message, isRepeat = burst.attempts > 1): Delivery {
    const { session, channel, place } = this.#at
    return new Delivery({
      channel,
      place,
      replyTo: first.externalId,
      key: `${session.id}/${first.seq}`,
      sent: burst.sent,
      isRepeat,
      timers: this.#host.timers,
      onSent: sent => session.noteWaiting(first.seq, { sent }),
    })
  }

  /** Until the answer has ended, one way or the other. */
  async #listen(running: Running, messages: readonly Message[]): Promise<Ended> {
    const { burst, controller, delivery } = running
    const { session } = this.#at
    const { signal } = controller
    const seqs = messages.map(({ seq }) => seq)
    const request: ReplyRequest = {
      session,
      messages,
      trigger: burst.trigger,
      attempt: burst.attempts,
      signal,
      turn: options => session.turn({ ...options!, answers: seqs }),
    }
    let reply: Reply | null = null
    let error: unknown = null
    try {
      reply = await orStopped(askResponder(this.#host.responder, request), signal)
      const pieces = reply.text[Symbol.asyncIterator]()
      for (;;) {
        const next = await orStopped(pieces.next(), signal)
        if (next.done) break
        delivery.add(next.value)
      }
    } catch (caught) {
      error = caught
    }
    if (reply === null) return { finished: null, error }
    if (error === null) return { finished: await this.#finish(reply, running), error }
    // Whoever was told to stop, or has failed, is not waited for for ever.
    const finished = await within(STOPPING_MS, reply.finish(), this.#host.timers).catch(failure => {
      this.#report(failure)
      return null
    })
    return { finished, error }
  }

  async #finish(reply: Reply, running: Running): Promise<FinishedTurn> {
    const { timers } = this.#host
    for (const wait of STORE_TRIES_MS) {
      try {
        return await reply.finish()
      } catch (error) {
        if (error instanceof NotWaitingError || running.stop === 'shutdown') throw error
        this.#report(error)
        await new Promise(resolve => timers.setTimeout(() => resolve(null), wait))
      }
    }
    return reply.finish()
  }

  async #afterEnd(running: Running, { finished, error }: Ended): Promise<void> {
    const { burst, delivery, stop } = running
    if (finished?.status === 'complete') return this.#deliver(running)
    const saidSomething = (finished?.seqs.length ?? 0) > 0 || delivery.isShown
    switch (stop) {
      case 'shutdown':
        // That was no failure of its own.
        return this.#at.session.noteWaiting(burst.seqs[0]!, { attempts: burst.attempts - 1 })
      case 'person':
        return this.#leaveAsItIs(running)
      case 'newer':
      case 'join':
        if (saidSomething) return this.#leaveAsItIs(running)
        this.#put({ ...burst, attempts: burst.attempts - 1 })
        return
      default:
        return this.#afterFailure(burst, delivery, error ?? finished?.error)
    }
  }

  /** The answer is in the log, and it is noted there that it is owed to the platform. */
  async #deliver(running: Running): Promise<void> {
    const { burst, delivery } = running
    running.isStored = true
    // Who wanted to stop it came too late: it is said.
    if (running.stop !== 'shutdown') Object.assign(running, { stop: null, controller: new AbortController() })
    const text = delivery.text.trim()
    try {
      // Of an earlier attempt something may be there already.
      const isSent = text !== '' || delivery.isShown
      const isDone = !isSent || (await delivery.complete(text || '…', running.controller.signal))
      if (isDone) await this.#settle(burst, text === '' ? 'silent' : 'delivered')
    } catch (error) {
      await this.#settle(burst, 'undeliverable', error)
    }
  }

  async #deliverStored(burst: Burst, reply: readonly number[]): Promise<void> {
    const [question] = await this.#messagesOf(burst.seqs)
    if (question === undefined) return this.#at.session.settleWaiting(burst.seqs)
    const delivery = this.#deliveryOf(burst, question, true)
    const said = (await this.#messagesOf(reply)).filter(({ role }) => role === 'assistant')
    const texts = said.map(({ content }) => contentText(content)).filter(text => text.trim() !== '')
    delivery.take(texts.join('\n\n'))
    const running = { burst, controller: new AbortController(), delivery, isStored: true, stop: null }
    this.#running = running
    if (!this.#isClosed) await this.#deliver(running)
    this.#running = null
  }

  /** What was said stands, and there will be no more of it. */
  async #leaveAsItIs({ burst, delivery }: Running): Promise<void> {
    const text = delivery.text.trim()
    if (text !== '') await this.#tryOnce(delivery, `${text} …`)
    await this.#settle(burst, 'interrupted')
  }

  async #afterFailure(burst: Burst, delivery: Delivery | null, error: unknown): Promise<void> {
    const { timers, turns } = this.#host
    if (error instanceof NotWaitingError) return this.#settle(burst, 'elsewhere', error)
    const isLast = burst.attempts >= turns.attempts || isLasting(error)
    if (delivery && isLast) return this.#giveUp(burst, delivery, error)
    this.#report(error)
    const again = { ...burst, sent: delivery?.sent ?? burst.sent }
    this.#put(backedOff(again, { now: timers.now(), backoffMs: turns.backoffMs }))
  }

  async #giveUp(burst: Burst, delivery: Delivery, error: unknown): Promise<void> {
    const { failureText } = this.#host.turns
    const said = delivery.text.trim()
    if (failureText !== null)
      await this.#tryOnce(delivery, said === '' ? failureText : `${said} …\n\n${failureText}`)
    await this.#settle(burst, 'failed', error)
  }

  async #tryOnce(delivery: Delivery, text: string): Promise<void> {
    await delivery.complete(text, AbortSignal.abort()).catch(error => this.#report(error))
  }

  async #settle(burst: Burst, outcome: ReplyReport['outcome'], error?: unknown): Promise<void> {
    const { session } = this.#at
    const { seqs, attempts } = burst
    await session.settleWaiting(seqs)
    this.#host.onReply({
      sessionId: session.id,
      seqs,
      outcome,
      attempts,
      ...(error !== undefined && error !== null && { error }),
    })
  }
}

/** No further attempt would change it: a wrong key, a missing package. The AI SDK says so of its own. */
function isLasting(error: unknown): boolean {
  if (PalimpsestError.isInstance(error)) return LASTING.includes(error.code)
  return (error as { readonly isRetryable?: unknown } | null)?.isRetryable === false
}

const LASTING: readonly ErrorCode[] = [
  'missing_peer',
  'invalid_argument',
  'invalid_settings',
  'context_overflow',
]

interface Attempt {
  readonly burst: Burst
  readonly messages: readonly Message[]
  readonly delivery: Delivery
  readonly leave: () => void
}
