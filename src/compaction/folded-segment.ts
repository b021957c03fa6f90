import { renderSegment } from '../context/index.ts'
import type { NewSegment } from '../log/index.ts'
import type { FoldCommit } from '../store/index.ts'
import { estimateTokens } from '../tokens/index.ts'

/** What a handler returns of a segment: how the model reads it is no handler's business. */
export type FoldedSegment = Omit<FoldCommit['segments'][number], 'text'>

/** A segment costs what the model reads of it. */
export function measured(segment: Omit<NewSegment, 'text' | 'tokensAfter'>): Omit<NewSegment, 'text'> {
  return { ...segment, tokensAfter: estimateTokens(textOf(segment)) }
}

/** With the words for the model. They are stored, so that no later version of the program changes them. */
export function withText(segment: FoldedSegment): FoldCommit['segments'][number] {
  const text = textOf(segment)
  return { ...segment, text, tokensAfter: estimateTokens(text) }
}

/** One under which an erasure left nothing has nothing to say, not even what it covers. */
function textOf(segment: Parameters<typeof renderSegment>[0]): string {
  const { summary, events, details } = segment
  return summary === '' && events.length === 0 && details.length === 0 ? '' : renderSegment(segment)
}
