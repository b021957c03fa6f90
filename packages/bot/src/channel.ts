import type { AttachmentPart, Content } from 'palimpsest/internals/log/index'

/** Where a chat platform and the runtime meet. A channel knows its platform, and nothing of memory or of models. */
export interface Channel {
  /** The first part of its sessions' ids, as in `telegram:42`. */
  readonly name: string
  /** What one message of the platform can hold, in UTF-16 units. Left out: anything. */
  readonly mostCharacters?: number
  /** A message can be changed after it was sent: then a reply is shown while it grows. */
  readonly edits?: boolean
  /** At the most one edit of a message in so many milliseconds. The default: 1,000. */
  readonly editEveryMs?: number

  /** Of several channels of one name: what came through this one is answered through it alone. */
  readonly via?: string
  /** It shows only the first of what it is sent under one key. */
  readonly knowsKeys?: boolean
  /** Whether this place is one of its own, where several channels of a name share a database. Left out: all are. */
  serves?(place: Place): boolean

  /** Its groups may get other ids, as one of Telegram's that becomes a supergroup: it says so by `host.moved`. */
  readonly moves?: boolean

  /** Begins to receive. What `host.receive` was given is durable once that resolves: confirm it to the platform then. */
  start(host: ChannelHost): Promise<void>
  /** Receives nothing any more; what is being sent may still be sent. */
  stop(): Promise<void>

  /** Throws a `DeliveryError` where the platform refuses it. */
  send(message: OutgoingMessage): Promise<SentMessageId>
  edit?(message: OutgoingMessage & { readonly id: string }): Promise<void>
  /** Shows that an answer is being written; it ends by itself after some seconds. */
  typing?(place: Place): Promise<void>
  /**
   * The bytes of an attachment that came through it, for a model that can read them. They are never stored. `null`: it
   * is of a kind that is not fetched, too large, or gone.
   */
  fetch?(attachment: AttachmentPart, signal: AbortSignal): Promise<FetchedFile | null>
}

export interface FetchedFile {
  readonly data: Uint8Array
  readonly mediaType: string
}

export interface SentMessageId {
  /** The platform's own. */
  readonly id: string
}

/** What a channel gives to the runtime. */
export interface ChannelHost {
  receive(message: IncomingMessage): Promise<Received>
  /** The platform says that a message says something else now. */
  edited(message: IncomingMessage): Promise<void>
  /** A chat has another id from now on, and goes on as the same session. */
  moved(from: string, to: string): Promise<void>
  /** Something went wrong, and the channel goes on. */
  onError(error: unknown): void
  /** The channel cannot go on: a wrong token, say. */
  onFatal(error: unknown): void
}

export interface Received {
  readonly sessionId: string
  /** `null`: it may not be seen, and was not stored. */
  readonly seq: number | null
  /** It had been received before. */
  readonly duplicate: boolean
  /** It said something else then, and that stays: `edited` changes it. */
  readonly differs?: true
  /** It will be answered, by itself or with others. */
  readonly triggers: Trigger | null
}

/** Why a message is answered. */
export type Trigger = 'private' | 'mention' | 'reply' | 'name' | 'proactive'

/** A chat, and the thread in it if it has threads. */
export interface Place {
  readonly chat: string
  readonly thread?: string
}

export interface IncomingMessage extends Place {
  readonly kind: 'private' | 'group'
  /** The platform's own, unique within the chat. */
  readonly id: string
  readonly sender: IncomingSender
  /**
   * Media as references, never as bytes. What its sender did not say has an `origin`, whose `from.id` is the platform's
   * own, as that of `sender`.
   */
  readonly content: Content
  /** One that no log can hold counts as the time of its arrival. */
  readonly at: Date
  /** The platform's id of the message that it answers. */
  readonly replyTo?: string
  /** That message, as the platform tells it: it is stored with this one where the log does not have it. */
  readonly repliedTo?: RepliedMessage
  /** It names the bot as the platform lets people name somebody. */
  readonly mentionsBot?: boolean
  /** What it answers was said by the bot. */
  readonly repliesToBot?: boolean
  /** It is a command for another bot: in a group, no call of this one, whatever else it says. */
  readonly isForOther?: boolean
}

export interface RepliedMessage {
  readonly sender: IncomingSender
  readonly content: Content
  readonly at?: Date
  /** The bot said it. */
  readonly isOwn?: boolean
}

export interface IncomingSender {
  /** Stable: the platform's id, never a display name. */
  readonly id: string
  readonly name?: string
  /** A program: it is not answered, but as `turns.botsPerHour` says. */
  readonly isBot?: boolean
  /** It speaks for a chat, as anonymous administrators and channels do, and is no person. */
  readonly isChat?: boolean
}

export interface OutgoingMessage extends Place {
  /** As a model writes it: in Markdown, for the channel to translate as far as its platform can. */
  readonly text: string
  /** None of the text is Markdown: it quotes what people wrote. */
  readonly isPlain?: boolean
  /** The platform's id of the message that it answers; `null`: none in particular. */
  readonly replyTo: string | null
  /** The same for the same message: a platform that knows such keys shows the first that it was sent under it. */
  readonly key: string
  /** More of it will follow by an edit. */
  readonly isPartial: boolean
}

/** The platform did not take a message. */
export class DeliveryError extends Error {
  override readonly name = 'DeliveryError'
  /** Try again after so long, as the platform says. */
  readonly retryAfterMs: number | null
  /** It never will: the bot was blocked, the chat is gone, the message cannot be changed any more. */
  readonly isFinal: boolean
  /** The chat has this id now. */
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
