import { createInterface, type Interface } from 'node:readline'
import type { Readable } from 'node:stream'
import { BoundedMap } from 'palimpsest/internals/bounded-map'
import { InvalidArgumentError } from 'palimpsest/internals/errors'
import { checkOptions, optionsOf } from 'palimpsest/internals/known-options'
import type {
  Channel,
  ChannelHost,
  IncomingSender,
  OutgoingMessage,
  Place,
  Received,
  SentMessageId,
} from '../channel.ts'

export interface TerminalOptions {
  /** The default: `terminal`. */
  readonly name?: string
  /** The default: the chat `local`. */
  readonly place?: Place
  /** The default: private. */
  readonly kind?: 'private' | 'group'
  /** The person who types. The default: `local`. */
  readonly sender?: IncomingSender
  /** Each line of the input is a message. Left out: messages come only from `say`. */
  readonly input?: Readable
  /** `false`: a reply is written when it is whole. The default: it is written while it grows. */
  readonly streams?: boolean
  readonly output: { write(text: string): unknown }
  /** Called when the input has ended. */
  readonly onEnd?: () => void
  /** For tests. */
  readonly now?: () => number
}

const OPTIONS = optionsOf<TerminalOptions>({
  name: true,
  place: true,
  kind: true,
  sender: true,
  input: true,
  streams: true,
  output: true,
  onEnd: true,
  now: true,
})

/** More frequent updates are not visible on a screen. */
const SHOW_EVERY_MS = 30

/** How many of the newest messages can still be edited. */
const REMEMBERED = 20

/**
 * The chat with one person at a keyboard. Text on a screen cannot be taken back, so only the new part of a
 * growing reply is written.
 */
export class TerminalChannel implements Channel {
  readonly name: string
  /** A message from this keyboard is answered on this screen, and no other message is. */
  readonly via = 'terminal'
  readonly edits: boolean
  readonly editEveryMs = SHOW_EVERY_MS
  readonly #options: TerminalOptions
  readonly #place: Place
  #host: ChannelHost | null = null
  #lines: Interface | null = null
  /** The text that the screen shows, by the ids of messages. */
  readonly #shown = new BoundedMap<string, string>(REMEMBERED)
  /** The message whose line is not ended yet. */
  #open: string | null = null

  constructor(options: TerminalOptions) {
    checkOptions('TerminalChannel', options, OPTIONS)
    this.#options = options
    this.name = options.name ?? 'terminal'
    this.edits = options.streams ?? true
    this.#place = options.place ?? { chat: 'local' }
  }

  async start(host: ChannelHost): Promise<void> {
    this.#host = host
    const { input, onEnd } = this.#options
    if (input === undefined) return
    const lines = createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })
    this.#lines = lines
    lines.on('line', line => {
      if (line.trim() !== '') this.say(line).catch(error => host.onFatal(error))
    })
    lines.on('close', () => {
      if (this.#lines === lines) onEnd?.()
    })
  }

  async stop(): Promise<void> {
    const lines = this.#lines
    this.#host = null
    this.#lines = null
    lines?.close()
  }

  /** Takes a text as if it had been typed. When this resolves, the message is in the log. */
  async say(text: string): Promise<Received> {
    const { kind = 'private', sender = { id: 'local' }, now = Date.now } = this.#options
    if (this.#host === null)
      throw new InvalidArgumentError(
        'say',
        text,
        'nothing before the channel was started or after it stopped',
      )
    return this.#host.receive({
      ...this.#place,
      kind,
      id: crypto.randomUUID(),
      sender,
      content: text,
      at: new Date(now()),
      // In this chat only the bot can be meant.
      ...(kind === 'group' && { mentionsBot: true }),
    })
  }

  async send(message: OutgoingMessage): Promise<SentMessageId> {
    const id = crypto.randomUUID()
    this.#begin(id)
    this.#show(id, message)
    return { id }
  }

  async edit(message: OutgoingMessage & { readonly id: string }): Promise<void> {
    const { id } = message
    const text = shownText(message.text)
    const shown = this.#shown.get(id)
    if (this.#open !== id && shown === text) return
    const isExtension = this.#open === id && text.startsWith(shown ?? '')
    if (!isExtension) this.#begin(id)
    this.#show(id, message)
  }

  /** What an earlier process left in other chats is for the people in those chats. */
  serves({ chat, thread }: Place): boolean {
    return chat === this.#place.chat && thread === this.#place.thread
  }

  /** Ends the open line. A reply that was shown in full while it grew has no other end. */
  endLine(): void {
    if (this.#open !== null && this.#shown.get(this.#open)) this.#options.output.write('\n')
    this.#open = null
  }

  #begin(id: string): void {
    this.endLine()
    this.#open = id
    this.#shown.set(id, '')
  }

  #show(id: string, { text, isPartial }: OutgoingMessage): void {
    const shown = this.#shown.get(id) ?? ''
    const whole = shownText(text)
    if (whole.length > shown.length) this.#options.output.write(whole.slice(shown.length))
    this.#shown.set(id, whole)
    if (!isPartial) this.endLine()
  }
}

/**
 * Removes control characters, so that a model can neither move the cursor nor change the colours. White space
 * at both ends and half a character at the end are left out: they may come and go while a reply grows.
 */
function shownText(text: string): string {
  return text
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/[\ud800-\udbff]$/, '')
    .trim()
}
