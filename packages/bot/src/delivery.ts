import { isOverForGood } from 'palimpsest/internals/errors'
import { pause, within } from './bounded.ts'
import { type Channel, DeliveryError, type OutgoingMessage, type Place } from './channel.ts'
import { splitMarkdown } from './split-markdown.ts'
import { splitText } from './split-text.ts'
import { isNoLongerOwed } from './stored-answer.ts'
import type { Timers } from './timers.ts'

export interface DeliveryOptions {
  readonly channel: Channel
  /** Where the chat is now. A chat may get another id during the delivery. */
  readonly place: () => Place
  /** The platform's id of the answered message, in this place. `null`: the message has no id there. */
  readonly replyTo: (place: Place) => string | null
  /** The platform reports that the chat has another id now. */
  readonly onMoved: (to: string) => Promise<void>
  /** Identifies the reply. It stays the same after a restart. */
  readonly key: string
  /** The platform's ids of the messages of this reply that it has already. */
  readonly sent: readonly string[]
  /** An earlier attempt may have sent something that was not noted. */
  readonly isRepeat: boolean
  readonly timers: Timers
  /**
   * Called before any part of a growing reply is shown. It throws an error that `isOverForGood` accepts where
   * nothing more may be shown.
   */
  readonly check: () => Promise<void>
  /** Called once, when nothing more may be sent. */
  readonly onOver: (error: unknown) => void
  /** The platform has taken one more message of the reply. */
  readonly onSent: (sent: readonly string[]) => Promise<void>
  /** Told about failures of the final delivery: of the 1st, 2nd, 4th, 8th and so on. */
  readonly onError: (error: unknown) => void
}

const EDIT_EVERY_MS = 1_000
const TYPING_EVERY_MS = 4_000
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 60_000
/** How long a call may take until the platform counts as not answering. */
const CALL_MS = 60_000
/**
 * How often a reply follows a chat to a new id. A platform might send the bot from chat to chat without an
 * end.
 */
const MAX_MOVES = 5
/** Replaces a message of an earlier attempt that this attempt does not need. */
const NOTHING = '…'

interface Shown {
  readonly text: string
  readonly isPartial: boolean
}

