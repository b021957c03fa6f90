import { isOverForGood, MessageNotFoundError, NotWaitingError } from 'palimpsest/internals/errors'
import { contentText } from 'palimpsest/internals/log/index'
import type { Session } from 'palimpsest/internals/session'
import type { WaitingEntry } from 'palimpsest/internals/store/index'
import { pause } from './bounded.ts'
import type { Burst } from './bursts.ts'
import type { Delivery } from './delivery.ts'
import { EmptyReplyError } from './empty-reply.ts'
import type { ReplyReport } from './options.ts'
import { readMessages } from './read-messages.ts'
import { checkStored, isNoLongerOwed } from './stored-answer.ts'
import type { Timers } from './timers.ts'
import { isRepetition, markedUndelivered } from './undelivered.ts'

export interface SettlementOptions {
  readonly sessionId: string
  readonly timers: Timers
  readonly failureText: string | null
  /** Aborted when the program ends. What is not settled by then is left to the next process. */
  readonly ending: AbortSignal
  onReply(report: ReplyReport): void
  onError(error: unknown): void
  /** These messages wait for an answer again. */
  onAskedAgain(entries: readonly WaitingEntry[]): void
}

const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 10_000

/** An answer that has ended. `session` is the session as it was when the answer began. */
export interface Answered {
  readonly session: Session
  readonly burst: Burst
  readonly delivery: Delivery
  /** Throws where something that the answer has used was erased in the meantime. */
  readonly check: () => Promise<void>
}

interface Last {
  readonly text: string
  readonly outcome: ReplyReport['outcome']
  readonly error?: unknown
  /** Called before each message. */
  readonly check: () => Promise<void>
  /** The messages of the reply in the log. They are marked where no person gets to read them. */
  readonly reply?: readonly number[]
}

/** The end of a burst: sends the last messages of its answer, then notes that the burst waits no longer. */
export class Settlement {
  readonly #options: SettlementOptions
  #delivering: Burst | null = null

  constructor(options: SettlementOptions) {
    this.#options = options
  }

  /** The burst whose answer is being delivered. */
  get delivering(): Burst | null {
    return this.#delivering
  }

  /**
   * Delivers an answer that is in the log, and that the log notes as owed to the platform.
   * @param heard The text of the answer, if all of it was received. `null`: the text is read from the log.
   */
  async deliver(answered: Answered, reply: readonly number[], heard: string | null): Promise<void> {
    const { session, burst, delivery } = answered
    const check = () => checkStored(session, { question: burst.seqs[0]!, reply })
    const text = await this.#textOf(answered, { reply, heard, check })
    if (text === null) return
    const said = text.trim()
    // An earlier attempt may have shown something already.
    const isSilent = said === ''
    // Where nothing was asked, silence is an answer.
    const error = isSilent && burst.trigger !== 'proactive' ? new EmptyReplyError() : undefined
    if (isSilent && !delivery.isShown) return this.settle(answered, 'silent', error)
    const outcome = isSilent ? 'silent' : 'delivered'
    await this.#send(answered, { text: said || '…', outcome, check, reply, error })
  }

  /** What was said stays, and no more will follow. */
  async leaveAsItIs(answered: Answered): Promise<void> {
    const said = answered.delivery.text.trim()
    if (said === '') return this.settle(answered, 'interrupted')
    await this.#send(answered, { text: `${said} …`, outcome: 'interrupted', check: answered.check })
  }

  async giveUp(answered: Answered, error: unknown): Promise<void> {
    const { failureText } = this.#options
    if (failureText === null) return this.settle(answered, 'failed', error)
    const said = answered.delivery.text.trim()
    const text = said === '' ? failureText : `${said} …\n\n${failureText}`
    // The text is our own and quotes nothing, so less has to be checked.
    const check = said === '' ? () => answered.session.boundAlone().checkBound() : answered.check
    await this.#send(answered, { text, outcome: 'failed', error, check })
  }

  /** The command is carried out. The bot's confirmation is no part of the conversation. */
  async tellCarriedOut(answered: Answered, text: string): Promise<void> {
    const check = () => answered.session.boundAlone().checkBound()
    await this.#send(answered, { text, outcome: 'delivered', check })
  }

