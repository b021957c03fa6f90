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

/** What every conversation of a runtime shares. None of its functions throws. */
export interface ConversationHost {
  readonly responder: Responder
  readonly bursts: BurstRules
  readonly turns: Required<TurnRules>
  readonly timers: Timers
  /** Not yet: the channels are being started. */
  isHeld(): boolean
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
  /** Where it is at first. */
  readonly place: Place
  /** The platform refused a message, since the chat has another id by now. */
  onMoved(to: string): Promise<void>
}

type AttemptEnd = { readonly stopped: Stop | null; readonly hasFiles: boolean }

/**
 * What one session owes. One answer at a time; a burst is answered when it is due. All of it is in the store as well:
 * what is here is only when to do what.
 */
export class Conversation {
  readonly #host: ConversationHost
  readonly #at: ConversationPlace
  #place: Place
  /** Not begun, by their keys. */
  readonly #bursts = new Map<string, Burst>()
  /** Messages on their way into the log, by their keys. */
  readonly #arriving = new Map<string, { readonly trigger: Trigger; count: number }>()
  readonly #undelivered: Undelivered[] = []
  #attempt: Attempt | null = null
  readonly #settlement: Settlement
  #work: Promise<void> | null = null
  #timer: unknown = null
  /** Begins nothing any more. */
  #isClosed = false
  /** What is under way ends, too. */
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
   * Why what is not answered yet under this key will be: what the same person adds before the answer begins belongs to
   * it. `null`: nothing waits.
   */
  openTrigger(key: string): Trigger | null {
    const open = this.#bursts.get(key) ?? this.#arriving.get(key)
    if (open) return open.trigger
    return this.#canJoin(key) ? this.#attempt!.burst.trigger : null
  }

  /** The chat has another id: what is sent from now on is sent there. */
  moveTo(place: Place): void {
    this.#place = place
  }

  /** It is being dealt with. */
  knows(seq: number): boolean {
    const dealtWith = [
      ...this.#bursts.values(),
      ...this.#undelivered.map(({ burst }) => burst),
      ...(this.#attempt ? [this.#attempt.burst] : []),
      ...(this.#settlement.delivering ? [this.#settlement.delivering] : []),
    ]
    return dealtWith.some(({ seqs }) => seqs.includes(seq))
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
    if (this.#canJoin(message.key)) this.#attempt!.stop('join')
    if (this.#host.turns.during === 'interrupt' && this.#isAnswering(message.key))
      this.#attempt!.stop('newer')
    this.schedule()
  }

  /** What somebody else left, or what an attempt came too late for. */
  takeUp({ unanswered, undelivered }: Omit<Owed, 'address'>): void {
    if (this.#isClosed) return
    for (const burst of unanswered) this.#put(burst)
    this.#undelivered.push(...undelivered)
    this.schedule()
  }

  /** `false`: nothing is being answered, or it is said already. */
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

  /** Begins nothing any more. Resolves when what is under way has ended. */
  async close(): Promise<void> {
    this.#isClosed = true
    this.#host.timers.clearTimeout(this.#timer)
    this.#bursts.clear()
    this.#undelivered.length = 0
    await this.#work
  }

  /** What is under way ends now; it is taken up by the next process. */
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

  /** Looks after what is due, now or when it is. */
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
        // Looked for again: it may have waited for its turn.
        const due = nextDue(this.#bursts.values(), timers.now(), bursts)
        if (due) await this.#answer(due.key, leave)
      } finally {
        leave()
      }
    }
  }

  /** `leave`: what is left to do needs no model. */
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

  /** Whatever goes wrong is tried again, as with an answer. */
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
   * The burst as it is when its answer begins, with its messages: what comes while they are read belongs to it. The
   * session is the one that they are in: whatever bears its name later is not answered by this. `null`: there is nothing
   * to answer any more, or the store is away.
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
        // Counted before it begins: it may take the process down with it.
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
        // That was no failure of its own.
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

  /** What is still owed in this very session is answered anew, from what is left; of another one it is no matter. */
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

  /** Where a rollback hid the answer alone, its question waits for another one. */
  async #takeUpAsked(session: Session, { seqs }: Burst): Promise<void> {
    const entries = await this.#settlement.insist(() => session.boundAlone().waiting())
    const asked = entries.filter(({ seq, reply }) => seqs.includes(seq) && reply === null)
    if (asked.length > 0) this.takeUp(owedIn(asked, this.#host.timers.now()))
  }

  /** Somebody else has answered, or it was taken back: what the store says now holds. */
  async #lookAgain(burst: Burst, error: unknown): Promise<void> {
    const entries = await this.#settlement.insist(() => this.#at.session.waiting())
    const left = entries.filter(({ seq }) => burst.seqs.includes(seq))
    if (left.length === 0) return this.#settlement.tell(burst, 'elsewhere', error)
    this.takeUp(owedIn(left, this.#host.timers.now()))
  }

  /** `hasFiles`: the next attempt is another one, without them. */
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
 * The question of an answer that is still owed. `null`: another process has delivered it, or it is another answer by
 * now, which is told of elsewhere.
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
  // It was there when this was taken up.
  if (question === undefined) throw new TakenBackError({ sessionId, seqs })
  return JSON.stringify(entry?.reply) === JSON.stringify(reply) ? question : null
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
