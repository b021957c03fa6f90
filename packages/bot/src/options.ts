import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Channel, IncomingMessage } from './channel.ts'
import type { Responder } from './responder.ts'
import type { Timers } from './timers.ts'

export interface RuntimeOptions {
  readonly palimpsest: Palimpsest
  readonly channels: readonly Channel[]
  readonly responder: Responder
  readonly inbox?: InboxOptions
  readonly privates?: PrivateOptions
  readonly groups?: GroupOptions
  readonly turns?: TurnRules
  readonly commands?: CommandOptions
  /**
   * Who the sender of a message is, and to which scope its chat belongs. A person must have the same id in
   * every chat, also as a sender in groups. By default the user is the channel's name with the platform's id,
   * `telegram:7`, and there is no scope.
   */
  readonly belongsTo?: (message: IncomingMessage & { readonly channel: string }) => {
    readonly user?: string
    readonly scope?: string
  }
  /**
   * Awaited before each message is stored. Here the bot can apply settings that another process has changed.
   */
  readonly refresh?: () => Promise<void>
  /** For tests. */
  readonly timers?: Timers
  /** Told how each answer ended. */
  readonly onReply?: (report: ReplyReport) => void
  /** Told about errors after which the chats went on. */
  readonly onError?: (error: unknown, details: { readonly sessionId: string }) => void
  /**
   * Told that a channel cannot go on, for example because of a wrong token. Left out: the error is thrown and
   * ends the process.
   */
  readonly onFatal?: (error: unknown, details: { readonly channel: string }) => void
}

/** When incoming messages are answered. */
export interface InboxOptions {
  /** How long no further message must come, in milliseconds. The default: 1,500. */
  readonly quietMs?: number
  /** The longest wait after the first message, in milliseconds. The default: 10,000. */
  readonly mostMs?: number
  /** Which messages of a group are answered together: those of one person (the default), or those of all. */
  readonly groupsBy?: 'sender' | 'chat'
}

/** Commands to the bot, in private chats, and in groups where they address the bot. */
export interface CommandOptions {
  /**
   * A message that is only one of these words begins the chat anew. An empty list: there is no such command.
   * The default: `/new`.
   */
  readonly newBeginning?: readonly string[]
}

/** Ids of people, as `belongsTo` gives them: `telegram:7`. */
export type People = 'all' | readonly string[]

/** Like the options for groups, but every message addresses the bot. */
export interface PrivateOptions {
  readonly seen?: People
  readonly triggeredBy?: People
}

export interface GroupOptions {
  /**
   * What the model may see of a group: everything (the default), the messages of these people, or only
   * messages that address the bot. A message that the model may not see is not stored. An answered message is
   * always seen.
   */
  readonly seen?: People | 'addressed'
  /** Who may make the bot answer. The default: everyone. */
  readonly triggeredBy?: People
  /**
   * What makes the bot answer: a mention, a reply to it, or one of these names. `mention` and `reply` are on
   * by default.
   */
  readonly mention?: boolean
  readonly reply?: boolean
  readonly names?: readonly string[]
  /** Decides whether the bot speaks up unasked. Left out: never. */
  readonly proactive?: (
    message: IncomingMessage & { readonly sessionId: string },
  ) => boolean | Promise<boolean>
  /** How often the bot may speak up in an hour, in each chat, over restarts. The default: 4. */
  readonly proactivePerHour?: number
}

export interface TurnRules {
  /**
   * What happens to a message that arrives while an answer is being made.
   * - `queue` (the default): it is answered afterwards.
   * - `join`: while no part of the answer was shown, the answer begins anew with it; after that it queues.
   * - `interrupt`: the answer ends where it is, and the next one begins.
   */
  readonly during?: 'queue' | 'join' | 'interrupt'
  /** How long one attempt may take, in milliseconds. The default: 120,000. */
  readonly timeoutMs?: number
  /** How often an answer is attempted before it is given up. The default: 4. */
  readonly attempts?: number
  /**
   * The pause before the second attempt, in milliseconds. It doubles before each further one. The default:
   * 2,000.
   */
  readonly backoffMs?: number
  /**
   * What the person is told when no attempt succeeded. `null`: nothing. The default: a sentence that says so.
   */
  readonly failureText?: string | null
  /** How many answers are made at a time, in all chats together. The default: no limit. */
  readonly concurrency?: number
  /** How often in an hour, in each chat, the bot answers other bots. The default: 0, never. */
  readonly botsPerHour?: number
}

export interface ReplyReport {
  readonly sessionId: string
  /** The messages that the answer belongs to. */
  readonly seqs: readonly number[]
  /**
   * - `interrupted`: a newer message or a person ended the answer.
   * - `failed`: no attempt succeeded.
   * - `silent`: the answer was empty and nothing was sent. `error` says so, unless nothing had been asked.
   * - `elsewhere`: another process answered.
   * - `undeliverable`: the platform will never take it, and the log says that no person has read it.
   * - `erased`: what it answers, or may quote, was erased or taken back, so nothing more of it was stored or
   *   sent.
   */
  readonly outcome:
    | 'delivered'
    | 'interrupted'
    | 'failed'
    | 'silent'
    | 'elsewhere'
    | 'undeliverable'
    | 'erased'
  readonly attempts: number
  readonly error?: unknown
}
