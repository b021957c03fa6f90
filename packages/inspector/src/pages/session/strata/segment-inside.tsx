import type { Segment } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { Button } from '../../../ui/button.tsx'
import { UnderSegment } from './under-segment.tsx'
import { holdsSought, useOpen, type Visit } from './visit.ts'

const useTexts = defineTexts({
  en: {
    summary: 'Summary',
    events: 'Events',
    people: 'Who speaks in it',
    details: 'Kept word for word',
    under: 'What lies under it',
    show: 'Show what lies under it',
    earlier: (names: readonly string[]) => `; earlier ${names.join(' and ')}`,
    made: (summarizer: string, at: string) => `By ${summarizer}, ${at}`,
  },
  zh: {
    summary: '摘要',
    events: '事件',
    people: '其中发言的人',
    details: '逐字保留',
    under: '其下的内容',
    show: '显示其下的内容',
    earlier: (names: readonly string[]) => `；曾用名 ${names.join('、')}`,
    made: (summarizer: string, at: string) => `${summarizer}，${at}`,
  },
})

export function SegmentInside({
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
  const { moment } = useFormats()
  const [isUnderShown, setUnderShown] = useOpen(visit, `under-${segment.id}`, holdsSought(visit, segment))
  /** As the memory lists people: `Robert (u2; earlier Bob)`. */
  const personText = ({ id, names }: NonNullable<Segment['people']>[number]) => {
    const [name, ...earlier] = [...new Set(names.map(each => each.name).reverse())]
    if (name === undefined || (name === id && earlier.length === 0)) return id
    return `${name} (${id}${earlier.length === 0 ? '' : texts.earlier(earlier)})`
  }
  return (
    <div class="segment-inside">
      <h3>{texts.summary}</h3>
      <p class="text">{segment.summary}</p>
      <Lines title={texts.events} lines={segment.events} />
      <Lines title={texts.details} lines={segment.details} />
      <Lines title={texts.people} lines={(segment.people ?? []).map(personText)} />
      <p class="hint">{texts.made(segment.summarizer, moment(segment.createdAt))}</p>
      {isUnderShown ? (
        <>
          <h3>{texts.under}</h3>
          <UnderSegment sessionId={sessionId} segment={segment} epoch={epoch} visit={visit} />
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

/** An event is a text, or an object with a day and a text. Any other value is shown as JSON. */
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
