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
  /** Who types. The default: `local`. */
  readonly sender?: IncomingSender
  /** Each line of it is a message. Left out: only what `say` is given. */
  readonly input?: Readable
  /** `false`: a reply is written once it is whole. The default: as it grows. */
  readonly streams?: boolean
  readonly output: { write(text: string): unknown }
  /** The input has ended. */
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

/** As often as a screen is worth redrawing. */
const SHOW_EVERY_MS = 30

/** So many of the newest messages may still be changed. */
const REMEMBERED = 20

/** One person at a keyboard. What was written on a screen stays: only what is new of a growing reply is added. */
export class TerminalChannel implements Channel {
  readonly name: string
  /** What came from a keyboard is answered on the screen beside it, and nothing else is. */
  readonly via = 'terminal'
  readonly edits: boolean
  readonly editEveryMs = SHOW_EVERY_MS
  readonly #options: TerminalOptions
  readonly #place: Place
  #host: ChannelHost | null = null
  #lines: Interface | null = null
  /** What the screen shows, by the ids of messages. */
  readonly #shown = new BoundedMap<string, string>(REMEMBERED)
  /** The message whose line is not ended. */
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

  /** As though it had been typed. It is in the log once this resolves. */
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
      // Nobody else can be meant.
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

  /** What an earlier process left of other chats is for those who sit at them. */
  serves({ chat, thread }: Place): boolean {
    return chat === this.#place.chat && thread === this.#place.thread
  }

  /** What comes next begins a line of its own. A reply that was shown whole while it grew is not ended otherwise. */
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
 * Whatever a model says, it can neither move the cursor nor change the colours. The ends are left out: they may come
 * and go while a reply grows.
 */
function shownText(text: string): string {
  return text
    .replace(/[^\P{Cc}\n\t]/gu, '')
    .replace(/[\ud800-\udbff]$/, '')
    .trim()
}
