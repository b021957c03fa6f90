import { isReplaceable, type Segment } from '../log/index.ts'
import type { FoldRange } from '../policy/index.ts'

/** A range and its size. */
interface Sized {
  readonly fromSeq: number
  readonly amount: Pick<FoldRange['amount'], 'tokens'>
}

/**
 * The replaceable segments right before a range, oldest first: provisional ones and those kept word for word.
 * A fold takes in their messages again, as far as they fit into its tokens. A segment of a higher level
 * covers too many messages to read again, so it stays.
 */
function replaceableBefore(range: Sized, shown: readonly Segment[], mostTokens: number): readonly Segment[] {
  let left = mostTokens - range.amount.tokens
  let first = shown.length
  for (; first > 0; first--) {
    const segment = shown[first - 1]!
    if (!isReplaceable(segment) || segment.toSeq >= range.fromSeq) break
    left -= segment.tokensBefore
    if (left < 0) break
  }
  return shown.slice(first)
}

/**
 * The segments that a fold replaces. Segments kept word for word stay until there is enough text for one
 * summary of all of them.
 */
export function supersededBy(
  range: Sized,
  shown: readonly Segment[],
  { mostTokens, verbatimBelowTokens }: { mostTokens: number; verbatimBelowTokens: number },
): readonly Segment[] {
  const behind = replaceableBefore(range, shown, mostTokens)
  const tokens = behind.reduce((sum, { tokensBefore }) => sum + tokensBefore, range.amount.tokens)
  const isEnough = tokens >= verbatimBelowTokens || behind.some(({ state }) => state === 'provisional')
  return isEnough ? behind : []
}
