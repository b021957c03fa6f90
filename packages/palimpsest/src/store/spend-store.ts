import type { SessionKey } from './session-key.ts'
import type { CallReservation, Spending, SpendLimitReached, SpendRequest } from './spending.ts'

/** What was spent on models, and how much more may be spent. */
export interface SpendStore {
  /**
   * The limit that stops this session from asking the model again, by the present counts. `null`: there is
   * none. The call counts nothing.
   */
  findSpendLimit(key: SessionKey, request: SpendRequest): Promise<SpendLimitReached | null>
  /** The counts of each model in the hour of `now`. The model with the most calls comes first. */
  readSpending(namespace: string, request: { now: number }): Promise<readonly Spending[]>
  /**
   * Counts a call before it is made, with the tokens that it is likely to take, in the hour of `now`. It
   * counts for the namespace and, if a session has a limit, for the session. If a limit is reached, it counts
   * nothing. A limit of calls is never exceeded, however many callers ask at once. A limit of tokens is
   * exceeded at most by the calls that are under way. No session has to exist for the call.
   */
  reserveCall(
    key: SessionKey,
    request: SpendRequest & { readonly tokens: number },
  ): Promise<{ readonly reserved: CallReservation } | { readonly reached: SpendLimitReached }>
  /** Replaces a reservation by what the call really took. Use it once for each reservation. */
  settleCall(
    namespace: string,
    reserved: CallReservation,
    took: { readonly calls: number; readonly tokens: number },
  ): Promise<void>
}
