import type { IndexRequest, IndexWork, IndexWrite, SearchPage, SearchRequest } from './search.ts'
import type { SessionKey } from './session-key.ts'

/** The index of what was said. */
export interface SearchStore {
  /** The part of the index that a search needs, of one session or of many, in the order of `listSessions`. */
  readSearch(namespace: string, request: SearchRequest): Promise<SearchPage>
  /**
   * The oldest messages that are not in the index yet, and the indexed messages that were edited since.
   * `null`: there are none.
   */
  readIndexWork(key: SessionKey, request: IndexRequest): Promise<IndexWork | null>
  /**
   * Puts terms into the index. `false`: the session was rewritten since, or another process has indexed it;
   * read again.
   */
  writeIndex(key: SessionKey, write: IndexWrite): Promise<boolean>
  /**
   * The sessions with messages that are not indexed, in the order of `listSessions`. `limit` counts the
   * sessions that are looked at.
   */
  listUnindexed(
    namespace: string,
    page: { after?: string; limit: number },
  ): Promise<{ readonly keys: readonly SessionKey[]; readonly next: string | null }>
}
