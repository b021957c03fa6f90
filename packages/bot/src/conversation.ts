import {
  ErasedMeanwhileError,
  type ErrorCode,
  isOverForGood,
  NotWaitingError,
  PalimpsestError,
  TakenBackError,
} from 'palimpsest/internals/errors'
import type { Message } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'
import { type Owed, owedIn, type Undelivered } from './address.ts'
import { Attempt, type Ended, type Stop } from './attempt.ts'
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
import { beginAnew, isCommandKey, newBeginningText } from './commands.ts'
import { Delivery } from './delivery.ts'
import { toPlatformId } from './moved-chats.ts'
import type { ReplyReport, TurnRules } from './options.ts'
import { readMessages } from './read-messages.ts'
import type { Responder } from './responder.ts'
import { sessionIdOf } from './session-id.ts'
import { type Answered, Settlement } from './settlement.ts'
import type { Timers } from './timers.ts'

/** What all conversations of a runtime share. None of its functions throws. */
export interface ConversationHost {
  readonly responder: Responder
  readonly bursts: BurstRules
  readonly turns: Required<TurnRules>
  readonly timers: Timers
  /** `true` while the channels are being started: no answer begins then. */
  isHeld(): boolean
  /** Resolves when a conversation may go ahead. The conversation calls the result when it is done. */
  enter(): Promise<() => void>
  onReply(report: ReplyReport): void
  onError(error: unknown, details: { readonly sessionId: string }): void
  /** In this session no answer is under way and none is owed. */
  onQuiet(sessionId: string): void
}

export interface ConversationPlace {
  readonly session: Session
  readonly channel: Channel
  /** The place at first. It may move. */
  readonly place: Place
  /** The platform refused a message because the chat has another id now. */
  onMoved(to: string): Promise<void>
}

type AttemptEnd = { readonly stopped: Stop | null; readonly hasFiles: boolean }

/**
 * What one session owes. One answer is made at a time; a burst is answered when it is due. The store holds
 * all of this too: this class only knows when to do what.
 */
export class Conversation {
  readonly #host: ConversationHost
  readonly #at: ConversationPlace
  #place: Place
  /** The bursts whose answer has not begun, by their keys. */
  readonly #bursts = new Map<string, Burst>()
  /** The messages that are being stored, by their keys. */
  readonly #arriving = new Map<string, { readonly trigger: Trigger; count: number }>()
  readonly #undelivered: Undelivered[] = []
  #attempt: Attempt | null = null
  readonly #settlement: Settlement
  #work: Promise<void> | null = null
  #timer: unknown = null
  /** Nothing new begins any more. */
  #isClosed = false
  /** Aborted when the work under way has to end as well. */
  readonly #ending = new AbortController()

