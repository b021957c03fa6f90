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
   * Who the sender of a message is, and to which scope its chat belongs. The same person has the same id in every
   * chat, also as the sender in groups. The defaults: the channel's name and the platform's id, `telegram:7`; none.
   */
  readonly belongsTo?: (message: IncomingMessage & { readonly channel: string }) => {
    readonly user?: string
    readonly scope?: string
  }
  /** Waited for before each message is stored: what was configured elsewhere since can be taken up here. */
  readonly refresh?: () => Promise<void>
  /** For tests. */
  readonly timers?: Timers
  /** Hears how each answer ended. */
  readonly onReply?: (report: ReplyReport) => void
  /** Hears of what went wrong while the chats went on. */
  readonly onError?: (error: unknown, details: { readonly sessionId: string }) => void
  /** Hears that a channel cannot go on: a wrong token, say. Left out: it is thrown, and ends the process. */
  readonly onFatal?: (error: unknown, details: { readonly channel: string }) => void
}

/** When what came in is answered. */
export interface InboxOptions {
  /** After so long without a further message. The default: 1,500. */
  readonly quietMs?: number
  /** At the latest so long after the first of them. The default: 10,000. */
  readonly mostMs?: number
  /** In groups, what is answered together: what one person says (the default), or what all say. */
  readonly groupsBy?: 'sender' | 'chat'
}

/** What people tell the bot to do, in private chats, and in groups where it is said to the bot. */
export interface CommandOptions {
  /** These, as a whole message, begin the chat anew; none: nothing does. The default: `/new`. */
  readonly newBeginning?: readonly string[]
}

/** By their ids, as `belongsTo` gives them: `telegram:7`. */
export type People = 'all' | readonly string[]

/** As in groups, but that everything is meant for the bot. */
export interface PrivateOptions {
  readonly seen?: People
  readonly triggeredBy?: People
}

export interface GroupOptions {
  /**
   * What the model may see of a group: everything (the default), what these people say, or only what is meant for the
   * bot. What it may not see is not stored. A message that is answered is seen.
   */
  readonly seen?: People | 'addressed'
  /** Who may make the bot answer. The default: everybody. */
  readonly triggeredBy?: People
  /** What makes it answer; each of them is on by default. Names: those that you give. */
  readonly mention?: boolean
  readonly reply?: boolean
  readonly names?: readonly string[]
  /** Whether to speak up where nobody asked. Left out: never. */
  readonly proactive?: (
    message: IncomingMessage & { readonly sessionId: string },
  ) => boolean | Promise<boolean>
  /** So often in an hour, in each chat, over restarts. The default: 4. */
  readonly proactivePerHour?: number
}

export interface TurnRules {
  /**
   * What becomes of a message that comes while an answer is being made. `queue` (the default): it is answered
   * afterwards. `join`: as long as nothing of the answer was shown, the answer begins anew with it; after that it
   * queues. `interrupt`: the answer ends where it is, and the next one begins.
   */
  readonly during?: 'queue' | 'join' | 'interrupt'
  /** How long one attempt may take. The default: 120,000. */
  readonly timeoutMs?: number
  /** How often an answer is attempted before it is given up. The default: 4. */
  readonly attempts?: number
  /** Before the second attempt; before each further one twice as long. The default: 2,000. */
  readonly backoffMs?: number
  /** What a person is told where no attempt succeeded. `null`: nothing. The default: a sentence that says so. */
  readonly failureText?: string | null
  /** How many answers are made at a time, over all chats. The default: no limit. */
  readonly concurrency?: number
  /** How often in an hour, in each chat, what another bot says to this one is answered. The default: 0, never. */
  readonly botsPerHour?: number
}

export interface ReplyReport {
  readonly sessionId: string
  /** The messages that were answered. */
  readonly seqs: readonly number[]
  /**
   * `silent`: the answer was empty, and nothing was sent; its `error` says so, unless nothing had been asked.
   * `undeliverable`: the platform will not take it, and the log says that no person has read it.
   * `interrupted`: by a newer message or by a person. `failed`: no attempt succeeded. `elsewhere`: another process did.
   * `erased`: what it answers, or may quote, was erased or taken back, so nothing more of it was stored or sent.
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
