import type { Person, Segment } from '../log/index.ts'
import type { DocumentWrite } from './document.ts'
import type { SessionKey } from './session-key.ts'

/** What is to be forgotten. */
export type ErasureTarget =
  /** Messages of a session, and the same ones wherever they were forked to or from. */
  | { readonly kind: 'messages'; readonly sessionId: string; readonly seqs: readonly number[] }
  /** A session with all that is its own; of its forks, the messages that they took from it. */
  | { readonly kind: 'session'; readonly sessionId: string }
  /** All that a person said, their private chats and their memory. */
  | { readonly kind: 'person'; readonly id: string }
  /** A whole tenant. */
  | { readonly kind: 'namespace' }

/** Where something was kept. */
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
 * In this order. `erasing`: messages and what was made of them are taken away, slice by slice. `rebuilding`: none
 * of it is to be seen any more, and segments are made anew from what is left. `files`: the workspace's files follow.
 * `scrubbing`: bytes that the database let go are overwritten.
 */
export const ERASURE_STAGES = ['erasing', 'rebuilding', 'files', 'scrubbing', 'done'] as const
export type ErasureStage = (typeof ERASURE_STAGES)[number]

export interface ErasureRecord {
  readonly id: number
  /** `null`: forgotten, too, since all that names it is gone. */
  readonly target: ErasureTarget | null
  readonly requestedAt: Date
  readonly stage: ErasureStage
  /** How many were erased or made anew, by place; a place that is not named held nothing. */
  readonly counts: Partial<Readonly<Record<ErasurePlace, number>>>
  /**
   * Its id in the list of what was erased, which is kept outside of the database. Several records have the same one where
   * an erasure was carried out again after a restore. `null`: a program of an earlier version began it.
   */
  readonly listId: string | null
}

/** Something that an erasure can be about and that is there. */
export interface Erasable {
  readonly kind: 'namespace' | 'session' | 'person'
  readonly namespace: string
  /** Of a namespace: its name again. */
  readonly id: string
}

/** Where a look at all of them goes on. */
export interface ErasablePlace {
  readonly part: number
  readonly after: number
}

/** Whether the bytes of an erasure are gone from the database. */
export interface ScrubState {
  /** They were seen to be gone, whichever process or operator removed them. `false` also where a database cannot tell. */
  readonly isGone: boolean
  /** Left out: nothing that the program does not do itself. */
  readonly waitsFor?: OperatorTask
}

/** What only an operator may do. */
export interface OperatorTask {
  readonly note: string
  /** In the words of the database, to be run as it is. */
  readonly statement: string
}

/** A segment that has to be made anew, since messages under it were erased or edited. */
export interface WithheldSegment {
  readonly key: SessionKey
  /** Of the session, when it was read. */
  readonly epoch: number
  readonly segment: Segment
  /** Those that it stands for, oldest first; where it was a window, also for messages above them. Empty: for messages. */
  readonly lower: readonly Segment[]
}

/** What a segment says from now on. */
export interface RebuiltSegment {
  readonly id: number
  readonly expectedEpoch: number
  /** Of the session's lease, which has to be held still; left out: none is. */
  readonly leaseToken?: number
  readonly summary: string
  readonly events: readonly unknown[]
  readonly details: readonly unknown[]
  /** Empty: nothing is left that it could tell of. */
  readonly text: string
  readonly messageCount: number
  readonly summarizer: string
  readonly promptVersion: string
  readonly tokensBefore: number
  readonly tokensAfter: number
  /** Left out or `null`: it is not known. */
  readonly people?: readonly Person[] | null
  /** `false`: by the extractive one, until it is summarised properly. */
  readonly isProper: boolean
  /** What its fold had left in memory, as far as that went with what was erased. */
  readonly documents?: readonly DocumentWrite[]
}
