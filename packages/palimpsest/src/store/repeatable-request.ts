/** A request that its caller may repeat, and that is carried out once. */
export interface RequestName {
  /** A hash of what tells this request from others. It does not show who asked for what. */
  readonly name: string
  /** A hash of everything that was asked. It must be the same for every request of this name. */
  readonly fingerprint: string
}

/**
 * `begun`: the request is under way here, from now on. `running`: another caller carries it out. `answered`:
 * it was carried out, and `answer` holds what is needed to answer again.
 */
export type RequestState =
  | { readonly state: 'begun' }
  | { readonly state: 'running'; readonly fingerprint: string }
  | { readonly state: 'answered'; readonly fingerprint: string; readonly answer: unknown }
