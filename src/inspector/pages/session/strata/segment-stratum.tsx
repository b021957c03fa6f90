import { useEffect, useId, useState } from 'preact/hooks'
import type { Segment } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { useFoldReasons, wordsFor } from '../fold-reasons.ts'
import { heightOfTokens } from './heights.ts'
import { SegmentInside } from './segment-inside.tsx'

const useTexts = defineTexts({
  en: {
    level: (level: number) => `level ${level}`,
    covers: (from: string, to: string, count: string) => `${count} messages, ${from}–${to}`,
    tokens: (before: string, after: string) => `${before} → ${after} tokens`,
    provisional: 'provisional',
    dirty: 'edited since',
    segment: (id: number) => `Segment ${id}`,
  },
  zh: {
    level: (level: number) => `第 ${level} 层`,
    covers: (from: string, to: string, count: string) => `${count} 条消息，${from}–${to}`,
    tokens: (before: string, after: string) => `${before} → ${after} 词元`,
    provisional: '临时',
    dirty: '之后有编辑',
    segment: (id: number) => `片段 ${id}`,
  },
})

/** One fold: as high as what the model reads of it; opened, all that is known of it, down to the messages. */
export function SegmentStratum({
  sessionId,
  segment,
  soughtSeq,
}: {
  readonly sessionId: string
  readonly segment: Segment
  readonly soughtSeq: number | null
}) {
  const texts = useTexts()
  const { made } = useFoldReasons()
  const { number, ago, moment } = useFormats()
  const holdsSought = soughtSeq !== null && soughtSeq >= segment.fromSeq && soughtSeq <= segment.toSeq
  const [isOpen, setOpen] = useState(holdsSought)
  const insideId = useId()
  useEffect(() => {
    if (holdsSought) setOpen(true)
  }, [holdsSought, soughtSeq])
  const { id, level, state, fromSeq, toSeq, messageCount, tokensBefore, tokensAfter, reason } = segment
  return (
    <article
      class={`segment-stratum level-${Math.min(level, 3)} ${state}${isOpen ? ' open' : ''}`}
      style={isOpen ? {} : { height: `${heightOfTokens(Math.max(tokensAfter, 60))}px` }}
    >
      <button
        type="button"
        class="segment-head"
        aria-expanded={isOpen}
        aria-controls={insideId}
        onClick={() => setOpen(!isOpen)}
      >
        <b>{texts.segment(id)}</b>
        <span>{texts.level(level)}</span>
        <span>{texts.covers(number(fromSeq), number(toSeq), number(messageCount))}</span>
        <span>{texts.tokens(number(tokensBefore), number(tokensAfter))}</span>
        <span>{wordsFor(made, reason)}</span>
        <time dateTime={segment.createdAt} title={moment(segment.createdAt)}>
          {ago(segment.createdAt)}
        </time>
        {(state === 'provisional' || state === 'dirty') && <span class="chip warn">{texts[state]}</span>}
      </button>
      <div id={insideId} class="segment-body">
        {isOpen ? (
          <SegmentInside sessionId={sessionId} segment={segment} soughtSeq={holdsSought ? soughtSeq : null} />
        ) : (
          <p class="text">{segment.summary}</p>
        )}
      </div>
    </article>
  )
}
