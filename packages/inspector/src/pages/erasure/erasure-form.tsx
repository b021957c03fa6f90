import { useId, useState } from 'preact/hooks'
import { defineTexts } from '../../language/language.ts'
import { goTo } from '../../routes.ts'
import { useLoaded } from '../../state/use-loaded.ts'
import { Button } from '../../ui/button.tsx'
import { ErrorNotice } from '../../ui/notice.tsx'
import { readPreview } from './read-preview.ts'
import { erase, nameOf, targetOf, typedOf } from './target.ts'
import { TargetFields } from './target-fields.tsx'
import { TargetPreview } from './target-preview.tsx'
import { usePause } from './use-pause.ts'

const useTexts = defineTexts({
  en: {
    again: {
      messages: 'To confirm, type the message’s number again:',
      session: 'To confirm, type the session’s id again:',
      person: 'To confirm, type the person’s id again:',
    },
    erase: {
      messages: 'Erase this message for good',
      session: 'Erase this session for good',
      person: 'Erase this person for good',
    },
    erasing: 'Erasing …',
  },
  zh: {
    again: {
      messages: '请再次输入消息编号以确认：',
      session: '请再次输入会话编号以确认：',
      person: '请再次输入人物编号以确认：',
    },
    erase: { messages: '彻底删除这条消息', session: '彻底删除这个会话', person: '彻底删除这个人' },
    erasing: '删除中…',
  },
})

const PAUSE_MS = 500

/**
 * Asks what to erase, shows what that would hit, and asks for the name once more. Only then the button works.
 */
export function ErasureForm({ query }: { readonly query: Readonly<Record<string, string>> }) {
  const texts = useTexts()
  const again = useId()
  const [typed, setTyped] = useState(() => typedOf(query))
  const [confirmed, setConfirmed] = useState('')
  const [isErasing, setErasing] = useState(false)
  const [error, setError] = useState<unknown>(null)
  const target = targetOf(typed)
  const settled = usePause(typed, PAUSE_MS)
  const looked = targetOf(settled)
  const preview = useLoaded(
    async signal => (looked === null ? null : readPreview(looked, signal)),
    [JSON.stringify(looked)],
  )
  const isThere = settled === typed && preview.value != null && preview.value.kind !== 'no-session'
  const isConfirmed = target !== null && isThere && confirmed === nameOf(target)

  const run = async () => {
    if (target === null || !isConfirmed || isErasing) return
    setErasing(true)
    setError(null)
    try {
      const receipt = await erase(target)
      goTo(['erasures', receipt.id])
    } catch (reason) {
      setError(reason)
      setErasing(false)
    }
  }

  return (
    <form
      class="erasure-form card"
      onSubmit={event => {
        event.preventDefault()
        void run()
      }}
    >
      <TargetFields
        typed={typed}
        onTyped={changed => {
          setTyped(changed)
          // The confirmation was for another target.
          setConfirmed('')
          setError(null)
        }}
      />
      {looked !== null && <TargetPreview loaded={preview} />}
      {target !== null && isThere && (
        <div class="erasure-confirm">
          <label for={again}>{texts.again[typed.kind]}</label>
          <p class="erasure-name code">
            <bdi>{nameOf(target)}</bdi>
          </p>
          <input
            id={again}
            autocomplete="off"
            spellcheck={false}
            value={confirmed}
            onInput={event => setConfirmed(event.currentTarget.value)}
          />
        </div>
      )}
      {error !== null && <ErrorNotice error={error} />}
      <p>
        <Button type="submit" look="danger" disabled={!isConfirmed || isErasing}>
          {isErasing ? texts.erasing : texts.erase[typed.kind]}
        </Button>
      </p>
    </form>
  )
}
