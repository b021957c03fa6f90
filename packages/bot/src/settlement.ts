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
  /** The program ends: what is not settled by then is left to the next process. */
  readonly ending: AbortSignal
  onReply(report: ReplyReport): void
  onError(error: unknown): void
  /** They wait for an answer once more. */
  onAskedAgain(entries: readonly WaitingEntry[]): void
}

const FIRST_RETRY_MS = 100
const MAX_RETRY_MS = 10_000

/** An answer that has ended, with the session as it was when it began. */
export interface Answered {
  readonly session: Session
  readonly burst: Burst
  readonly delivery: Delivery
  /** Throws where something that it has seen was erased since. */
  readonly check: () => Promise<void>
}

interface Last {
  readonly text: string
  readonly outcome: ReplyReport['outcome']
  readonly error?: unknown
  /** Asked before each message. */
  readonly check: () => Promise<void>
  /** Its messages in the log, which say so where no person comes to read them. */
  readonly reply?: readonly number[]
}

/** The end of a burst: the last that the platform is sent of its answer, and then it waits no longer. */
export class Settlement {
  readonly #options: SettlementOptions
  #delivering: Burst | null = null

  constructor(options: SettlementOptions) {
    this.#options = options
  }

  /** What is being delivered. */
  get delivering(): Burst | null {
    return this.#delivering
  }

  /**
   * The answer is in the log, and it is noted there that it is owed to the platform.
   * @param heard Its text, where all of it was heard; `null`: as the log has it.
   */
  async deliver(answered: Answered, reply: readonly number[], heard: string | null): Promise<void> {
    const { session, burst, delivery } = answered
    const check = () => checkStored(session, { question: burst.seqs[0]!, reply })
    const text = await this.#textOf(answered, { reply, heard, check })
    if (text === null) return
    const said = text.trim()
    // Of an earlier attempt something may be there already.
    const isSilent = said === ''
    // Where nothing was asked, silence is an answer.
    const error = isSilent && burst.trigger !== 'proactive' ? new EmptyReplyError() : undefined
    if (isSilent && !delivery.isShown) return this.settle(answered, 'silent', error)
    const outcome = isSilent ? 'silent' : 'delivered'
    await this.#send(answered, { text: said || '…', outcome, check, reply, error })
  }

  /** What was said stands, and there will be no more of it. */
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
    // What is our own quotes nothing.
    const check = said === '' ? () => answered.session.boundAlone().checkBound() : answered.check
    await this.#send(answered, { text, outcome: 'failed', error, check })
  }

  /** What a person told the bot to do is done; that it says so is no part of the conversation. */
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
      // Whatever of it was erased: it waits no longer.
      await this.insist(() => session.boundAlone().settleWaiting(burst.seqs))
    } catch (refusal) {
      // It is gone: there is nothing left that waits.
      if (!isOverForGood(refusal)) throw refusal
    }
    this.tell(burst, outcome, error)
  }

  tell({ seqs, attempts }: Burst, outcome: ReplyReport['outcome'], error?: unknown): void {
    const isOdd = error !== undefined && error !== null
    const { sessionId, onReply } = this.#options
    onReply({ sessionId, seqs, outcome, attempts, ...(isOdd && { error }) })
  }

  /** What the messages of an answer say, as it is delivered. `null`: it is not to be, and that is told. */
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

  /** It is sent no further. */
  async #end(answered: Answered, refusal: unknown): Promise<void> {
    if (refusal instanceof NotWaitingError) return this.tell(answered.burst, 'elsewhere', refusal)
    const left = await this.#asksAgain(answered)
    if (left.length > 0) {
      this.tell(answered.burst, 'erased', refusal)
      return this.#options.onAskedAgain(left)
    }
    await this.settle(answered, 'erased', refusal)
  }

  /** A rollback hid the answer and not its question: that waits for another one. */
  async #asksAgain({ session, burst }: Answered): Promise<readonly WaitingEntry[]> {
    try {
      const entries = await this.insist(() => session.boundAlone().waiting())
      return entries.filter(({ seq, reply }) => burst.seqs.includes(seq) && reply === null)
    } catch (refusal) {
      if (!isNoLongerOwed(refusal)) throw refusal
      return []
    }
  }

  /** What is done need not be done again because the store was away: it is waited for, until the program ends. */
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

  /** What no person has read is not told to the model as said. */
  async #markUndelivered({ session, delivery }: Answered, reply: readonly number[]): Promise<void> {
    const own = session.boundAlone()
    try {
      for (const { seq, role, content } of await this.insist(() => readMessages(own, reply)))
        if (role === 'assistant' && contentText(content).trim() !== '')
          await this.insist(() => own.edit(seq, markedUndelivered(content, delivery.isShown)))
    } catch (refusal) {
      // It is gone, or taken back: then it is told to no model.
      if (!isNoLongerOwed(refusal) && !(refusal instanceof MessageNotFoundError)) throw refusal
    }
  }

  /** Until the platform has it, or the program ends. */
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
