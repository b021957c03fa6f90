/** Leases on anything that has a name. */
export interface LeaseStore {
  /**
   * A lease on anything that has a name, as `acquireLease` is one on a session. `null` while somebody else
   * holds it; its own holder may take it anew. `longestMs`: how long another holder may have taken it for; left out: as
   * long as this one. What is said to last longer was written by a wrong clock, and is over.
   */
  takeLease(
    namespace: string,
    request: { name: string; owner: string; ttlMs: number; longestMs?: number; now: number },
  ): Promise<{ readonly token: number } | null>
  /** Does nothing where the token is not the current one. */
  dropLease(namespace: string, request: { name: string; token: number }): Promise<void>
}
