import type { Content, Role, Sender } from '../log/index.ts'

/** What a summariser needs to know of a message. */
export interface SourceMessage {
  readonly seq: number
  readonly role: Role
  readonly sender: Sender | null
  readonly content: Content
  readonly at: Date
  readonly zone: string | null
}

export interface SummarizeRequest {
  /** The frozen range, oldest first. */
  readonly messages: readonly SourceMessage[]
  /** The summary of what came before, so that knowledge accumulates and nothing is said twice. */
  readonly earlier: string | null
  /** For the text, as `estimateTokens` counts. */
  readonly budgetTokens: number
  /** For the details, rendered as one line of a list each. Left out: all of them, ranked. */
  readonly detailTokens?: number
  /** IANA zone in which a message's day is read where the message names none. */
  readonly zone: string
  readonly signal?: AbortSignal
}

export interface DatedEvent {
  /** `YYYY-MM-DD`: the first day that is meant, resolved at the message's own time and in its zone. */
  readonly on: string
  /** Who said it, and the sentence. */
  readonly text: string
  readonly seq: number
}

export interface Summary {
  readonly text: string
  readonly events: readonly DatedEvent[]
  /** Exact names, numbers, dates, links and ids that the text leaves out, verbatim, the most telling first. */
  readonly details: readonly string[]
}

export interface Summarizer {
  /** Stored with each segment, as is `version`, so that it is known what wrote it. */
  readonly name: string
  readonly version: string
  /** Rejects with the signal's reason when aborted. */
  summarize(request: SummarizeRequest): Promise<Summary>
}