/**
 * One reply on its way to the platform. While it grows, it is shown as far as the channel can edit messages;
 * a failure on the way is left to the next update. The complete reply is sent until the platform has it.
 */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #sent: string[]
  /** What each message of the reply shows on the platform. */
  readonly #shown: Shown[] = []
  /** The keys under which messages were sent, whether or not the platform confirmed them. */
  readonly #tried = new Set<string>()
  #text = ''
  #isPlain = false
  /** The number of messages whose ids are in the store. */
  #noted: number
  /** Chains the calls of the platform, one at a time. It never rejects. */
  #calls: Promise<void> = Promise.resolve()
  /** The reason why nothing more is sent. */
  #over: unknown = null
  #timer: unknown = null
  #typing: unknown = null
  #nextShow = 0

  constructor(options: DeliveryOptions) {
    this.#options = options
    this.#sent = [...options.sent]
    this.#noted = this.#sent.length
  }

  /** Some part of this answer is visible on the platform. */
  get isShown(): boolean {
    return this.#sent.length > 0
  }

  /** Marks the reply as plain text without Markdown. Called before any text is added. */
  markPlain(): void {
    this.#isPlain = true
  }

  get text(): string {
    return this.#text
  }

  /** The platform's ids of the messages that it has. */
  get sent(): readonly string[] {
    return [...this.#sent]
  }

  /** Shows that the bot is writing, until a part of the reply is visible. */
  beginTyping(): void {
    const { channel, place, timers } = this.#options
    if (!channel.typing || this.isShown) return
    const show = async () => channel.typing!(place())
    show().catch(() => {})
    this.#typing = timers.setTimeout(() => this.beginTyping(), TYPING_EVERY_MS)
  }

  add(piece: string): void {
    this.#text += piece
    if (this.#over !== null) return
    if (!this.#options.channel.edits || this.#timer !== null || this.#text.trim() === '') return
    const { timers } = this.#options
    const wait = this.#nextShow - timers.now()
    if (wait <= 0) this.#show()
    else this.#timer = timers.setTimeout(() => this.#show(), wait)
  }

  /** Stops the timers and waits for the call under way. After that `sent` is complete. */
  async rest(): Promise<void> {
    const { timers } = this.#options
    timers.clearTimeout(this.#timer)
    timers.clearTimeout(this.#typing)
    this.#timer = null
    this.#typing = null
    await this.#calls
  }

  /**
   * Sends the whole reply, again and again until the platform has it. `false`: the signal came first. Throws
   * where the platform will never take it. `check` is called before each message; its error ends the
   * delivery.
   */
  async complete(
    text: string,
    { signal, check }: { readonly signal: AbortSignal; readonly check: () => Promise<void> },
  ): Promise<boolean> {
    const { timers, onError } = this.#options
    await this.rest()
    this.#text = text
    for (let failures = 1; ; failures++) {
      try {
        await this.#bringUp({ isPartial: false, check })
        return true
      } catch (error) {
        if (isNoLongerOwed(error)) throw error
        if (await this.#hasMoved(error, failures)) continue
        if (isFinal(error)) throw error
        const asked = askedFor(error)
        // A platform that asks for patience is no failure to report.
        if (asked === null && Number.isInteger(Math.log2(failures))) onError(error)
        const usual = Math.min(FIRST_RETRY_MS * 2 ** (failures - 1), MAX_RETRY_MS)
        if (!(await pause(asked ?? usual, signal, timers))) return false
      }
    }
  }

  #show(): void {
    const { channel, timers } = this.#options
    this.#timer = null
    this.#nextShow = timers.now() + (channel.editEveryMs ?? EDIT_EVERY_MS)
    timers.clearTimeout(this.#typing)
    this.#calls = this.#calls
      .then(() => this.#bringUp({ isPartial: true, check: this.#options.check }))
      .catch(async error => {
        if (isOverForGood(error)) this.#end(error)
        await this.#hasMoved(error, 1).catch(this.#options.onError)
        // The platform asks for a pause. Only the complete reply has to arrive.
        const asked = askedFor(error)
        if (asked !== null) this.#nextShow = timers.now() + asked
      })
  }

  /** The messages that were sent stay in the old chat. In the new chat the reply begins anew. */
  async #hasMoved(error: unknown, failures: number): Promise<boolean> {
    const to = movedTo(error)
    if (to === null || failures > MAX_MOVES) return false
    await this.#options.onMoved(to)
    this.#sent.length = 0
    this.#shown.length = 0
    this.#noted = -1
    return true
  }

  #end(error: unknown): void {
    if (this.#over !== null) return
    this.#over = error
    this.#options.onOver(error)
  }

  /** Sends and edits messages until the platform shows the current text. */
  async #bringUp({ isPartial, check }: { isPartial: boolean; check: () => Promise<void> }): Promise<void> {
    const { channel, key } = this.#options
    const place = this.#options.place()
    const replyTo = this.#options.replyTo(place)
    const split = this.#isPlain ? splitText : splitMarkdown
    const pieces = split(this.#text, channel.mostCharacters ?? Infinity)
    const plain = this.#isPlain && { isPlain: true }
    for (const [index, text] of pieces.entries()) {
      await check()
      const isLast = index === pieces.length - 1
      const isFirst = index === 0
      const message = { ...place, text, ...plain, replyTo: isFirst ? replyTo : null, key: `${key}/${index}` }
      await this.#bring(index, { ...message, isPartial: isPartial && isLast })
      // After the last message the reply is settled at once, and that notes its delivery as well.
      if (isPartial || !isLast) await this.#noteSent()
    }
    // An earlier attempt may have needed more messages than this one. Messages that were sent cannot be taken
    // back.
    for (const index of this.#sent.keys())
      if (index >= pieces.length)
        await this.#bring(index, { ...place, text: NOTHING, replyTo: null, key, isPartial: false })
  }

  async #bring(index: number, message: OutgoingMessage): Promise<void> {
    const { text, isPartial } = message
    const shown = this.#shown[index]
    if (shown?.text === text && shown.isPartial === isPartial) return
    const id = this.#sent[index]
    if (id === undefined) await this.#send(index, message)
    else await this.#change(index, { ...message, id })
    this.#shown[index] = { text, isPartial }
  }

  async #send(index: number, message: OutgoingMessage): Promise<void> {
    const { channel, onError } = this.#options
    const mayBeKnown = this.#options.isRepeat || this.#tried.has(message.key)
    this.#tried.add(message.key)
    const id: unknown = (await this.#call(() => channel.send(message)))?.id
    if (typeof id !== 'string') onError(new Error('The channel sent a message and did not say its id.'))
    this.#sent[index] = String(id)
    // Such a platform still shows what it was first sent under this key, so the text is edited.
    if (mayBeKnown && channel.knowsKeys)
      await this.#call(() => channel.edit?.({ ...message, id: String(id) }))
  }

  async #noteSent(): Promise<void> {
    if (this.#noted === this.#sent.length) return
    await this.#options.onSent(this.#sent)
    this.#noted = this.#sent.length
  }

  /** A person may have deleted the message. Then it is sent anew when the reply is complete. */
  async #change(index: number, message: OutgoingMessage & { readonly id: string }): Promise<void> {
    const { channel } = this.#options
    try {
      await this.#call(() => channel.edit?.(message))
    } catch (error) {
      if (!isFinal(error) || message.isPartial || movedTo(error) !== null) throw error
      const { id: _, ...again } = message
      if (message.text !== NOTHING) await this.#send(index, { ...again, key: `${message.key}/anew` })
    }
  }

  async #call<Result>(act: () => Promise<Result> | undefined): Promise<Result | undefined> {
    const acting = async () => ({ result: await act() })
    const done = await within(CALL_MS, acting(), this.#options.timers)
    if (done === null)
      throw new DeliveryError(`The platform did not answer within ${CALL_MS / 1_000} seconds.`)
    return done.result
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof DeliveryError && error.isFinal
}

function movedTo(error: unknown): string | null {
  return error instanceof DeliveryError ? error.movedTo : null
}

function askedFor(error: unknown): number | null {
  return error instanceof DeliveryError ? error.retryAfterMs : null
}
