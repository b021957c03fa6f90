import { renderSegment } from '../context/index.ts'
import type { NewSegment } from '../log/index.ts'
import type { FoldCommit } from '../store/index.ts'
import { estimateTokens } from '../tokens/index.ts'

/** A segment as a handler returns it. The handler does not write the text that the model reads. */
export type FoldedSegment = Omit<FoldCommit['segments'][number], 'text'> & {
  /** The most tokens that the segment may take in a context. Left out: there is no limit. */
  readonly mostTokens?: number
}

/** `tokensAfter` counts the text that the model reads. */
export function measured<Told extends Omit<NewSegment, 'text' | 'tokensAfter'>>(
  segment: Told & Pick<FoldedSegment, 'mostTokens'>,
): Told & Pick<FoldedSegment, 'mostTokens' | 'tokensAfter'> {
  return { ...segment, tokensAfter: estimateTokens(textOf(segment)) }
}

/**
 * Adds the text for the model. The text is stored, so that later versions of the program do not change it.
 */
export function withText({ mostTokens, ...segment }: FoldedSegment): FoldCommit['segments'][number] {
  const text = textOf({ ...segment, ...(mostTokens !== undefined && { mostTokens }) })
  return { ...segment, text, tokensAfter: estimateTokens(text) }
}

/** An erasure may leave a segment empty. Its text is then empty too, and does not even name its range. */
export function textOf({
  mostTokens,
  ...segment
}: Parameters<typeof renderSegment>[0] & Pick<FoldedSegment, 'mostTokens'>): string {
  const { summary, events, details } = segment
  const isNothing = summary === '' && events.length === 0 && details.length === 0
  return isNothing ? '' : renderSegment(segment, mostTokens)
}
