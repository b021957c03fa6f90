import type { ErasureRecord, ErasureStage, ErasureTarget, ScrubState } from './erasure.ts'

/** Hears that a database begins to be rewritten: how large it is, and how long that usually takes. */
export type OnScrub = (work: { readonly bytes: number; readonly usualMs: number }) => void

/** Erasing, in stages that any process may carry on, down to the bytes of the database. */
export interface ErasureStore {
  /**
   * Notes that something is to be erased; it is in force once it has been carried on out of the stage `erasing`.
   * A session or a message that is not there is a `SessionNotFoundError` or a `MessageNotFoundError`; a person of
   * whom nothing is known is none. Messages may be hidden, or erased already. What bears the same name later is not
   * meant.
   */
  beginErasure(
    namespace: string,
    request: {
      target: ErasureTarget
      now: number
      /** Under which it stands in the list of what was erased; left out: it has no such id yet. */
      listId?: string
    },
  ): Promise<ErasureRecord>
  /**
   * Erases one slice, in a short transaction, and goes on to the next stage when there is no more. Only for the
   * stage `erasing`; in any other it changes nothing. Any process may go on, and several at once. Folds, extractions,
   * forks and indexing in flight of a session that it touches are void. Messages leave their `seq`; what tells of them
   * is withheld until it is made anew. What goes whole is not to be seen from its first slice on, and its name is free;
   * whatever bears it then has higher epochs, versions and tokens.
   */
  continueErasure(namespace: string, request: { id: number; now: number }): Promise<ErasureRecord>
  /**
   * From that stage to the next one, with what was done in it; in any other it changes nothing. From `scrubbing` on the
   * record no longer says whom it was about.
   */
  advanceErasure(
    namespace: string,
    request: {
      id: number
      from: Exclude<ErasureStage, 'erasing' | 'done'>
      counts?: ErasureRecord['counts']
    },
  ): Promise<ErasureRecord>
  /** `null` where there is none. */
  readErasure(namespace: string, id: number): Promise<ErasureRecord | null>
  /** Those that are not done, oldest first. */
  listOpenErasures(namespace: string): Promise<readonly ErasureRecord[]>
  /**
   * Overwrites what the database has let go, in its files and its write-ahead log. `false`: a transaction still reads
   * what was there before, or an operator has to do it; try again later. Appends wait meanwhile, and do not fail.
   */
  scrub(onScrub?: OnScrub): Promise<boolean>
  /** Of an erasure in the stage `scrubbing`, as it is now. Where a database cannot tell, only `scrub` says it. */
  readScrub(namespace: string, id: number): Promise<ScrubState>
}
