/** A request that its caller may repeat: it is carried out once. */
export interface RequestName {
  /** A hash of what tells it from others: nobody reads in it who asked for what. */
  readonly name: string
  /** A hash of all that was asked: under the same name it has to be the same. */
  readonly fingerprint: string
}

/**
 * `begun`: it is now under way here. `running`: somebody carries it out. `answered`: it was, with what is needed to
 * answer again.
 */
export type RequestState =
  | { readonly state: 'begun' }
  | { readonly state: 'running'; readonly fingerprint: string }
  | { readonly state: 'answered'; readonly fingerprint: string; readonly answer: unknown }
