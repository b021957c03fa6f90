/** Leases on anything that has a name. */
export interface LeaseStore {
  /**
   * Takes a lease on anything that has a name, as `acquireLease` takes one on a session. `null`: another
   * holder has it now. The present holder may take it again. `longestMs`: the longest time for which another
   * holder may have taken it; left out: `ttlMs`. A lease that claims to last longer was written with a wrong
   * clock, and counts as over.
   */
  takeLease(
    namespace: string,
    request: { name: string; owner: string; ttlMs: number; longestMs?: number; now: number },
  ): Promise<{ readonly token: number } | null>
  /** Does nothing if the token is not the current one. */
  dropLease(namespace: string, request: { name: string; token: number }): Promise<void>
}
