const SHARE = 0.5

/** What a provider found too long is sent again within this, once. */
export function shortenedBudget(refusedTokens: number): number {
  return Math.max(1, Math.floor(refusedTokens * SHARE))
}
