import type { MessageInput, NewMessage, SessionKind } from 'palimpsest/internals/log/index'
import type { Past } from './older/past.ts'
import type { BotDocuments } from './older/read-beside.ts'

export type TranscriptFormat =
  | 'palimpsest'
  | 'palimpsest-session'
  | 'chatgpt'
  | 'telegram'
  | 'openai'
  | 'ai-sdk'
  | 'older'

export interface TranscriptMessage {
  /** `line 12` or `message 3`: how a person finds the message in the file. */
  readonly place: string
  /**
   * How far the transcript has been read, in bytes; an estimate by proportion where the file was parsed as a
   * whole.
   */
  readonly position: number
  readonly message: NewMessage
}

export interface TranscriptProblem {
  readonly place: string
  readonly problem: string
  /** Set if the place is a line. */
  readonly line?: number
}

/**
 * A conversation of a file that was read through once and has no problems. It can be read again and again.
 */
export interface Transcript {
  readonly path: string
  readonly format: TranscriptFormat
  /** The conversation's own id and title, if the file gives them. */
  readonly id: string | null
  readonly title: string | null
  /** The conversation's place in the file: 1, 2, 3 … Conversations without messages count. */
  readonly number: number
  /** If the file has several conversations, the share of this one. */
  readonly bytes: number
  /** The number of messages, without those that only repeat another. */
  readonly messages: number
  /** `group` if more than one person speaks as a user. */
  readonly kind: SessionKind
  /**
   * What a session of an older system held beside its messages; `null`: the transcript is no such session.
   */
  readonly past: Past | null
  /** What a bot kept for all of its chats. It is the same for each conversation of the file. */
  readonly bot: BotDocuments | null
  read(): AsyncGenerator<TranscriptMessage>
}

/** A conversation that a reader found in a parsed file. It is not checked yet. */
export interface FoundConversation {
  readonly id: string | null
  readonly title: string | null
  readonly messages: readonly FoundMessage[]
  readonly past?: Past
}

export type FoundMessage = { readonly place: string } & (
  | { readonly input: MessageInput }
  | { readonly problem: string }
)
