import type { Pin } from '../log/index.ts'
import type { SessionKey } from './session-key.ts'

export interface NewPin {
  readonly seq: number | null
  readonly note: string | null
  readonly tokens: number
  /** The limit for all pins of the session together. */
  readonly mostTokens: number
  readonly now: number
}

/** Keeps what a session shows in every context. */
export interface PinStore {
  /** In the order in which they were pinned. Pins of hidden messages are in the answer too. */
  readPins(key: SessionKey): Promise<readonly Pin[]>
  /**
   * Keeps a visible message or a note in every context from now on. A message that is pinned already stays
   * pinned. If all pins together would be too large, the call fails with an `InvalidArgumentError`.
   */
  pin(key: SessionKey, pin: NewPin): Promise<Pin>
  /** `false`: there was no such pin. */
  unpin(key: SessionKey, id: number): Promise<boolean>
}
