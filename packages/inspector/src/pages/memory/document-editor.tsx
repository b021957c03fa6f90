import { useEffect, useId, useRef, useState } from 'preact/hooks'
import { ApiError } from '../../api/api-error.ts'
import { writeDocument } from '../../api/index.ts'
import type { MemoryDocument } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { type Draft, dropDraft, hasTyped, keepDraft, readDraft } from './drafts.ts'
import type { DocumentName } from './layers.ts'

const useTexts = defineTexts({
  en: {
    content: 'The whole document, in Markdown',
    mine: 'Yours',
    hint: 'Sections begin with ## and a heading.',
    save: 'Save',
    saveOver: 'Save mine over theirs',
    saving: 'Saving …',
    cancel: 'Cancel',
    changed: (version: string) =>
      `Somebody else has changed it meanwhile: it is version ${version} now. Nothing was overwritten, and what you typed is still here.`,
    gone: 'It was erased meanwhile. What you typed is still here: saving writes it anew.',
    showTheirs: 'Load theirs beside',
    understood: 'Go on',
    theirs: (version: string) => `Theirs, version ${version}`,
    takeTheirs: 'Drop mine, keep theirs',
    discard: 'Drop what you typed?',
  },
  zh: {
    content: '整个文档（Markdown）',
    mine: '您的版本',
    hint: '每一节以 ## 加标题开头。',
    save: '保存',
    saveOver: '用我的覆盖对方的',
    saving: '保存中…',
    cancel: '取消',
    changed: (version: string) =>
      `其间有人修改了它：现在是版本 ${version}。没有任何内容被覆盖，您输入的内容仍在这里。`,
    gone: '其间它已被删除。您输入的内容仍在这里：保存将重新写入。',
    showTheirs: '在旁边载入对方的版本',
    understood: '继续',
    theirs: (version: string) => `对方的版本 ${version}`,
    takeTheirs: '放弃我的，保留对方的',
    discard: '放弃已输入的内容？',
  },
})

/**
 * An editor for the document. Changes from elsewhere never touch what the reader typed. The editor reports
 * such a change and shows it beside the text on demand. Only then can the reader overwrite it.
 */
export function DocumentEditor({
  name,
  current,
  onConflict,
  onDone,
}: {
  readonly name: DocumentName
  /** The document as it is on the server; `null`: there is none. */
  readonly current: MemoryDocument | null
  /** Called when `current` is out of date. */
  readonly onConflict: () => void
  /** `null`: nothing was saved. */
  readonly onDone: (saved: MemoryDocument | null) => void
}) {
  const texts = useTexts()
  const { number } = useFormats()
  const [draft, setDraft] = useState<Draft>(
    () => readDraft(name) ?? { content: current?.content ?? '', seen: current },
  )
  const [isBeside, setBeside] = useState(false)
  const [isSaving, setSaving] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const [field, theirField] = [useId(), useId()]
  const place = useRef<HTMLTextAreaElement>(null)
  useEffect(() => place.current?.focus(), [])
  useEffect(() => {
    if (hasTyped(draft)) keepDraft(name, draft)
    else dropDraft(name)
  }, [name, draft])

  const { content, seen } = draft
  const isOld = (current?.etag ?? null) !== (seen?.etag ?? null)

  const finish = (saved: MemoryDocument | null) => {
    dropDraft(name)
    onDone(saved)
  }
  const save = async () => {
    setSaving(true)
    setError(null)
    try {
      finish(await writeDocument(name.layer, name.key, { content, etag: seen?.etag ?? null }))
    } catch (reason) {
      setSaving(false)
      // The document on the server is not the one that the editor knows. Reading it again brings up the
      // notice about that.
      if (reason instanceof ApiError && reason.code === 'document_conflict') onConflict()
      else setError(reason)
    }
  }

  return (
    <form
      class="memory-editor"
      onSubmit={event => {
        event.preventDefault()
        void save()
      }}
    >
      {error !== null && <ErrorNotice error={error} />}
      {isOld && (
        <div class="notice warn" role="alert">
          <p>{current === null ? texts.gone : texts.changed(number(current.version))}</p>
          <Button
            onClick={() => {
              setDraft({ content, seen: current })
              setBeside(current !== null)
            }}
          >
            {current === null ? texts.understood : texts.showTheirs}
          </Button>
        </div>
      )}
      <div class={`memory-sides ${isBeside ? 'two' : ''}`}>
        <div>
          <label for={field}>{isBeside ? texts.mine : texts.content}</label>
          <textarea
            ref={place}
            id={field}
            class="code"
            dir="auto"
            value={content}
            readOnly={isSaving}
            onInput={event => setDraft({ content: event.currentTarget.value, seen })}
          />
        </div>
        {isBeside && seen !== null && (
          <div>
            <label for={theirField}>{texts.theirs(number(seen.version))}</label>
            <textarea id={theirField} class="code theirs" dir="auto" value={seen.content} readOnly />
          </div>
        )}
      </div>
      <p class="memory-actions">
        <Button type="submit" look="primary" disabled={isSaving || isOld || content.trim() === ''}>
          {isSaving ? texts.saving : isBeside ? texts.saveOver : texts.save}
        </Button>
        <Button
          disabled={isSaving}
          onClick={() => {
            if (!hasTyped(draft) || isBeside || confirm(texts.discard)) finish(null)
          }}
        >
          {isBeside ? texts.takeTheirs : texts.cancel}
        </Button>
        <span class="hint">{texts.hint}</span>
      </p>
    </form>
  )
}
