import type { Answered } from './answered.ts'
import type { ATTACHMENT_TYPES } from './attachment.ts'

/** The records of the log. A `seq` is never given twice. The order is by `seq`, never by time. */

export const ROLES = ['system', 'user', 'assistant', 'tool'] as const
export type Role = (typeof ROLES)[number]

export interface Sender {
  /** The platform's id, stable over time. A display name is never an identity. */
  readonly id: string
  readonly name?: string
  /** The sender is the bot itself. */
  readonly isSelf?: boolean
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  /** The reply ended here before it was whole: a person stopped it, or an error did. */
  readonly interrupted?: Interruption
  /**
   * The platform refused this text, or the rest of it. No person has read that, so it is not summarised,
   * indexed or learned.
   */
  readonly undelivered?: Undelivered
  /** The text repeats what was said before. It is not summarised, indexed or learned again. */
  readonly recalled?: true
  /** Whose words they are, if the sender only passes them on. Left out: they are the sender's own. */
  readonly origin?: Origin
}

/**
 * Where words or a file come from that the sender did not say. They are shown and found with this origin, and
 * are never learned as the sender's own.
 */
export interface Origin {
  /**
   * `forward`: passed on. `quote`: the part of another message that the sender marked. `reply`: what the
   * message answers, if that is not in the log. `link`: the target of some words in the message; the address
   * is the text.
   */
  readonly kind: 'forward' | 'quote' | 'reply' | 'link'
  /** Who said it. The id has the form of sender ids. For a link, the name is the text of the link. */
  readonly from?: { readonly id?: string; readonly name?: string }
  /** When it was said: ISO 8601, in UTC once it is stored. */
  readonly at?: string
  /** The name of the chat in which it was said. */
  readonly chat?: string
  readonly url?: string
}

export type Interruption = 'aborted' | 'failed'
export type Undelivered = 'all' | 'rest'

export interface ReasoningPart {
  readonly type: 'reasoning'
  readonly text: string
}

/**
 * A part that is no text: by reference (`file`, `url`, `path`, `id`, `name`), or with its bytes in the fields
 * of the caller's library. A type that is not listed is kept too, if it has such a reference.
 */
export interface AttachmentPart {
  readonly type: (typeof ATTACHMENT_TYPES)[number]
  readonly origin?: Origin
  readonly [field: string]: unknown
}

export interface ToolCallPart {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly toolName: string
  readonly input?: unknown
  /** The model's provider ran the call itself. Its result is a part of what the assistant said. */
  readonly providerExecuted?: boolean
}

export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName?: string
  readonly output?: unknown
  /** The result came from the provider, and goes back to it unchanged. */
  readonly providerExecuted?: boolean
}

export interface ToolApprovalRequestPart {
  readonly type: 'tool-approval-request'
  readonly approvalId: string
  readonly toolCallId?: string
}

export interface ToolApprovalResponsePart {
  readonly type: 'tool-approval-response'
  readonly approvalId: string
  readonly approved: boolean
}

/** Other fields are kept as they came (`providerOptions`, `mediaType`, …). */
export type ContentPart =
  | TextPart
  | ReasoningPart
  | AttachmentPart
  | ToolCallPart
  | ToolResultPart
  | ToolApprovalRequestPart
  | ToolApprovalResponsePart

export type Content = string | readonly ContentPart[]

/** All that the caller gives for a message, checked and completed by `normalizeMessage`. */
export interface NewMessage {
  readonly role: Role
  readonly content: Content
  readonly sender: Sender | null
  /** UTC, in milliseconds. `null`: the instant of its arrival. */
  readonly at: number | null
  /** The IANA zone in which the sender was at that instant. */
  readonly zone: string | null
  /** The platform's own id. If it comes again, nothing is added. */
  readonly externalId: string | null
  /** The `seq` or external id of the message that this one answers. */
  readonly replyTo: number | string | null
}

export interface Message extends Omit<NewMessage, 'at'> {
  /** Unique over all sessions of a namespace. */
  readonly id: string
  readonly seq: number
  readonly at: Date
  /** When the message reached the log. This may be long after `at`. */
  readonly appendedAt: Date
  /** 1 when it is appended; each edit adds 1. */
  readonly version: number
  /** A segment covers it. It is kept, but it is no longer raw in the context. */
  readonly archived: boolean
  /** What it answers. Set if the reader asked for it and the answered message is not the one right before. */
  readonly answered?: Answered
}
