import { useEffect, useMemo, useRef } from 'preact/hooks'
import { defineTexts } from '../../language/language.ts'
import { Empty } from '../../ui/notice.tsx'
import { DocumentList } from './document-list.tsx'
import { DocumentPanel } from './document-panel.tsx'
import { type DocumentName, hasOneDocument, isLayer, ONLY_KEY } from './layers.ts'
import './memory.css'

const useTexts = defineTexts({
  en: {
    title: 'Memory',
    about: 'What the bot remembers beside the conversations themselves.',
    choose: 'Choose a document to read it, change it, or see how it became what it is.',
    nothing: 'There is no such layer of memory.',
    chosen: 'The chosen document',
  },
  zh: {
    title: '记忆',
    about: '机器人在对话本身之外记住的内容。',
    choose: '选择一份文档，即可阅读、修改或查看它的来历。',
    nothing: '没有这一层记忆。',
    chosen: '所选文档',
  },
})

export function MemoryPage({
  layer,
  documentKey,
}: {
  readonly layer: string | undefined
  readonly documentKey: string | undefined
}) {
  const texts = useTexts()
  const panel = useRef<HTMLElement>(null)
  const chosen = useMemo(() => chosenDocument(layer, documentKey), [layer, documentKey])
  const shown = useRef(chosen)
  useEffect(() => {
    if (shown.current === chosen) return
    shown.current = chosen
    // On a narrow screen the list that had the focus is gone.
    if (chosen !== null) panel.current?.focus({ preventScroll: true })
  }, [chosen])
  return (
    <div class={`memory-page ${chosen === null ? '' : 'chosen'}`}>
      <header class="page-head">
        <h1>{texts.title}</h1>
        <p class="soft">{texts.about}</p>
      </header>
      <DocumentList chosen={chosen} />
      <section ref={panel} class="memory-panel" tabIndex={-1} aria-label={texts.chosen}>
        {chosen !== null ? (
          <DocumentPanel key={`${chosen.layer}/${chosen.key}`} name={chosen} />
        ) : (
          <Empty>{layer === undefined || isLayer(layer) ? texts.choose : texts.nothing}</Empty>
        )}
      </section>
    </div>
  )
}

function chosenDocument(layer: string | undefined, key: string | undefined): DocumentName | null {
  if (!isLayer(layer)) return null
  if (hasOneDocument(layer)) return { layer, key: ONLY_KEY }
  return key === undefined ? null : { layer, key }
}
