import { isReplaceable, type Segment } from '../log/index.ts'
import type { FoldRange } from '../policy/index.ts'

/** A range, and how much of it there is. */
interface Sized {
  readonly fromSeq: number
  readonly amount: Pick<FoldRange['amount'], 'tokens'>
}

/**
 * The segments right before a range that stand for their messages for the time being, oldest first: provisional ones and
 * such as are word for word. A fold takes in their messages again, as far as they fit into the tokens that it may take.
 * One of a higher level stands for more than can be read again, and stays.
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

/** Those that a fold takes the place of. Word for word they stay until there is enough for a summary of all of them. */
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
