import type { Scope } from 'palimpsest/internals/store/index'

/** What a caller may do, and where. */
export interface Access {
  readonly namespace: string
  /** With `admin` there are the others, too. */
  readonly scopes: ReadonlySet<Scope>
  /** What a log calls them: `key telegram-bot`, `127.0.0.1`. */
  readonly caller: string
  /** Whom limits are counted for: another one for each key, and for each address without. */
  readonly account: string
  /** Counts the further calls of a request that holds so many, or refuses them. The first was counted when it came in. */
  readonly countBatch: (calls: number) => Promise<void>
  /** Whether they would be let in still: for whoever stays long. */
  readonly isStillGood: () => Promise<boolean>
}
