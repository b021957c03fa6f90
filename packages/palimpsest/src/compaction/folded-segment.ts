import { renderSegment } from '../context/index.ts'
import type { NewSegment } from '../log/index.ts'
import type { FoldCommit } from '../store/index.ts'
import { estimateTokens } from '../tokens/index.ts'

/** What a handler returns of a segment: how the model reads it is no handler's business. */
export type FoldedSegment = Omit<FoldCommit['segments'][number], 'text'> & {
  /** What it may take in a context; left out: as much as it says. */
  readonly mostTokens?: number
}

/** A segment costs what the model reads of it. */
export function measured<Told extends Omit<NewSegment, 'text' | 'tokensAfter'>>(
  segment: Told & Pick<FoldedSegment, 'mostTokens'>,
): Told & Pick<FoldedSegment, 'mostTokens' | 'tokensAfter'> {
  return { ...segment, tokensAfter: estimateTokens(textOf(segment)) }
}

/** With the words for the model. They are stored, so that no later version of the program changes them. */
export function withText({ mostTokens, ...segment }: FoldedSegment): FoldCommit['segments'][number] {
  const text = textOf({ ...segment, ...(mostTokens !== undefined && { mostTokens }) })
  return { ...segment, text, tokensAfter: estimateTokens(text) }
}

/** One under which an erasure left nothing has nothing to say, not even what it covers. */
export function textOf({
  mostTokens,
  ...segment
}: Parameters<typeof renderSegment>[0] & Pick<FoldedSegment, 'mostTokens'>): string {
  const { summary, events, details } = segment
  const isNothing = summary === '' && events.length === 0 && details.length === 0
  return isNothing ? '' : renderSegment(segment, mostTokens)
}
