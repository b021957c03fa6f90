import type { DocumentHead } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'
import { Budget } from './budget.tsx'
import { type DocumentName, hasOneDocument, splitDailyKey } from './layers.ts'

const useTexts = defineTexts({
  en: { missing: 'not written yet', files: { persona: 'SOUL.md', global: 'MEMORY.md' } },
  zh: { missing: '尚未写入', files: { persona: 'SOUL.md', global: 'MEMORY.md' } },
})

/** A document in the list. Without `head` it is not written yet. */
export function DocumentRow({
  name: { layer, key },
  head,
  isChosen,
}: {
  readonly name: DocumentName
  readonly head: DocumentHead | undefined
  readonly isChosen: boolean
}) {
  const texts = useTexts()
  const daily = layer === 'daily' ? splitDailyKey(key) : null
  return (
    <li>
      <a
        class="memory-row"
        href={linkTo(['memory', layer, key])}
        aria-current={isChosen ? 'page' : undefined}
      >
        <span class="memory-key" title={key}>
          {daily !== null && <time dateTime={daily.day}>{daily.day}</time>}
          <bdi>{hasOneDocument(layer) ? texts.files[layer] : (daily?.session ?? key)}</bdi>
        </span>
        {head === undefined ? <span class="hint">{texts.missing}</span> : <Budget {...head} />}
      </a>
    </li>
  )
}
