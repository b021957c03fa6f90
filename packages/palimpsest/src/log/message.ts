import type { Answered } from './answered.ts'
import type { ATTACHMENT_TYPES } from './attachment.ts'

/** The records of the log. A `seq` is given once and never again; order is by `seq`, never by time. */

export const ROLES = ['system', 'user', 'assistant', 'tool'] as const
export type Role = (typeof ROLES)[number]

export interface Sender {
  /** Stable over time: the platform's id. A display name is never an identity. */
  readonly id: string
  readonly name?: string
  /** The bot itself. */
  readonly isSelf?: boolean
}

export interface TextPart {
  readonly type: 'text'
  readonly text: string
  /** The reply ended here before it was whole: stopped by somebody, or by an error. */
  readonly interrupted?: Interruption
  /** The platform did not take it: no person has read it, and it is not summarised, indexed or learned; or its rest. */
  readonly undelivered?: Undelivered
  /** It repeats what was said before, and is not summarised, indexed or learned again. */
  readonly recalled?: true
  /** Whose words they are, where the sender only passes them on. Left out: the sender's own. */
  readonly origin?: Origin
}

/**
 * Where words or a file come from that the sender did not say: they are shown and found with it, and are never learned as
 * the sender's own.
 */
export interface Origin {
  /**
   * `forward`: passed on. `quote`: what of another message the sender marked. `reply`: what the message answers, where
   * that is not in the log. `link`: where words of the message lead, the address being the text.
   */
  readonly kind: 'forward' | 'quote' | 'reply' | 'link'
  /** Who said it; the id as senders of messages have it. Of a link: the words that lead there, as the name. */
  readonly from?: { readonly id?: string; readonly name?: string }
  /** When it was said: ISO 8601, in UTC once it is stored. */
  readonly at?: string
  /** The chat in which it was said, as it is called. */
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
 * What is no text: by reference (`file`, `url`, `path`, `id`, `name`) or with its bytes, in the fields that the caller's
 * library has for it. A type that is not listed is kept, too, where there is such a reference.
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
  /** The provider of the model ran it itself. Its result is a part of what the assistant said. */
  readonly providerExecuted?: boolean
}

export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName?: string
  readonly output?: unknown
  /** It came from the provider, and goes back to it as it is. */
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

/** Fields beyond those named here are kept as they came (`providerOptions`, `mediaType`, …). */
export type ContentPart =
  | TextPart
  | ReasoningPart
  | AttachmentPart
  | ToolCallPart
  | ToolResultPart
  | ToolApprovalRequestPart
  | ToolApprovalResponsePart

export type Content = string | readonly ContentPart[]

/** Everything about a message that the caller gives, checked and filled in by `normalizeMessage`. */
export interface NewMessage {
  readonly role: Role
  readonly content: Content
  readonly sender: Sender | null
  /** UTC, milliseconds. `null`: the instant of its arrival. */
  readonly at: number | null
  /** IANA zone in which the sender lived through that instant. */
  readonly zone: string | null
  /** The platform's own id. A repeat of it adds nothing. */
  readonly externalId: string | null
  /** `seq` or external id of the message that this one answers. */
  readonly replyTo: number | string | null
}

export interface Message extends Omit<NewMessage, 'at'> {
  /** Unique over all sessions of a namespace. */
  readonly id: string
  readonly seq: number
  readonly at: Date
  /** When it reached the log, which may be long after `at`. */
  readonly appendedAt: Date
  /** 1 as appended; each edit adds one. */
  readonly version: number
  /** Covered by a segment: kept, but no longer raw in the context. */
  readonly archived: boolean
  /** What it answers, where a reader asked for it and it is not the message right before. */
  readonly answered?: Answered
}
