import { useState } from 'preact/hooks'
import type { Segment } from '../../../api/types.ts'
import { defineTexts } from '../../../language/language.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { Button } from '../../../ui/button.tsx'
import { WhenLoaded } from '../../../ui/loading.tsx'
import { MessageStrata } from './message-strata.tsx'
import { readUnder } from './read-under.ts'
import { SegmentStratum } from './segment-stratum.tsx'
import { holdsSought, type Visit } from './visit.ts'

const useTexts = defineTexts({
  en: { older: 'Show what comes before', more: 'Show more' },
  zh: { older: '显示更早的内容', more: '显示更多' },
})

/** How many messages before the sought one are shown with it. */
const BEFORE_SOUGHT = 10

/** One level down, page by page, oldest first. */
export function UnderSegment({
  sessionId,
  segment,
  epoch,
  visit,
}: {
  readonly sessionId: string
  readonly segment: Segment
  readonly epoch: number
  readonly visit: Visit
}) {
  const texts = useTexts()
  const [isFromStart, setFromStart] = useState(false)
  const [pages, setPages] = useState(1)
  const throughSeq = !isFromStart && holdsSought(visit, segment) ? visit.soughtSeq : null
  const start = throughSeq === null ? 0 : throughSeq - BEFORE_SOUGHT
  const afterSeq = start > segment.fromSeq ? start : null
  const loaded = useLoaded(
    signal => readUnder({ sessionId, segment: segment.id, afterSeq, throughSeq, pages }, signal),
    [sessionId, segment.id, afterSeq],
    [epoch, pages],
  )
  return (
    <WhenLoaded loaded={loaded}>
      {found => (
        <>
          {afterSeq !== null && <Button onClick={() => setFromStart(true)}>{texts.older}</Button>}
          {found.segments.map(inner => (
            <SegmentStratum
              key={inner.id}
              sessionId={sessionId}
              segment={inner}
              epoch={epoch}
              visit={visit}
            />
          ))}
          {found.messages.length > 0 && (
            <MessageStrata
              sessionId={sessionId}
              messages={found.messages}
              order="oldest first"
              visit={visit}
            />
          )}
          {found.hasMore && <Button onClick={() => setPages(found.pages + 1)}>{texts.more}</Button>}
        </>
      )}
    </WhenLoaded>
  )
}
