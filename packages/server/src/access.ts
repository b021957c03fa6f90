import type { Scope } from 'palimpsest/internals/store/index'

/** What a caller may do, and where. */
export interface Access {
  readonly namespace: string
  /** `admin` includes all other scopes. */
  readonly scopes: ReadonlySet<Scope>
  /** The caller's name in the server's log, for example `key telegram-bot` or `127.0.0.1`. */
  readonly caller: string
  /** The account that limits are counted for: one per key, and one per address for calls without a key. */
  readonly account: string
  /**
   * Counts the further calls of a request that holds several, or refuses them. The first call was counted
   * when the request came in.
   */
  readonly countBatch: (calls: number) => Promise<void>
  /** Whether the caller would still be let in. Long streams ask this again and again. */
  readonly isStillGood: () => Promise<boolean>
}
