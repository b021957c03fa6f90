import type { LayerName, LayerVersion } from './document.ts'

/**
 * What a handle that outlives a call has seen of a session: a turn, a run of an agent, a reply on its way. With it in
 * the key, a write is for this very session and for what it was then. Folds and edits since are no matter; where
 * anything was erased, the write is refused inside its own transaction.
 */
export interface SeenSession {
  /** The session's own number, which no other one ever has; `null`: there was none of this name. */
  readonly session: number | null
  /** The epoch that it was in; where there was none, the lowest that one of this name could have begun with. */
  readonly epoch: number
  /** Memory that was shown with it: no version below `since` was to be seen. */
  readonly documents: readonly SeenDocument[]
}

export interface SeenDocument {
  readonly layer: LayerName
  readonly key: string
  readonly since: number
}

/** From what was read of it at one instant. */
export function seenOf(
  { number, epoch }: { readonly number: number; readonly epoch: number },
  layers: readonly LayerVersion[] = [],
): SeenSession {
  const documents = layers.map(({ layer, key, since = 1 }) => ({ layer, key, since }))
  return { session: number, epoch, documents }
}
