import { type Channel, DeliveryError, type OutgoingMessage, type Place } from './channel.ts'
import { splitText } from './split-text.ts'
import type { Timers } from './timers.ts'

export interface DeliveryOptions {
  readonly channel: Channel
  readonly place: Place
  /** The platform's id of the message that is answered. */
  readonly replyTo: string | null
  /** The same after a restart. */
  readonly key: string
  /** What the platform has of it already, by the ids of its messages. */
  readonly sent: readonly string[]
  /** An earlier attempt may have sent something and died before it was noted. */
  readonly isRepeat: boolean
  readonly timers: Timers
  /** The platform has taken a further message of it. */
  readonly onSent: (sent: readonly string[]) => Promise<void>
}

const EDIT_EVERY_MS = 1_000
const TYPING_EVERY_MS = 4_000
const FIRST_RETRY_MS = 1_000
const LONGEST_RETRY_MS = 60_000

/**
 * One reply on its way to the platform. While it grows it is shown as far as the channel can change what it sent;
 * whatever fails on the way is left to the next try. Its end is sent until the platform has it.
 */
export class Delivery {
  readonly #options: DeliveryOptions
  readonly #sent: string[]
  /** What the platform shows, by its messages. */
  readonly #shown: string[] = []
  #text = ''
  /** One call of the platform at a time. */
  #calls: Promise<unknown> = Promise.resolve()
  #timer: unknown = null
  #typing: unknown = null
  #nextShow = 0

  constructor(options: DeliveryOptions) {
    this.#options = options
    this.#sent = [...options.sent]
  }

  /** Something of this answer can be seen on the platform. */
  get isShown(): boolean {
    return this.#sent.length > 0
  }

  get text(): string {
    return this.#text
  }

  /** The platform's ids of what it has. */
  get sent(): readonly string[] {
    return [...this.#sent]
  }

  /** Shows that somebody is writing, until something of it is there. */
  beginTyping(): void {
    const { channel, place, timers } = this.#options
    if (!channel.typing || this.isShown) return
    const show = async () => channel.typing!(place)
    show().catch(() => {})
    this.#typing = timers.setTimeout(() => this.beginTyping(), TYPING_EVERY_MS)
  }

  add(piece: string): void {
    this.#text += piece
    if (!this.#options.channel.edits || this.#timer !== null || this.#text.trim() === '') return
    const { timers } = this.#options
    const wait = this.#nextShow - timers.now()
    if (wait <= 0) this.#show()
    else this.#timer = timers.setTimeout(() => this.#show(), wait)
  }

  /** All of it at once; it is shown when it is complete. */
  take(text: string): void {
    this.#text = text
  }

  /** Ends what goes on by itself. */
  pause(): void {
    const { timers } = this.#options
    timers.clearTimeout(this.#timer)
    timers.clearTimeout(this.#typing)
    this.#timer = null
    this.#typing = null
  }

  /** Sends the whole, again and again until the platform has it; `false`: it will never take it, or time is over. */
  async complete(text: string, signal: AbortSignal): Promise<boolean> {
    this.pause()
    this.#text = text
    await this.#calls.catch(() => {})
    for (let wait = FIRST_RETRY_MS; ; wait = Math.min(wait * 2, LONGEST_RETRY_MS)) {
      try {
        await this.#bringUp({ isPartial: false })
        return true
      } catch (error) {
        if (isFinal(error)) throw error
        const asked = error instanceof DeliveryError ? error.retryAfterMs : null
        if (signal.aborted || !(await this.#wait(asked ?? wait, signal))) return false
      }
    }
  }

  #show(): void {
    const { channel, timers } = this.#options
    this.#timer = null
    this.#nextShow = timers.now() + (channel.editEveryMs ?? EDIT_EVERY_MS)
    timers.clearTimeout(this.#typing)
    this.#calls = this.#calls
      .then(() => this.#bringUp({ isPartial: true }))
      .catch(error => {
        // The platform wants to be left alone; the end is what counts.
        const asked = error instanceof DeliveryError ? error.retryAfterMs : null
        if (asked !== null) this.#nextShow = timers.now() + asked
      })
  }

  /** Makes the platform show what there is now. */
  async #bringUp({ isPartial }: { isPartial: boolean }): Promise<void> {
    const { channel, place, replyTo, key } = this.#options
    const pieces = this.#pieces()
    for (const [index, text] of pieces.entries()) {
      const id = this.#sent[index]
      if (this.#shown[index] === text && id !== undefined) continue
      const message = {
        ...place,
        text,
        replyTo: index === 0 ? replyTo : null,
        key: `${key}/${index}`,
        isPartial: isPartial && index === pieces.length - 1,
      }
      if (id === undefined) await this.#send(message, index)
      else if (channel.edit) await this.#change(message, { id, index })
      this.#shown[index] = text
    }
  }

  async #send(message: OutgoingMessage, index: number): Promise<void> {
    const { channel, isRepeat, onSent } = this.#options
    const { id } = await channel.send(message)
    this.#sent[index] = id
    await onSent(this.#sent)
    // A platform that knows the key shows what it was sent under it first.
    if (isRepeat) await channel.edit?.({ ...message, id })
  }

  /** Somebody may have deleted what was shown so far: then it is sent anew once it is whole. */
  async #change(message: OutgoingMessage, { id, index }: { id: string; index: number }): Promise<void> {
    try {
      await this.#options.channel.edit!({ ...message, id })
    } catch (error) {
      if (message.isPartial || !isFinal(error)) throw error
      await this.#send({ ...message, key: `${message.key}/anew` }, index)
    }
  }

  /** An earlier attempt may have needed more messages than this one: they cannot be taken back. */
  #pieces(): readonly string[] {
    const { mostCharacters = Infinity } = this.#options.channel
    const pieces = splitText(this.#text, mostCharacters)
    const left = Math.max(0, this.#sent.length - pieces.length)
    return [...pieces, ...Array.from({ length: left }, () => '…')]
  }

  /** `false`: time is over. */
  #wait(ms: number, signal: AbortSignal): Promise<boolean> {
    const { timers } = this.#options
    return new Promise(resolve => {
      const stop = () => end(false)
      const timer = timers.setTimeout(() => end(true), ms)
      const end = (isOver: boolean) => {
        timers.clearTimeout(timer)
        signal.removeEventListener('abort', stop)
        resolve(isOver)
      }
      signal.addEventListener('abort', stop, { once: true })
    })
  }
}

function isFinal(error: unknown): boolean {
  return error instanceof DeliveryError && error.isFinal
}