  constructor(host: ConversationHost, at: ConversationPlace) {
    this.#host = host
    this.#at = at
    this.#place = at.place
    const { timers, turns } = host
    this.#settlement = new Settlement({
      ...{ sessionId: at.session.id, timers, failureText: turns.failureText, ending: this.#ending.signal },
      onReply: report => host.onReply(report),
      onError: error => this.#report(error),
      onAskedAgain: entries => this.takeUp(owedIn(entries, timers.now())),
    })
  }

  get isQuiet(): boolean {
    const waiting = this.#bursts.size + this.#arriving.size + this.#undelivered.length
    return this.#work === null && waiting === 0
  }

  /**
   * The trigger of the unanswered messages under this key. What the same person adds before the answer begins
   * is answered with them. `null`: nothing waits under the key.
   */
  openTrigger(key: string): Trigger | null {
    const open = this.#bursts.get(key) ?? this.#arriving.get(key)
    if (open) return open.trigger
    return this.#canJoin(key) ? this.#attempt!.burst.trigger : null
  }

  /** The chat has another id. Further messages are sent there. */
  moveTo(place: Place): void {
    this.#place = place
  }

  /** Whether this conversation already deals with the message. */
  knows(seq: number): boolean {
    const dealtWith = [
      ...this.#bursts.values(),
      ...this.#undelivered.map(({ burst }) => burst),
      ...(this.#attempt ? [this.#attempt.burst] : []),
      ...(this.#settlement.delivering ? [this.#settlement.delivering] : []),
    ]
    return dealtWith.some(({ seqs }) => seqs.includes(seq))
  }

  /** A message is about to be stored. The caller calls the result when that is over. */
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
    if (this.#canJoin(message.key)) this.#attempt!.stop('join')
    if (this.#host.turns.during === 'interrupt' && this.#isAnswering(message.key))
      this.#attempt!.stop('newer')
    this.schedule()
  }

  /** Takes over what another process left, or what an attempt came too late for. */
  takeUp({ unanswered, undelivered }: Omit<Owed, 'address'>): void {
    if (this.#isClosed) return
    for (const burst of unanswered) this.#put(burst)
    this.#undelivered.push(...undelivered)
    this.schedule()
  }

  /** `false`: nothing is being answered, or the whole answer is made already. */
  stopReply(): boolean {
    if (this.#attempt !== null) {
      this.#attempt.stop('person')
      return true
    }
    const now = this.#host.timers.now()
    const failing = [...this.#bursts.values()].filter(({ notBefore }) => notBefore > now)
    for (const burst of failing) this.#bursts.delete(burst.key)
    if (failing.length > 0)
      this.#startWork(async () => {
        const { session } = this.#at
        for (const burst of failing) await this.#settlement.settle({ session, burst }, 'interrupted')
      })
    return failing.length > 0
  }

  /** Begins nothing any more. Resolves when the work under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#host.timers.clearTimeout(this.#timer)
    this.#bursts.clear()
    this.#undelivered.length = 0
    await this.#work
  }

  /** Ends the work under way now. The next process takes it up. */
  abort(): void {
    this.#ending.abort()
    this.#attempt?.stop('shutdown')
  }

  #isAnswering(key: string): boolean {
    return this.#attempt?.burst.key === key
  }

  #canJoin(key: string): boolean {
    return this.#host.turns.during === 'join' && this.#isAnswering(key) && !this.#attempt!.delivery.isShown
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

  /** Sets the timer for the next thing that is due. */
  schedule(): void {
    const { timers, bursts } = this.#host
    timers.clearTimeout(this.#timer)
    this.#timer = null
    if (this.#work !== null || this.#isClosed || this.#host.isHeld()) return
    const due = this.#undelivered.length > 0 ? timers.now() : earliestDue(this.#bursts.values(), bursts)
    if (due === null) return
    this.#timer = timers.setTimeout(
      () => {
        this.#timer = null
        if (this.#work === null && !this.#isClosed) this.#startWork(() => this.#workOff())
      },
      Math.max(0, due - timers.now()),
    )
  }

  #startWork(work: () => Promise<void>): void {
    const before = this.#work ?? Promise.resolve()
    const mine: Promise<void> = before
      .then(work)
      .catch(error => this.#report(error))
      .then(() => {
        if (this.#work !== mine) return
        this.#work = null
        this.schedule()
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

  async #workOff(): Promise<void> {
    const { timers, bursts } = this.#host
    for (;;) {
      const [stored] = this.#undelivered
      if (stored) {
        await this.#deliverStored(stored)
        this.#undelivered.shift()
        continue
      }
      if (nextDue(this.#bursts.values(), timers.now(), bursts) === null) return
      const leave = await this.#host.enter()
      try {
        // Looked up again, since time has passed in the queue.
        const due = nextDue(this.#bursts.values(), timers.now(), bursts)
        if (due) await this.#answer(due.key, leave)
      } finally {
        leave()
      }
    }
  }

  /** `leave` frees the slot, since the remaining steps need no model. */
  async #answer(key: string, leave: () => void): Promise<void> {
    const begun = await this.#takeOut(key)
    if (begun === null) return
    const { session, burst, messages } = begun
    const { responder, timers, turns } = this.#host
    const delivery = this.#deliveryOf(session, burst, messages[0]!)
    const answered = { session, burst, delivery, check: () => session.checkBound() }
    if (isCommandKey(burst.key)) {
      leave()
      return this.#carryOut(answered, messages[0]!)
    }
    if (burst.attempts > turns.attempts)
      return this.#settlement.giveUp(answered, new Error('Every attempt ended with the process.'))
    const { timeoutMs } = turns
    const { channel } = this.#at
    const attempt = new Attempt({
      ...(channel.fetch && { fetch: channel.fetch.bind(channel) }),
      ...{ session, burst, messages, delivery, responder, timeoutMs, timers },
      onError: error => this.#report(error),
    })
    this.#attempt = attempt
    const ended = await attempt.run()
    this.#attempt = null
    leave()
    const check = () => attempt.check()
    await this.#afterEnd(
      { ...answered, check },
      { ...ended, stopped: attempt.stopped, hasFiles: attempt.hasFiles },
    )
  }

  /** A failure is tried again, as with an answer. */
  async #carryOut(answered: Answered, command: Message): Promise<void> {
    try {
      await beginAnew(answered.session, command.seq)
      await this.#settlement.tellCarriedOut(answered, await newBeginningText(answered.session, command))
    } catch (error) {
      if (isOverForGood(error)) return this.#afterErasure(answered, error)
      await this.#afterFailure(answered, error)
    }
  }

  /**
   * Takes out the burst as its answer begins, with its messages. Messages that arrive while they are read
   * belong to it. The session is the one that holds them: a later session of the same name is not answered by
   * this. `null`: there is nothing left to answer, or the store is away.
   */
  async #takeOut(
    key: string,
  ): Promise<{ session: Session; burst: Burst; messages: readonly Message[] } | null> {
    for (;;) {
      const waiting = this.#bursts.get(key)
      if (waiting === undefined) return null
      try {
        const session = await this.#at.session.bound()
        const messages = await readMessages(session, waiting.seqs)
        const seqs = messages.map(({ seq }) => seq)
        const gone = waiting.seqs.filter(seq => !seqs.includes(seq))
        if (gone.length > 0) await session.settleWaiting(gone)
        const attempts = waiting.attempts + 1
        // The attempt is counted before it begins: it may take the process down with it.
        if (seqs.length > 0) await session.noteWaiting(seqs[0]!, { attempts })
        if (this.#bursts.get(key) !== waiting) continue
        this.#bursts.delete(key)
        return seqs.length > 0 ? { session, burst: { ...waiting, seqs, attempts }, messages } : null
      } catch (error) {
        this.#report(error)
        const { timers, turns } = this.#host
        const again = this.#bursts.get(key)
        if (again) this.#bursts.set(key, { ...again, notBefore: timers.now() + turns.backoffMs })
        return null
      }
    }
  }

  #deliveryOf(session: Session, burst: Burst, first: Message): Delivery {
    const { channel } = this.#at
    return new Delivery({
      ...{ channel, timers: this.#host.timers },
      place: () => this.#place,
      replyTo: place => {
        const isMoved = channel.moves === true && sessionIdOf(channel.name, place) !== session.id
        return toPlatformId(first.externalId, { ...place, isMoved })
      },
      onMoved: async to => {
        await this.#at.onMoved(to)
        this.#place = { chat: to }
      },
      key: `${session.id}/${first.seq}`,
      sent: burst.sent,
      isRepeat: burst.isRepeat,
      check: () => this.#attempt?.check() ?? session.checkBound(),
      onOver: () => this.#attempt?.stop('erased'),
      onSent: sent => session.boundAlone().noteWaiting(first.seq, { sent }),
      onError: error => this.#report(error),
    })
  }

  async #afterEnd(
    { session, burst, delivery, check }: Answered,
    { finished, isHeard, error, stopped, hasFiles }: Ended & AttemptEnd,
  ): Promise<void> {
    const again = { ...burst, sent: delivery.sent, isRepeat: true }
    const answered = { session, burst: again, delivery, check }
    if (finished?.status === 'complete')
      return this.#settlement.deliver(answered, finished.seqs, isHeard ? delivery.text : null)
    if (isOverForGood(error) || stopped === 'erased') return this.#afterErasure(answered, error)
    if (error instanceof NotWaitingError) return this.#lookAgain(again, error)
    const saidSomething = (finished?.seqs.length ?? 0) > 0 || delivery.isShown
    switch (stopped) {
      case 'shutdown':
        // The end of the program does not count as a failed attempt.
        return session.boundAlone().noteWaiting(burst.seqs[0]!, { attempts: burst.attempts - 1 })
      case 'person':
        return this.#settlement.leaveAsItIs(answered)
      case 'newer':
        if (saidSomething) return this.#settlement.leaveAsItIs(answered)
        return this.#put({ ...again, attempts: burst.attempts - 1 })
      case 'join':
        if (delivery.isShown) return this.#settlement.leaveAsItIs(answered)
        return this.#put({ ...again, attempts: burst.attempts - 1 })
      default:
        return this.#afterFailure(answered, error, { hasFiles })
    }
  }

  /**
   * Answers anew what this very session still owes. A later session of the same name does not matter here.
   */
  async #afterErasure({ session, burst }: Answered, error: unknown): Promise<void> {
    this.#settlement.tell(burst, 'erased', error)
    try {
      const entries = await this.#settlement.insist(() => session.boundAlone().waiting())
      const left = entries.filter(({ seq }) => burst.seqs.includes(seq))
      if (left.length > 0) this.takeUp(owedIn(left, this.#host.timers.now()))
    } catch (refusal) {
      if (!isOverForGood(refusal)) throw refusal
    }
  }

  async #deliverStored({ burst, reply }: Undelivered): Promise<void> {
    const session = await this.#settlement.insist(() => this.#at.session.bound())
    try {
      const found = await this.#settlement.insist(() => findStored(session.boundAlone(), burst, reply))
      if (found === null) return await this.#takeUpAsked(session, burst)
      const delivery = this.#deliveryOf(session, burst, found)
      const check = () => session.checkBound()
      await this.#settlement.deliver({ session, burst, delivery, check }, reply, null)
    } catch (refusal) {
      if (!isOverForGood(refusal)) throw refusal
      await this.#settlement.settle({ session, burst }, 'erased', refusal)
    }
  }

  /** A rollback may have hidden only the answer. Its question then waits for another one. */
  async #takeUpAsked(session: Session, { seqs }: Burst): Promise<void> {
    const entries = await this.#settlement.insist(() => session.boundAlone().waiting())
    const asked = entries.filter(({ seq, reply }) => seqs.includes(seq) && reply === null)
    if (asked.length > 0) this.takeUp(owedIn(asked, this.#host.timers.now()))
  }

  /** Another process has answered, or the question was taken back. What the store says now holds. */
  async #lookAgain(burst: Burst, error: unknown): Promise<void> {
    const entries = await this.#settlement.insist(() => this.#at.session.waiting())
    const left = entries.filter(({ seq }) => burst.seqs.includes(seq))
    if (left.length === 0) return this.#settlement.tell(burst, 'elsewhere', error)
    this.takeUp(owedIn(left, this.#host.timers.now()))
  }

  /** `hasFiles`: even a lasting error is tried again, since the next attempt goes without files. */
  async #afterFailure(answered: Answered, error: unknown, { hasFiles = false } = {}): Promise<void> {
    const { burst } = answered
    const { timers, turns } = this.#host
    if (burst.attempts >= turns.attempts || (isLasting(error) && !hasFiles))
      return this.#settlement.giveUp(answered, error)
    this.#report(error)
    this.#put(backedOff(burst, { now: timers.now(), backoffMs: turns.backoffMs }))
  }
}

/**
 * The question of an answer that is still owed. `null`: another process has delivered the answer, or the
 * question has another answer by now, which its own delivery reports.
 */
async function findStored(
  session: Session,
  { seqs }: Burst,
  reply: readonly number[],
): Promise<Message | null> {
  const { id: sessionId } = session
  if (session.number === null) throw new ErasedMeanwhileError({ sessionId, erased: 'session' })
  const entry = (await session.waiting()).find(({ seq }) => seq === seqs[0])
  if (entry?.isWithdrawn) throw new ErasedMeanwhileError({ sessionId, erased: 'messages' })
  const [question] = await readMessages(session, seqs.slice(0, 1))
  // The question was there when the answer was taken up, so it was taken back since.
  if (question === undefined) throw new TakenBackError({ sessionId, seqs })
  return JSON.stringify(entry?.reply) === JSON.stringify(reply) ? question : null
}

/**
 * A further attempt would end the same: a wrong key, a missing package. Errors of the AI SDK tell it by
 * `isRetryable`.
 */
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
