import { defineTexts } from '../../language/language.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import type { Problems } from './problems.ts'
import type { SaveState } from './use-settings.ts'

const useTexts = defineTexts({
  en: {
    changes: (count: number) =>
      count === 1 ? '1 change is not saved yet.' : `${count} changes are not saved yet.`,
    saved: 'Saved. In force from the next message on, in every process, without a restart.',
    saving: 'Saving …',
    refused: (names: string) => `Nothing was saved. The server cannot take: ${names}.`,
    save: 'Save',
    discard: 'Discard',
  },
  zh: {
    changes: (count: number) => `有 ${count} 处更改尚未保存。`,
    saved: '已保存。从下一条消息起在每个进程中生效，无需重启。',
    saving: '保存中…',
    refused: (names: string) => `什么都没有保存。服务器不接受：${names}。`,
    save: '保存',
    discard: '放弃更改',
  },
})

/** Stays visible while there is something to save. */
export function SaveBar({
  changes,
  state,
  failure,
  problems,
  onDiscard,
}: {
  readonly changes: number
  readonly state: SaveState
  readonly failure: unknown
  readonly problems: Problems
  readonly onDiscard: () => void
}) {
  const texts = useTexts()
  const refused = Object.keys(problems)
  const isShown = changes > 0 || state !== 'idle'
  return (
    <div class={`save-bar ${isShown ? 'shown' : ''} ${state === 'saved' ? 'saved' : ''}`}>
      {failure !== null && <ErrorNotice error={failure} />}
      <div class="save-bar-line">
        <p role="status" class={refused.length > 0 ? 'setting-problem' : ''}>
          {refused.length > 0
            ? texts.refused(refused.join(', '))
            : state === 'saving'
              ? texts.saving
              : changes > 0
                ? texts.changes(changes)
                : state === 'saved' && texts.saved}
        </p>
        {changes > 0 && (
          <>
            <Button onClick={onDiscard} disabled={state === 'saving'}>
              {texts.discard}
            </Button>
            <Button look="primary" type="submit" disabled={state === 'saving'}>
              {texts.save}
            </Button>
          </>
        )}
      </div>
    </div>
  )
}
