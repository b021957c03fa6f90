import { useState } from 'preact/hooks'
import { defineTexts, useFormats } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { changesOnly, lineDiff } from './line-diff.ts'

const useTexts = defineTexts({
  en: {
    added: 'added: ',
    removed: 'removed: ',
    none: 'No line changed.',
    more: (count: string) => `${count} more lines`,
  },
  zh: {
    added: '新增：',
    removed: '移除：',
    none: '没有行变化。',
    more: (count: string) => `还有 ${count} 行`,
  },
})

const SHOWN_AT_FIRST = 12

/** The lines that a change added and removed. */
export function DiffView({ earlier, later }: { readonly earlier: string; readonly later: string }) {
  const texts = useTexts()
  const { number } = useFormats()
  const [isWhole, setWhole] = useState(false)
  const lines = changesOnly(lineDiff(earlier, later))
  if (lines.length === 0) return <p class="hint">{texts.none}</p>
  const shown = isWhole ? lines : lines.slice(0, SHOWN_AT_FIRST)
  return (
    <>
      <ul class="memory-diff">
        {shown.map((line, place) =>
          line === null ? (
            <li key={place} class="gap" aria-hidden="true" />
          ) : (
            <li key={place} class={line.kind} dir="auto">
              <span class="visually-hidden">{line.kind === 'added' ? texts.added : texts.removed}</span>
              {line.text}
            </li>
          ),
        )}
      </ul>
      {shown.length < lines.length && (
        <Button look="quiet" onClick={() => setWhole(true)}>
          {texts.more(number(lines.length - shown.length))}
        </Button>
      )}
    </>
  )
}
