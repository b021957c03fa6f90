import type { LayerName, LayerVersion } from './document.ts'

/**
 * What a long-lived handle has seen of a session. Such a handle outlives a call: a turn, a run of an agent, a
 * reply on its way. With `SeenSession` in the key, a write is for this very session as it was then. Folds and
 * edits since then do not matter. If anything was erased, the write is refused inside its own transaction.
 */
export interface SeenSession {
  /** The session's own number, which no other session ever has. `null`: there was no session of this name. */
  readonly session: number | null
  /**
   * The epoch of the session when it was seen. If there was no session: the lowest epoch that a session of
   * this name could have begun with.
   */
  readonly epoch: number
  /** The memory that was shown with it. No version below `since` could be seen. */
  readonly documents: readonly SeenDocument[]
}

export interface SeenDocument {
  readonly layer: LayerName
  readonly key: string
  readonly since: number
}

/** Made from a session and layers that were read at one instant. */
export function seenOf(
  { number, epoch }: { readonly number: number; readonly epoch: number },
  layers: readonly LayerVersion[] = [],
): SeenSession {
  const documents = layers.map(({ layer, key, since = 1 }) => ({ layer, key, since }))
  return { session: number, epoch, documents }
}