  async settle(
    { session, burst }: Pick<Answered, 'session' | 'burst'>,
    outcome: ReplyReport['outcome'],
    error?: unknown,
  ): Promise<void> {
    try {
      // Even erased messages are settled: they wait no longer.
      await this.insist(() => session.boundAlone().settleWaiting(burst.seqs))
    } catch (refusal) {
      // The session is gone, so nothing waits any more.
      if (!isOverForGood(refusal)) throw refusal
    }
    this.tell(burst, outcome, error)
  }

  tell({ seqs, attempts }: Burst, outcome: ReplyReport['outcome'], error?: unknown): void {
    const isOdd = error !== undefined && error !== null
    const { sessionId, onReply } = this.#options
    onReply({ sessionId, seqs, outcome, attempts, ...(isOdd && { error }) })
  }

  /**
   * The text of the answer's messages, as it is delivered. `null`: the answer must not be delivered, and that
   * is reported already.
   */
  async #textOf(
    answered: Answered,
    { reply, heard, check }: { reply: readonly number[]; heard: string | null; check: () => Promise<void> },
  ): Promise<string | null> {
    try {
      await this.insist(check)
      const session = answered.session.boundAlone()
      const messages = heard === null ? await this.insist(() => readMessages(session, reply)) : []
      const said = messages.filter(({ role }) => role === 'assistant')
      if (said.some(({ content }) => isRepetition(content))) answered.delivery.markPlain()
      const texts = said.map(({ content }) => contentText(content))
      return heard ?? texts.filter(text => text.trim() !== '').join('\n\n')
    } catch (refusal) {
      if (!isNoLongerOwed(refusal)) throw refusal
      await this.#end(answered, refusal)
      return null
    }
  }

  /** Stops the delivery for good. */
  async #end(answered: Answered, refusal: unknown): Promise<void> {
    if (refusal instanceof NotWaitingError) return this.tell(answered.burst, 'elsewhere', refusal)
    const left = await this.#asksAgain(answered)
    if (left.length > 0) {
      this.tell(answered.burst, 'erased', refusal)
      return this.#options.onAskedAgain(left)
    }
    await this.settle(answered, 'erased', refusal)
  }

  /** A rollback hid the answer but not its question, which waits for another answer. */
  async #asksAgain({ session, burst }: Answered): Promise<readonly WaitingEntry[]> {
    try {
      const entries = await this.insist(() => session.boundAlone().waiting())
      return entries.filter(({ seq, reply }) => burst.seqs.includes(seq) && reply === null)
    } catch (refusal) {
      if (!isNoLongerOwed(refusal)) throw refusal
      return []
    }
  }

  /**
   * Repeats an operation while the store is away, until the program ends: finished work must not be done
   * again.
   */
  async insist<Result>(work: () => Promise<Result>): Promise<Result> {
    const { timers, ending, onError } = this.#options
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, MAX_RETRY_MS)) {
      try {
        return await work()
      } catch (error) {
        if (ending.aborted || isNoLongerOwed(error)) throw error
        onError(error)
        if (!(await pause(wait, ending, timers))) throw error
      }
    }
  }

  /** Marks a reply in the log as unread, so that the model is not told that a person has read it. */
  async #markUndelivered({ session, delivery }: Answered, reply: readonly number[]): Promise<void> {
    const own = session.boundAlone()
    try {
      for (const { seq, role, content } of await this.insist(() => readMessages(own, reply)))
        if (role === 'assistant' && contentText(content).trim() !== '')
          await this.insist(() => own.edit(seq, markedUndelivered(content, delivery.isShown)))
    } catch (refusal) {
      // The message is gone or taken back, so no model is told of it.
      if (!isNoLongerOwed(refusal) && !(refusal instanceof MessageNotFoundError)) throw refusal
    }
  }

  /** Sends until the platform has it, or the program ends. */
  async #send(answered: Answered, { text, check, reply = [], ...last }: Last): Promise<void> {
    const { burst, delivery } = answered
    this.#delivering = burst
    let { outcome, error } = last
    try {
      if (!(await delivery.complete(text, { signal: this.#options.ending, check }))) return
    } catch (refusal) {
      if (isNoLongerOwed(refusal)) return await this.#end(answered, refusal)
      outcome = 'undeliverable'
      error = refusal
      await this.#markUndelivered(answered, reply)
    } finally {
      this.#delivering = null
    }
    await this.settle(answered, outcome, error)
  }
}
