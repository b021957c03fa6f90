const SHARE = 0.5

/** The budget for the second and last try, after a provider found the prompt too long. */
export function shortenedBudget(refusedTokens: number): number {
  return Math.max(1, Math.floor(refusedTokens * SHARE))
}
