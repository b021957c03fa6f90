import type { Content, Role, Sender } from '../log/index.ts'
import type { SessionIndex } from '../search/index.ts'
import type { SessionKey } from './session-key.ts'

/** A term to look up, or all those that begin with it. */
export interface WantedTerm {
  readonly term: string
  readonly prefix: boolean
}

export interface SearchRequest {
  readonly terms: readonly WantedTerm[]
  /** Sessions by their ids; left out: all of the namespace. */
  readonly sessions?: readonly string[]
  /** Only sessions of this user, or of this scope. */
  readonly user?: string
  readonly scope?: string
  /** Those that hold none of the terms, too. */
  readonly withoutTerms?: boolean
  /** So many sessions are looked at, those above an id. */
  readonly page: { readonly after?: string; readonly limit: number }
}

export interface SearchPage {
  readonly reads: readonly SearchRead[]
  /** The `after` of the next page; `null`: there is none. */
  readonly next: string | null
}

export interface Speaker {
  readonly role: Role
  readonly sender: Sender | null
}

/** By which a query may name them; empty: they have none. */
export function speakerName({ sender }: Speaker): string {
  return sender?.name ?? sender?.id ?? ''
}

/** Of one session all that a search needs, but for the messages' texts. */
export interface SearchRead {
  readonly key: SessionKey
  readonly index: SessionIndex
  /** By the numbers in `index.speakers`. */
  readonly speakers: readonly Speaker[]
  /** Messages above are in `index` by their places only: whoever searches has to look at them. */
  readonly indexedThrough: number
  /** Those below that were edited since, likewise. */
  readonly edited: readonly number[]
}

export interface IndexRequest {
  /** At most so many messages, and no more once they have so many characters. */
  readonly messages: number
  readonly characters: number
}

export interface IndexedMessage {
  readonly seq: number
  readonly role: Role
  /** Of the sender's row; only the store knows what it means. */
  readonly senderId: number | null
  readonly at: number
  readonly content: Content
}

export interface IndexWork {
  readonly epoch: number
  readonly indexedThrough: number
  /** How far the index will reach once these are in it: past messages that cannot be seen. */
  readonly through: number
  readonly messages: readonly IndexedMessage[]
  /** Indexed before, with all that they ever said. */
  readonly edited: readonly (IndexedMessage & { readonly earlier: readonly Content[] })[]
}

/** A part of what one `IndexWork` comes to: several writes may be needed, of which the last one counts. */
export interface IndexWrite {
  readonly work: Pick<IndexWork, 'epoch' | 'indexedThrough' | 'through'>
  /** By term: in which messages it stands now and how often; 0: not any more. */
  readonly terms: ReadonlyMap<string, readonly (readonly [seq: number, count: number])[]>
  /** Given with the last write: of every message, its number of terms. */
  readonly finish?: {
    readonly messages: readonly (Omit<IndexedMessage, 'content'> & { readonly length: number })[]
    /** Which edits are taken in. */
    readonly edited: readonly number[]
  }
}
