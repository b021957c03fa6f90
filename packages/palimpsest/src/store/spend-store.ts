import type { SessionKey } from './session-key.ts'
import type { CallReservation, Spending, SpendLimitReached, SpendRequest } from './spending.ts'

/** What was spent on models, and how much more may be. */
export interface SpendStore {
  /** The limit that lets this session ask a model no more, as far as is counted now; `null`: none does. Counts nothing. */
  findSpendLimit(key: SessionKey, request: SpendRequest): Promise<SpendLimitReached | null>
  /** What is counted for each model in the hour of `now`, the largest numbers of calls first. */
  readSpending(namespace: string, request: { now: number }): Promise<readonly Spending[]>
  /**
   * Counts a call that is about to be made, with the tokens that it is likely to take, in the hour of `now`, for the
   * namespace and, where a session has a limit, for the session; or nothing, where a limit is reached. No limit of calls
   * is ever exceeded, however many ask at once; one of tokens by no more than what is under way. It needs no session.
   */
  reserveCall(
    key: SessionKey,
    request: SpendRequest & { readonly tokens: number },
  ): Promise<{ readonly reserved: CallReservation } | { readonly reached: SpendLimitReached }>
  /** What a call took, in place of what was reserved for it; once for each. */
  settleCall(
    namespace: string,
    reserved: CallReservation,
    took: { readonly calls: number; readonly tokens: number },
  ): Promise<void>
}
