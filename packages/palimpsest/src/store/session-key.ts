import type { SeenSession } from './seen.ts'
import type { GivenTraits } from './session-traits.ts'

/** A session's whole key. Nothing is ever read or written without the namespace. */
export interface SessionKey {
  readonly namespace: string
  readonly id: string
  /**
   * What the caller takes the session for. Every call with such a key is a `SessionMismatchError` where the session is
   * something else, checked in the transaction of the call. Left out: the caller does not say.
   */
  readonly traits?: GivenTraits
  /**
   * For writes: this very session, as it was seen. Where it is gone, or something of what was seen was erased since, an
   * `ErasedMeanwhileError`, and nothing has changed: also where another one bears its name by now. Left out: whatever
   * bears the name.
   */
  readonly seen?: SeenSession
}

/** One text for a key that no other key has: for maps. */
export function keyName({ namespace, id }: SessionKey): string {
  return JSON.stringify([namespace, id])
}
