import type { Role } from '../packages/palimpsest/src/log/index.ts'

/** A transcript with questions about it, whose answers and evidence somebody has written down. */
export interface Conversation {
  /** The transcript's file name without its ending. */
  readonly name: string
  readonly messages: readonly ConversationMessage[]
  /** Adversarial questions (category 5) are left out. */
  readonly questions: readonly Question[]
}

export interface ConversationMessage {
  /** Unique within the conversation: evidence names messages by it. */
  readonly externalId: string
  readonly role: Role
  readonly sender: string
  /** ISO 8601. */
  readonly at: string
  readonly text: string
  /** The `externalId` of the message that it answers. */
  readonly replyTo?: string
}

export interface Question {
  readonly question: string
  readonly answer: string
  /** The `externalId`s of the messages that hold the answer, in no particular order; may be empty. */
  readonly evidence: readonly string[]
  /** What was said before the answer, and holds no more. */
  readonly superseded?: readonly string[] | undefined
  /** LoCoMo's: 1 multi-hop, 2 temporal, 3 open-domain, 4 single-hop; 0 for a question without one. */
  readonly category: number
}
