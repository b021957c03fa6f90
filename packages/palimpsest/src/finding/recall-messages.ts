import type { Message } from '../log/index.ts'
import { excerptOf } from '../search/index.ts'
import type { SessionKey } from '../store/index.ts'
import { aroundFirst } from './describe-hits.ts'
import { findHits, type SearchEngine } from './search-messages.ts'

/** What may answer a call, with what was said around it. */
export interface RecallSearch {
  /** Best first. */
  readonly hits: readonly { readonly seq: number; readonly score: number }[]
  /** The hits, and the given number of messages on both sides of each. */
  readonly messages: readonly Message[]
  /** The passage of a text that answers best, in about this many characters. */
  readonly passageOf: (text: string, characters: number) => string
}

/** The best messages of one session below a `seq`. */
export async function recallMessages(
  engine: SearchEngine,
  key: SessionKey,
  text: string,
  { below, limit, around }: { readonly below: number; readonly limit: number; readonly around: number },
): Promise<RecallSearch> {
  const { query, hits } = await findHits(engine, text, { sessions: [key.id], most: limit, below })
  const seqs = new Set<number>()
  for (const { seq } of hits)
    for (let near = Math.max(1, seq - around); near <= seq + around; near++) seqs.add(near)
  return {
    hits,
    messages:
      seqs.size === 0 ? [] : await engine.store.log.readMessages(key, { seqs: [...seqs], answered: true }),
    passageOf: (long, characters) =>
      excerptOf(aroundFirst(long, query), query, { length: Math.max(1, characters) }).text,
  }
}
