import { expandSegment } from '../../../api/index.ts'
import type { Message, Segment } from '../../../api/types.ts'

/** What lies under a segment: segments or messages, oldest first. */
interface Under {
  readonly segments: readonly Segment[]
  readonly messages: readonly Message[]
  readonly pages: number
  readonly hasMore: boolean
}

const PAGE = 50
const PAGE_TOKENS = 20_000

export async function readUnder(
  {
    sessionId,
    segment,
    afterSeq,
    throughSeq,
    pages,
  }: {
    readonly sessionId: string
    readonly segment: number
    /** `null`: from the beginning. */
    readonly afterSeq: number | null
    /** A message that must be included, even if that takes many pages; `null`: there is none. */
    readonly throughSeq: number | null
    readonly pages: number
  },
  signal: AbortSignal,
): Promise<Under> {
  const segments: Segment[] = []
  const messages: Message[] = []
  let after = afterSeq
  for (let read = 1; ; read++) {
    const page = await expandSegment(
      sessionId,
      segment,
      { ...(after !== null && { after }), limit: PAGE, tokens: PAGE_TOKENS },
      { signal },
    )
    segments.push(...page.segments)
    messages.push(...page.messages)
    after = page.next
    // The cursor is the end of this page: the next page begins after it.
    const isThrough = after === null || throughSeq === null || after >= throughSeq
    if (after === null || (isThrough && read >= pages))
      return { segments, messages, pages: read, hasMore: after !== null }
  }
}
