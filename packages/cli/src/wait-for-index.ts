import type { Palimpsest } from 'palimpsest/internals/palimpsest'
import type { Store } from 'palimpsest/internals/store/index'
import { InterruptedError, interruptible, Progress, type Terminal } from './terminal.ts'

interface Imported {
  readonly store: Store
  readonly namespace: string
  readonly sessions: readonly string[]
  readonly messages: number
}

const LOOK_EVERY_MS = 200

/** Waits until the imported messages are indexed, so that the first search is fast. */
export function waitForIndex(palimpsest: Palimpsest, imported: Imported, terminal: Terminal): Promise<void> {
  return interruptible(async isInterrupted => {
    const progress = new Progress(terminal, 'indexing')
    try {
      while (!(await palimpsest.settled({ timeoutMs: LOOK_EVERY_MS }))) {
        if (isInterrupted())
          throw new InterruptedError(
            'Interrupted: all messages are there and are found. Searching them is slower until they are indexed, which goes on with the next start of a bot or of serve.',
          )
        if (terminal.error.isTTY) progress.update(1 - (await countUnindexed(imported)) / imported.messages)
      }
    } finally {
      progress.end()
    }
  })
}

async function countUnindexed({ store, namespace, sessions }: Imported): Promise<number> {
  const page = { limit: sessions.length }
  const { reads } = await store.search.readSearch(namespace, { terms: [], sessions, page })
  return reads.reduce((sum, { index, indexedThrough }) => sum + index.lastSeq - indexedThrough, 0)
}
