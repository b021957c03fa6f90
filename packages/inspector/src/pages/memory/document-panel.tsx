import { useState } from 'preact/hooks'
import { ApiError } from '../../api/api-error.ts'
import { listDocuments, readDocument } from '../../api/index.ts'
import type { MemoryDocument } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { useEvents } from '../../state/use-events.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Button } from '../../ui/button.tsx'
import { WhenLoaded } from '../../ui/loading.tsx'
import { Empty } from '../../ui/notice.tsx'
import { DocumentEditor } from './document-editor.tsx'
import { DocumentHead } from './document-head.tsx'
import { DocumentHistory } from './document-history.tsx'
import { DocumentText } from './document-text.tsx'
import { readDraft } from './drafts.ts'
import { type DocumentName, hasOneDocument, isChangeOf } from './layers.ts'

const useTexts = defineTexts({
  en: {
    views: 'Views',
    text: 'Text',
    history: 'History',
    edit: 'Edit',
    write: 'Write it',
    missing: 'Nobody has written this document yet.',
    saved: (version: string) => `Saved as version ${version}.`,
  },
  zh: {
    views: '视图',
    text: '正文',
    history: '历史',
    edit: '编辑',
    write: '写入',
    missing: '还没有人写过这份文档。',
    saved: (version: string) => `已保存为版本 ${version}。`,
  },
})

type View = 'text' | 'history' | 'edit'

/** The chosen document: its text, its editor and its history. */
export function DocumentPanel({ name }: { readonly name: DocumentName }) {
  const texts = useTexts()
  const { number } = useFormats()
  const { layer, key } = name
  const [view, setView] = useState<View>(() => (readDraft(name) === null ? 'text' : 'edit'))
  const [saved, setSaved] = useState<MemoryDocument | null>(null)
  const loaded = useLoaded(signal => readIfThere(name, signal), [layer, key])
  useEvents(event => isChangeOf(event, name), loaded.reload)
  const show = (wanted: View) => {
    setSaved(null)
    setView(wanted)
  }
  return (
    <WhenLoaded loaded={loaded}>
      {read => {
        // The editor knows what was saved before it is read again.
        const document = saved !== null && saved.version > (read?.version ?? 0) ? saved : read
        return (
          <article class="memory-document card">
            <DocumentHead name={name} document={document} />
            {view === 'edit' ? (
              <DocumentEditor
                name={name}
                current={document}
                onConflict={loaded.reload}
                onDone={written => {
                  setSaved(written)
                  setView('text')
                  loaded.reload()
                }}
              />
            ) : (
              <>
                {document !== null && (
                  <div class="memory-views">
                    <fieldset>
                      <legend class="visually-hidden">{texts.views}</legend>
                      {(['text', 'history'] as const).map(each => (
                        <button
                          key={each}
                          type="button"
                          aria-pressed={view === each}
                          onClick={() => show(each)}
                        >
                          {texts[each]}
                        </button>
                      ))}
                    </fieldset>
                    <Button onClick={() => show('edit')}>{texts.edit}</Button>
                  </div>
                )}
                {saved !== null && (
                  <p class="notice good" role="status">
                    {texts.saved(number(saved.version))}
                  </p>
                )}
                {document === null ? (
                  <>
                    <Empty>{texts.missing}</Empty>
                    <Button look="primary" onClick={() => show('edit')}>
                      {texts.write}
                    </Button>
                  </>
                ) : view === 'history' ? (
                  <DocumentHistory name={name} onChanged={loaded.reload} />
                ) : (
                  <DocumentText content={document.content} />
                )}
              </>
            )}
          </article>
        )
      }}
    </WhenLoaded>
  )
}

async function readIfThere(
  { layer, key }: DocumentName,
  signal: AbortSignal,
): Promise<MemoryDocument | null> {
  // In these layers a missing document is usual. A request for it would leave an error in the browser's log.
  if (hasOneDocument(layer)) {
    const { documents } = await listDocuments({ layer, limit: 1 }, { signal })
    if (documents.length === 0) return null
  }
  try {
    return await readDocument(layer, key, { signal })
  } catch (error) {
    if (error instanceof ApiError && error.code === 'document_not_found') return null
    throw error
  }
}
