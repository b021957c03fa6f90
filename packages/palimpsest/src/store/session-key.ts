import type { SeenSession } from './seen.ts'
import type { GivenTraits } from './session-traits.ts'

/** A session's whole key. Nothing is ever read or written without the namespace. */
export interface SessionKey {
  readonly namespace: string
  readonly id: string
  /**
   * What the caller believes the session to be. If the session is something else, every call with such a key
   * fails with a `SessionMismatchError`. The check is in the transaction of the call. Left out: the caller
   * does not say.
   */
  readonly traits?: GivenTraits
  /**
   * For writes: this very session, as it was seen. The write fails with an `ErasedMeanwhileError`, and
   * nothing has changed, if the session is gone or something that was seen was erased since. It also fails if
   * another session has the name by now. Left out: the write goes to whatever session has the name.
   */
  readonly seen?: SeenSession
}

/** A text for a key, different for every key: for use in maps. */
export function keyName({ namespace, id }: SessionKey): string {
  return JSON.stringify([namespace, id])
}
