import type { Content, Role, Sender } from '../log/index.ts'
import type { SessionIndex } from '../search/index.ts'
import type { SessionKey } from './session-key.ts'

/** A term to look up, or with `prefix` all terms that begin with it. */
export interface WantedTerm {
  readonly term: string
  readonly prefix: boolean
}

export interface SearchRequest {
  readonly terms: readonly WantedTerm[]
  /** The ids of sessions. Left out: all sessions of the namespace. */
  readonly sessions?: readonly string[]
  /** Only sessions of this user, or of this scope. */
  readonly user?: string
  readonly scope?: string
  /** `true`: sessions that hold none of the terms are in the answer too. */
  readonly withoutTerms?: boolean
  /** `limit`: how many sessions are looked at. `after`: only sessions with an id above this one. */
  readonly page: { readonly after?: string; readonly limit: number }
}

export interface SearchPage {
  readonly reads: readonly SearchRead[]
  /** The `after` of the next page. `null`: there is no next page. */
  readonly next: string | null
}

export interface Speaker {
  readonly role: Role
  readonly sender: Sender | null
}

/** The name by which a query may find the speaker. Empty: there is none. */
export function speakerName({ sender }: Speaker): string {
  return sender?.name ?? sender?.id ?? ''
}

/** All that a search needs of one session, except the texts of the messages. */
export interface SearchRead {
  readonly key: SessionKey
  readonly index: SessionIndex
  /** Placed by the numbers in `index.speakers`. */
  readonly speakers: readonly Speaker[]
  /** Of messages above this one, `index` has only the places: the search itself must look at them. */
  readonly indexedThrough: number
  /** The messages below it that were edited since. The search itself must look at them too. */
  readonly edited: readonly number[]
}

export interface IndexRequest {
  /** The limit for the number of messages. No more are read once they hold `characters` characters. */
  readonly messages: number
  readonly characters: number
}

export interface IndexedMessage {
  readonly seq: number
  readonly role: Role
  /** The id of the sender's row. Only the store knows what it means. */
  readonly senderId: number | null
  readonly at: number
  readonly content: Content
}

export interface IndexWork {
  readonly epoch: number
  readonly indexedThrough: number
  /** How far the index reaches once these messages are in it. It also passes messages that cannot be seen. */
  readonly through: number
  readonly messages: readonly IndexedMessage[]
  /** Messages that were indexed before and then edited, with everything that they ever said. */
  readonly edited: readonly (IndexedMessage & { readonly earlier: readonly Content[] })[]
}

/**
 * A part of the terms of one `IndexWork`. Several writes may be needed; only the last one makes them count.
 */
export interface IndexWrite {
  readonly work: Pick<IndexWork, 'epoch' | 'indexedThrough' | 'through'>
  /** By term: the messages that hold it now, and how often. 0: the message does not hold it any more. */
  readonly terms: ReadonlyMap<string, readonly (readonly [seq: number, count: number])[]>
  /** Given with the last write: the number of terms in every message. */
  readonly finish?: {
    readonly messages: readonly (Omit<IndexedMessage, 'content'> & { readonly length: number })[]
    /** The edits that the index includes now. */
    readonly edited: readonly number[]
  }
}
