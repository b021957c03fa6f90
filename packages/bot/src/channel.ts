import type { AttachmentPart, Content } from 'palimpsest/internals/log/index'

/** Where a chat platform and the runtime meet. A channel knows its platform, and nothing of memory or of models. */
export interface Channel {
  /** The first part of the ids of its sessions, as in `telegram:42`. */
  readonly name: string
  /** How many UTF-16 units one message of the platform can hold. Left out: no limit. */
  readonly mostCharacters?: number
  /** Whether a sent message can be changed. If so, a reply is shown while it grows. */
  readonly edits?: boolean
  /** The shortest time between two edits of a message, in milliseconds. The default: 1,000. */
  readonly editEveryMs?: number

  /**
   * Tells channels of the same name apart: a message that came through this one is answered through this one
   * only.
   */
  readonly via?: string
  /** The platform shows only the first message that it is sent under a key. */
  readonly knowsKeys?: boolean
  /**
   * Whether a place belongs to this channel, where several channels of a name share a database. Left out:
   * every place does.
   */
  serves?(place: Place): boolean

  /**
   * Its groups may get other ids, as when a Telegram group becomes a supergroup. The channel then calls
   * `host.moved`.
   */
  readonly moves?: boolean

  /**
   * Begins to receive. When `host.receive` resolves, the message is durable: confirm it to the platform only
   * then.
   */
  start(host: ChannelHost): Promise<void>
  /** Stops receiving. Messages that are on their way out may still be sent. */
  stop(): Promise<void>

  /** Throws a `DeliveryError` where the platform refuses the message. */
  send(message: OutgoingMessage): Promise<SentMessageId>
  edit?(message: OutgoingMessage & { readonly id: string }): Promise<void>
  /** Shows that an answer is being written. The platform ends it by itself after some seconds. */
  typing?(place: Place): Promise<void>
  /**
   * The bytes of an attachment that came through this channel, for a model that can read them. They are never
   * stored. `null`: the channel does not fetch this kind, or the file is too large or gone.
   */
  fetch?(attachment: AttachmentPart, signal: AbortSignal): Promise<FetchedFile | null>
}

export interface FetchedFile {
  readonly data: Uint8Array
  readonly mediaType: string
}

export interface SentMessageId {
  /** The platform's own id. */
  readonly id: string
}

/** What a channel gives to the runtime. */
export interface ChannelHost {
  receive(message: IncomingMessage): Promise<Received>
  /** The platform reports that the text of a message has changed. */
  edited(message: IncomingMessage): Promise<void>
  /** A chat has another id from now on. It goes on as the same session. */
  moved(from: string, to: string): Promise<void>
  /** Reports an error after which the channel goes on. */
  onError(error: unknown): void
  /** The channel cannot go on, for example because of a wrong token. */
  onFatal(error: unknown): void
}

export interface Received {
  readonly sessionId: string
  /** `null`: the rules hide the message from the model, so it was not stored. */
  readonly seq: number | null
  /** The message had been received before. */
  readonly duplicate: boolean
  /** The earlier copy had another text, which stays. Only `edited` changes it. */
  readonly differs?: true
  /** Why the message will be answered, alone or with others. `null`: it will not. */
  readonly triggers: Trigger | null
}

/** Why the bot answers a message. */
export type Trigger = 'private' | 'mention' | 'reply' | 'name' | 'proactive'

/** A chat. `thread` is set where the chat has threads. */
export interface Place {
  readonly chat: string
  readonly thread?: string
}

export interface IncomingMessage extends Place {
  readonly kind: 'private' | 'group'
  /** The platform's own id, unique within the chat. */
  readonly id: string
  readonly sender: IncomingSender
  /**
   * Media are references, never bytes. A part that the sender did not write has an `origin`, whose `from.id`
   * is the platform's own id, as in `sender`.
   */
  readonly content: Content
  /** A date that the log cannot hold is replaced by the time of arrival. */
  readonly at: Date
  /** The platform's id of the message that this one answers. */
  readonly replyTo?: string
  /** That message as the platform tells it. It is stored with this one where the log does not have it. */
  readonly repliedTo?: RepliedMessage
  /** The message mentions the bot in the way in which the platform mentions people. */
  readonly mentionsBot?: boolean
  /** The message answers a message of the bot. */
  readonly repliesToBot?: boolean
  /** A command for another bot. In a group it does not call this bot, whatever else it says. */
  readonly isForOther?: boolean
}

export interface RepliedMessage {
  readonly sender: IncomingSender
  readonly content: Content
  readonly at?: Date
  /** The bot wrote it. */
  readonly isOwn?: boolean
}

export interface IncomingSender {
  /** Stable: the platform's id, never a display name. */
  readonly id: string
  readonly name?: string
  /** A program. Its messages are answered only as `turns.botsPerHour` allows. */
  readonly isBot?: boolean
  /** The sender speaks for a chat and is no person: an anonymous administrator or a channel. */
  readonly isChat?: boolean
}

export interface OutgoingMessage extends Place {
  /** Markdown, as a model writes it. The channel translates it as far as its platform can. */
  readonly text: string
  /** The text quotes what people wrote: no part of it is Markdown. */
  readonly isPlain?: boolean
  /** The platform's id of the message that this one answers. `null`: it answers no single message. */
  readonly replyTo: string | null
  /**
   * Every attempt to send the same message has the same key. A platform that knows keys shows only the first
   * message under a key.
   */
  readonly key: string
  /** An edit will add more. */
  readonly isPartial: boolean
}

/** The platform did not take a message. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  /** How long the platform asks to wait before the next attempt. */
  readonly retryAfterMs: number | null
  /**
   * No attempt will succeed: the bot was blocked, the chat is gone, or the message cannot be changed any
   * more.
   */
  readonly isFinal: boolean
  /** The new id of the chat. */
  readonly movedTo: string | null

  constructor(
    message: string,
    options: { retryAfterMs?: number; isFinal?: boolean; movedTo?: string; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.retryAfterMs = options.retryAfterMs ?? null
    this.isFinal = options.isFinal ?? false
    this.movedTo = options.movedTo ?? null
  }
}
