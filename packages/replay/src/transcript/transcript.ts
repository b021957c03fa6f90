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
  /** `line 12`, `message 3`: how a person finds it in the file. */
  readonly place: string
  /** How far the transcript has been read, in bytes; where the file was parsed whole, in proportion. */
  readonly position: number
  readonly message: NewMessage
}

export interface TranscriptProblem {
  readonly place: string
  readonly problem: string
  /** Where the place is a line. */
  readonly line?: number
}

/** A conversation of a file that was read through once and found good. It can be read again and again. */
export interface Transcript {
  readonly path: string
  readonly format: TranscriptFormat
  /** The conversation's own id and title in a file that holds several or names them. */
  readonly id: string | null
  readonly title: string | null
  /** Its place among the file's conversations, those without messages counted: 1, 2, 3 … */
  readonly number: number
  /** Of a file with several conversations, its share. */
  readonly bytes: number
  /** Without those that only repeat another. */
  readonly messages: number
  /** `group` where more than one person speaks in the role of a user. */
  readonly kind: SessionKind
  /** What a session of an older system held beside its messages; `null`: this is none. */
  readonly past: Past | null
  /** What a bot kept for all of its chats: the same for each conversation of the file. */
  readonly bot: BotDocuments | null
  read(): AsyncGenerator<TranscriptMessage>
}

/** A conversation as a reader finds it in a parsed file: not checked yet. */
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
