import { boundEvents } from '../../packages/palimpsest/src/compaction/carry-over.ts'
import { dayOf, earlierSummary } from '../../packages/palimpsest/src/compaction/segment-lines.ts'
import { renderSegment } from '../../packages/palimpsest/src/context/index.ts'
import { extractive } from '../../packages/palimpsest/src/summarizer/index.ts'
import type { Fold } from './fold.ts'
import { budgetOf, type Method, tokensOf } from './method.ts'

const ZONE = 'UTC'

interface Folded {
  readonly summary: string
  /** As the model reads it. */
  readonly text: string
}

/**
 * Our own: each fold as the engine makes it with the extractive summariser, knowing the summaries before it, and
 * as the model reads it, with its heading, dates and details. Nothing is condensed a second time, since the
 * budget is a share of the whole.
 */
export const palimpsest: Method = {
  name: 'palimpsest',
  async shorten(folds, share) {
    const segments: Folded[] = []
    for (const fold of folds)
      segments.push(await foldWithin(fold, earlierSummary(segments), budgetOf(fold, share)))
    return segments.map(({ text }) => text)
  },
}

/** What the rest of a segment takes depends on its summary: the largest budget for that with which both fit. */
async function foldWithin(fold: Fold, earlier: string | null, budget: number): Promise<Folded> {
  let best: Folded = { summary: '', text: '' }
  let [least, most] = [1, budget]
  while (least <= most) {
    const middle = Math.floor((least + most) / 2)
    const segment = await foldOnce(fold, earlier, middle)
    if (tokensOf(segment.text) <= budget) {
      best = segment
      least = middle + 1
    } else most = middle - 1
  }
  return best
}

/** Exported for its test: it gives the bytes that the engine stores. */
export async function foldOnce(
  { messages }: Fold,
  earlier: string | null,
  budgetTokens: number,
): Promise<Folded> {
  const [first, last] = [messages[0]!, messages.at(-1)!]
  const {
    text: summary,
    events,
    details,
  } = await extractive().summarize({
    messages,
    earlier,
    budgetTokens,
    zone: ZONE,
  })
  const text = renderSegment({
    fromSeq: first.seq,
    toSeq: last.seq,
    summary,
    events: boundEvents(events, dayOf(last.at, ZONE)),
    details,
  })
  return { summary, text }
}
