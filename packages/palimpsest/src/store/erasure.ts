import type { Person, Segment } from '../log/index.ts'
import type { DocumentWrite } from './document.ts'
import type { SessionKey } from './session-key.ts'

/** What is to be forgotten. */
export type ErasureTarget =
  /** Messages of a session, and the same messages in every session that they were forked to or from. */
  | { readonly kind: 'messages'; readonly sessionId: string; readonly seqs: readonly number[] }
  /** A session with everything of its own. Of its forks: the messages that they took from it. */
  | { readonly kind: 'session'; readonly sessionId: string }
  /** Everything that a person said, with their private chats and their memory. */
  | { readonly kind: 'person'; readonly id: string }
  /** A whole tenant. */
  | { readonly kind: 'namespace' }

/** The places where something was kept. */
export const ERASURE_PLACES = [
  'messages',
  'versions',
  'sessions',
  'forks',
  'segments',
  'memos',
  'pins',
  'index',
  'documents',
  'documentVersions',
  'facts',
  'senders',
  'outcomes',
  'events',
  'settings',
  'files',
  'backups',
  'database',
] as const
export type ErasurePlace = (typeof ERASURE_PLACES)[number]

/**
 * The stages, in their order. `erasing`: messages, and what was made of them, are removed slice by slice.
 * `rebuilding`: none of it can be seen any more, and segments are made anew from what is left. `files`: the
 * files of the workspace follow. `scrubbing`: bytes that the database has let go are overwritten.
 */
export const ERASURE_STAGES = ['erasing', 'rebuilding', 'files', 'scrubbing', 'done'] as const
export type ErasureStage = (typeof ERASURE_STAGES)[number]

export interface ErasureRecord {
  readonly id: number
  /** `null`: the target is forgotten too, because everything that names it is gone. */
  readonly target: ErasureTarget | null
  readonly requestedAt: Date
  readonly stage: ErasureStage
  /** How many entries were erased or made anew, by place. A place that is not in the list held nothing. */
  readonly counts: Partial<Readonly<Record<ErasurePlace, number>>>
  /**
   * The id in the list of what was erased, which is kept outside of the database. Several records have the
   * same id if an erasure was carried out again after a restore. `null`: an earlier version of the program
   * began the erasure.
   */
  readonly listId: string | null
}

/** Something that exists and that an erasure can be about. */
export interface Erasable {
  readonly kind: 'namespace' | 'session' | 'person'
  readonly namespace: string
  /** For a namespace: its name again. */
  readonly id: string
}

/** Where the next page of a listing of all of them begins. */
export interface ErasablePlace {
  readonly part: number
  readonly after: number
}

/** Whether the bytes of an erasure are gone from the database. */
export interface ScrubState {
  /**
   * `true`: the bytes were seen to be gone, whichever process or operator removed them. `false`: also if a
   * database cannot tell.
   */
  readonly isGone: boolean
  /** Left out: nothing is left for an operator to do. */
  readonly waitsFor?: OperatorTask
}

/** Work that only an operator may do. */
export interface OperatorTask {
  readonly note: string
  /** In the language of the database, to be run as it is. */
  readonly statement: string
}

/** A segment that must be made anew, because messages under it were erased or edited. */
export interface WithheldSegment {
  readonly key: SessionKey
  /** The epoch of the session when the segment was read. */
  readonly epoch: number
  readonly segment: Segment
  /**
   * The segments that this one stands for, oldest first. A segment that was a window also stands for messages
   * above them. Empty: the segment stands for messages only.
   */
  readonly lower: readonly Segment[]
}

/** What a segment says from now on. */
export interface RebuiltSegment {
  readonly id: number
  readonly expectedEpoch: number
  /** The token of the session's lease, which must still be held. Left out: no lease is checked. */
  readonly leaseToken?: number
  readonly summary: string
  readonly events: readonly unknown[]
  readonly details: readonly unknown[]
  /** Empty: nothing is left that the segment could tell. */
  readonly text: string
  readonly messageCount: number
  readonly summarizer: string
  readonly promptVersion: string
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Left out or `null`: not known. */
  readonly people?: readonly Person[] | null
  /** `false`: the extractive summariser made it, until a proper summary is made. */
  readonly isProper: boolean
  /** What the fold of this segment had left in memory, if that was removed with the erased messages. */
  readonly documents?: readonly DocumentWrite[]
}
