import { useEffect, useState } from 'preact/hooks'
import { isAbort } from '../../../api/api-error.ts'
import { expandSegment } from '../../../api/index.ts'
import type { Message, Segment } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { Button } from '../../../ui/button.tsx'
import { Spinner } from '../../../ui/loading.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { MessageStratum } from './message-stratum.tsx'
import { SegmentStratum } from './segment-stratum.tsx'

const useTexts = defineTexts({
  en: {
    summary: 'Summary',
    events: 'Events',
    details: 'Kept word for word',
    under: 'What lies under it',
    show: 'Show what lies under it',
    older: 'Show what comes before',
    more: 'Show more',
    made: (summarizer: string, at: string) => `By ${summarizer}, ${at}`,
  },
  zh: {
    summary: '摘要',
    events: '事件',
    details: '逐字保留',
    under: '其下的内容',
    show: '显示其下的内容',
    older: '显示更早的内容',
    more: '显示更多',
    made: (summarizer: string, at: string) => `${summarizer}，${at}`,
  },
})

export function SegmentInside({
  sessionId,
  segment,
  soughtSeq,
}: {
  readonly sessionId: string
  readonly segment: Segment
  readonly soughtSeq: number | null
}) {
  const texts = useTexts()
  const { moment } = useFormats()
  const [isUnderShown, setUnderShown] = useState(soughtSeq !== null)
  return (
    <div class="segment-inside">
      <h3>{texts.summary}</h3>
      <p class="text">{segment.summary}</p>
      <Lines title={texts.events} lines={segment.events} />
      <Lines title={texts.details} lines={segment.details} />
      <p class="hint">{texts.made(segment.summarizer, moment(segment.createdAt))}</p>
      {isUnderShown || soughtSeq !== null ? (
        <>
          <h3>{texts.under}</h3>
          <Under sessionId={sessionId} segment={segment} soughtSeq={soughtSeq} />
        </>
      ) : (
        <Button onClick={() => setUnderShown(true)}>{texts.show}</Button>
      )}
    </div>
  )
}

function Lines({ title, lines }: { readonly title: string; readonly lines: readonly unknown[] }) {
  if (lines.length === 0) return null
  return (
    <>
      <h3>{title}</h3>
      <ul class="lines">
        {lines.map(line => {
          const text = lineText(line)
          return <li key={text}>{text}</li>
        })}
      </ul>
    </>
  )
}

/** An event is a text, or an object with a day and a text. */
function lineText(line: unknown): string {
  if (typeof line === 'string') return line
  if (typeof line !== 'object' || line === null) return String(line)
  const { date, on, day, text, event, ...others } = line as Record<string, unknown>
  const when = date ?? on ?? day
  const what = text ?? event
  return typeof what === 'string'
    ? [when, what].filter(Boolean).join(': ')
    : JSON.stringify(line) || Object.keys(others).join(', ')
}

interface Found {
  readonly segments: readonly Segment[]
  readonly messages: readonly Message[]
  readonly next: number | null
}

/** Messages before a sought one that are shown with it. */
const BEFORE_SOUGHT = 10
const PAGE = 50
const PAGE_TOKENS = 20_000

/** One level down, page by page, oldest first. */
function Under({
  sessionId,
  segment,
  soughtSeq,
}: {
  readonly sessionId: string
  readonly segment: Segment
  readonly soughtSeq: number | null
}) {
  const texts = useTexts()
  const [found, setFound] = useState<Found | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [after, setAfter] = useState(() => startFor(segment, soughtSeq))
  const [isFromStart, setFromStart] = useState(() => startFor(segment, soughtSeq) === undefined)
  useEffect(() => {
    const controller = new AbortController()
    setError(null)
    expandSegment(
      sessionId,
      segment.id,
      { ...(after !== undefined && { after }), limit: PAGE, tokens: PAGE_TOKENS },
      { signal: controller.signal },
    ).then(
      page =>
        setFound(before => ({
          segments: [...(before?.segments ?? []), ...page.segments],
          messages: [...(before?.messages ?? []), ...page.messages],
          next: page.next,
        })),
      failure => {
        if (!isAbort(failure)) setError(failure)
      },
    )
    return () => controller.abort()
  }, [sessionId, segment.id, after])
  if (found === null) return error === null ? <Spinner /> : <ErrorNotice error={error} />
  return (
    <>
      {!isFromStart && (
        <Button
          onClick={() => {
            setFromStart(true)
            setFound(null)
            setAfter(undefined)
          }}
        >
          {texts.older}
        </Button>
      )}
      {found.segments.map(inner => (
        <SegmentStratum key={inner.id} sessionId={sessionId} segment={inner} soughtSeq={soughtSeq} />
      ))}
      {found.messages.length > 0 && (
        <ol class="raw-messages">
          {found.messages.map(message => (
            <MessageStratum
              key={message.seq}
              sessionId={sessionId}
              message={message}
              isSought={message.seq === soughtSeq}
            />
          ))}
        </ol>
      )}
      {error !== null && <ErrorNotice error={error} />}
      {found.next !== null && <Button onClick={() => setAfter(found.next!)}>{texts.more}</Button>}
    </>
  )
}

/** Where a message is sought, the page begins shortly before it; `undefined`: at the start. */
function startFor(segment: Segment, soughtSeq: number | null): number | undefined {
  if (soughtSeq === null || segment.level > 1) return undefined
  const start = soughtSeq - BEFORE_SOUGHT
  return start > segment.fromSeq ? start : undefined
}
