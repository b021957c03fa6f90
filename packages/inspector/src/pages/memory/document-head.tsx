import type { MemoryDocument } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { linkTo } from '../../routes.ts'
import { Budget } from './budget.tsx'
import { type DocumentName, hasOneDocument, sessionOf, splitDailyKey } from './layers.ts'
import { useLayerTexts } from './use-layer-texts.ts'

const useTexts = defineTexts({
  en: {
    all: 'All documents',
    version: (version: string) => `version ${version}`,
    changed: (moment: string) => `changed ${moment}`,
    session: 'Go to the session',
    erase: 'Erase this person …',
  },
  zh: {
    all: '全部文档',
    version: (version: string) => `版本 ${version}`,
    changed: (moment: string) => `修改于 ${moment}`,
    session: '前往会话',
    erase: '删除此人…',
  },
})

export function DocumentHead({
  name,
  document,
}: {
  readonly name: DocumentName
  readonly document: MemoryDocument | null
}) {
  const texts = useTexts()
  const { number, moment } = useFormats()
  const { name: layerName, about } = useLayerTexts()[name.layer]
  const session = sessionOf(name)
  const daily = name.layer === 'daily' ? splitDailyKey(name.key) : null
  return (
    <header class="memory-head">
      <p class="memory-back">
        <a href={linkTo(['memory'])}>← {texts.all}</a>
      </p>
      <p class="hint">
        {hasOneDocument(name.layer) ? '' : `${layerName} · `}
        {about}
      </p>
      <h2 title={name.key}>
        {hasOneDocument(name.layer) ? (
          layerName
        ) : (
          <>
            {daily !== null && <time dateTime={daily.day}>{daily.day}</time>}
            <bdi>{daily?.session ?? name.key}</bdi>
          </>
        )}
      </h2>
      {document !== null && (
        <p class="memory-figures hint">
          <Budget {...document} />
          <span>{texts.version(number(document.version))}</span>
          <time dateTime={document.updatedAt}>{texts.changed(moment(document.updatedAt))}</time>
          {session !== null && <a href={linkTo(['sessions', session])}>{texts.session}</a>}
          {name.layer === 'user' && (
            <a href={linkTo(['erasures'], { kind: 'person', person: name.key })}>{texts.erase}</a>
          )}
        </p>
      )}
    </header>
  )
}
