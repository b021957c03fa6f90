import type { FoldEngine } from '../compaction/index.ts'
import { readMessages } from '../compaction/read-messages.ts'
import { MOST_SOURCE_TOKENS } from '../compaction/source.ts'
import type { DocumentWrite, Store, WithheldSegment } from '../store/index.ts'
import type { Summarizer } from '../summarizer/index.ts'

export interface RememberEngine {
  readonly store: Pick<Store, 'readSession' | 'readFacts' | 'readMessages'>
  readonly rememberFold?: FoldEngine['rememberFold']
}

/**
 * The lines of a fold have the whole fold as their origin, so all of them went with a message under it. They are made
 * anew from the messages that are left; where some are still told, none went.
 */
export async function rememberAgain(
  { store, rememberFold }: RememberEngine,
  { key, segment, lower }: WithheldSegment,
  by: { readonly summarizer: Summarizer; readonly signal: AbortSignal },
): Promise<readonly DocumentWrite[]> {
  if (!rememberFold || segment.level !== 1) return []
  // One that was a window stands for others, too: their folds had lines of their own.
  const fromSeq = (lower.at(-1)?.toSeq ?? segment.fromSeq - 1) + 1
  const session = await store.readSession(key)
  const facts = await store.readFacts({ namespace: key.namespace, layer: 'chat', key: key.id }, 'current')
  const isTold = facts.some(
    ({ from, origin }) =>
      from === 'fold' &&
      origin.sessionId === key.id &&
      origin.fromSeq <= segment.toSeq &&
      origin.toSeq >= fromSeq,
  )
  if (session === null || isTold) return []
  const { messages } = await readMessages(store, key, {
    fromSeq,
    toSeq: segment.toSeq,
    mostTokens: MOST_SOURCE_TOKENS,
  })
  if (messages.length === 0) return []
  return rememberFold({ key, session, messages, extracts: null, superseded: [], ...by })
}
