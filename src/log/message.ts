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
  readonly [field: string]: unknown
}

export interface ToolCallPart {
  readonly type: 'tool-call'
  readonly toolCallId: string
  readonly toolName: string
  readonly input?: unknown
}

export interface ToolResultPart {
  readonly type: 'tool-result'
  readonly toolCallId: string
  readonly toolName?: string
  readonly output?: unknown
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
}
