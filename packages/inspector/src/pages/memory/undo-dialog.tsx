import { useState } from 'preact/hooks'
import { undoVersion } from '../../api/index.ts'
import type { DocumentVersion, MemoryDocument } from '../../api/types.ts'
import { defineTexts, useFormats } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { Dialog } from '../../ui/dialog.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { DiffView } from './diff-view.tsx'
import type { DocumentName } from './layers.ts'

const useTexts = defineTexts({
  en: {
    title: (version: string) => `Undo version ${version}?`,
    about:
      'Its change is taken back, as a new version. What was changed since stays, and this can be undone as well.',
    change: 'The change that is taken back:',
    undo: 'Undo it',
    undoing: 'Undoing …',
    cancel: 'Cancel',
  },
  zh: {
    title: (version: string) => `撤销版本 ${version}？`,
    about: '它的修改将作为新版本撤回。此后的修改保留，撤销本身也可以撤销。',
    change: '将撤回的修改：',
    undo: '撤销',
    undoing: '撤销中…',
    cancel: '取消',
  },
})

export function UndoDialog({
  name,
  version,
  earlier,
  onClose,
  onUndone,
}: {
  readonly name: DocumentName
  readonly version: DocumentVersion
  /** The text before this version. */
  readonly earlier: string
  readonly onClose: () => void
  readonly onUndone: (now: MemoryDocument) => void
}) {
  const texts = useTexts()
  const { number } = useFormats()
  const [isRunning, setRunning] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const undo = async () => {
    setRunning(true)
    setError(null)
    try {
      onUndone(await undoVersion(name.layer, name.key, version.version))
    } catch (reason) {
      setError(reason)
      setRunning(false)
    }
  }
  return (
    <Dialog title={texts.title(number(version.version))} onClose={onClose}>
      <div class="memory-undo">
        <p>{texts.about}</p>
        <p class="hint">{texts.change}</p>
        <DiffView earlier={earlier} later={version.content} />
        {error !== null && <ErrorNotice error={error} />}
        <p class="memory-actions">
          <Button look="primary" onClick={undo} disabled={isRunning}>
            {isRunning ? texts.undoing : texts.undo}
          </Button>
          <Button onClick={onClose}>{texts.cancel}</Button>
        </p>
      </div>
    </Dialog>
  )
}
