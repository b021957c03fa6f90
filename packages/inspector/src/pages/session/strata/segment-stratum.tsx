import { useId } from 'preact/hooks'
import type { Segment } from '../../../api/types.ts'
import { counted, defineTexts, useFormats } from '../../../language/language.ts'
import { Ago } from '../../../ui/ago.tsx'
import { useFoldReasons, wordsFor } from '../fold-reasons.ts'
import { heightOfSegment } from './heights.ts'
import { SegmentInside } from './segment-inside.tsx'
import { holdsSought, useOpen, type Visit } from './visit.ts'

const useTexts = defineTexts({
  en: {
    level: (level: number) => `level ${level}`,
    messages: (count: number) => counted(count, 'message', 'messages'),
    range: (from: string, to: string) => (from === to ? from : `${from}–${to}`),
    tokens: (before: string, after: string) => `${before} → ${after} tokens`,
    provisional: 'provisional',
    dirty: 'edited since',
    segment: (id: number) => `Segment ${id}`,
  },
  zh: {
    level: (level: number) => `第 ${level} 层`,
    messages: () => '条消息',
    range: (from: string, to: string) => (from === to ? `第 ${from} 条` : `第 ${from}–${to} 条`),
    tokens: (before: string, after: string) => `${before} → ${after} 个词元`,
    provisional: '临时',
    dirty: '之后有编辑',
    segment: (id: number) => `片段 ${id}`,
  },
})

/**
 * One fold. Closed, it is as high as the text that the model reads; open, it shows all that is known, down to
 * the messages.
 */
export function SegmentStratum({
  sessionId,
  segment,
  epoch,
  visit,
}: {
  readonly sessionId: string
  readonly segment: Segment
  /** When it changes, the content under the segment may have changed. */
  readonly epoch: number
  readonly visit: Visit
}) {
  const texts = useTexts()
  const { made } = useFoldReasons()
  const { number } = useFormats()
  const [isOpen, setOpen] = useOpen(visit, `segment-${segment.id}`, holdsSought(visit, segment))
  const insideId = useId()
  const { id, level, state, fromSeq, toSeq, messageCount, tokensBefore, tokensAfter, reason } = segment
  return (
    <article
      class={`segment-stratum level-${Math.min(level, 3)} ${state}${isOpen ? ' open' : ''}`}
      style={isOpen ? {} : { height: `${heightOfSegment(segment)}px` }}
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
        <span>
          {number(messageCount)} {texts.messages(messageCount)}, {texts.range(number(fromSeq), number(toSeq))}
        </span>
        <span>{texts.tokens(number(tokensBefore), number(tokensAfter))}</span>
        <span>{wordsFor(made, reason)}</span>
        <Ago at={segment.createdAt} />
        {(state === 'provisional' || state === 'dirty') && <span class="chip warn">{texts[state]}</span>}
      </button>
      <div id={insideId} class="segment-body">
        {isOpen ? (
          <SegmentInside sessionId={sessionId} segment={segment} epoch={epoch} visit={visit} />
        ) : (
          <p class="text">{segment.summary}</p>
        )}
      </div>
    </article>
  )
}
