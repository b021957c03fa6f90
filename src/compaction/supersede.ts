import type { Segment } from '../log/index.ts'
import type { FoldRange } from '../policy/index.ts'

/**
 * The provisional segments that lie right before a range, oldest first: a fold with the real summariser
 * takes in their messages again, as far as they fit into the tokens that it may take. One of a higher level
 * stands for more than can be read again, and stays.
 */
export function supersededBy(
  range: Pick<FoldRange, 'fromSeq'> & { readonly amount: { readonly tokens: number } },
  shown: readonly Segment[],
  mostTokens: number,
): readonly Segment[] {
  let left = mostTokens - range.amount.tokens
  let first = shown.length
  for (; first > 0; first--) {
    const segment = shown[first - 1]!
    if (segment.state !== 'provisional' || segment.level !== 1 || segment.toSeq >= range.fromSeq) break
    left -= segment.tokensBefore
    if (left < 0) break
  }
  return shown.slice(first)
}
