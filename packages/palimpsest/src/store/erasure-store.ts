import type { ErasureRecord, ErasureStage, ErasureTarget, ScrubState } from './erasure.ts'

/**
 * Is called when the rewriting of a database begins. `bytes`: the size of the database. `usualMs`: how long a
 * rewriting of this size usually takes.
 */
export type OnScrub = (work: { readonly bytes: number; readonly usualMs: number }) => void

/** Erases, down to the bytes of the database. The work has stages, and any process may carry it on. */
export interface ErasureStore {
  /**
   * Notes that something is to be erased. The erasure is in force once `continueErasure` has brought it out
   * of the stage `erasing`. If the session or the message is not there, the call fails with a
   * `SessionNotFoundError` or a `MessageNotFoundError`. An unknown person is no error. Messages may be
   * hidden, or erased already. The erasure never touches what gets the same name later.
   */
  beginErasure(
    namespace: string,
    request: {
      target: ErasureTarget
      now: number
      /** The id of this erasure in the list of what was erased. Left out: it has no such id yet. */
      listId?: string
    },
  ): Promise<ErasureRecord>
  /**
   * Erases one slice, in a short transaction. If nothing is left to erase, it moves to the next stage. It
   * works only in the stage `erasing`; in any other stage it changes nothing. Any process may continue an
   * erasure, and several may do so at once. When a slice touches a session, the session's folds, extractions,
   * forks and indexing in flight are void. Erased messages leave their `seq` behind. Text that tells of them
   * is withheld until it is made anew. What is erased as a whole cannot be seen from the first slice on, and
   * its name is free. Whatever gets that name next has higher epochs, versions and tokens.
   */
  continueErasure(namespace: string, request: { id: number; now: number }): Promise<ErasureRecord>
  /**
   * Moves from the stage `from` to the next one, and adds the counts of what was done. In any other stage it
   * changes nothing. From the stage `scrubbing` on, the record no longer says whom the erasure was about.
   */
  advanceErasure(
    namespace: string,
    request: {
      id: number
      from: Exclude<ErasureStage, 'erasing' | 'done'>
      counts?: ErasureRecord['counts']
    },
  ): Promise<ErasureRecord>
  /** `null`: there is no such erasure. */
  readErasure(namespace: string, id: number): Promise<ErasureRecord | null>
  /** The erasures that are not done, oldest first. */
  listOpenErasures(namespace: string): Promise<readonly ErasureRecord[]>
  /**
   * Overwrites what the database has let go, in its files and its write-ahead log. `false`: a transaction
   * still reads the old state, or an operator has to do it; try again later. Appends wait meanwhile, and do
   * not fail.
   */
  scrub(onScrub?: OnScrub): Promise<boolean>
  /**
   * The present state of an erasure in the stage `scrubbing`. If a database cannot tell, only `scrub` can say
   * whether the bytes are gone.
   */
  readScrub(namespace: string, id: number): Promise<ScrubState>
}
