import { useEffect, useId, useRef } from 'preact/hooks'
import { defineTexts } from '../../language/language.ts'
import { SessionField } from '../../ui/session-field.tsx'
import type { Question } from './use-search.ts'

const useTexts = defineTexts({
  en: {
    words: 'Words that were said',
    wordsExample: 'ferry to Oslo',
    session: 'In one session',
    all: 'all sessions',
  },
  zh: {
    words: '说过的话',
    wordsExample: '去奥斯陆的渡轮',
    session: '限于一个会话',
    all: '全部会话',
  },
})

export function SearchForm({
  typed,
  onTyped,
  onEnter,
}: {
  readonly typed: Question
  /** `isFinal`: false while an input method is still composing characters. */
  readonly onTyped: (typed: Question, options: { readonly isFinal: boolean }) => void
  readonly onEnter: () => void
}) {
  const texts = useTexts()
  const wordsId = useId()
  const sessionId = useId()
  const words = useRef<HTMLInputElement>(null)
  useEffect(() => {
    // On the way from another page, the shell takes the focus first. This runs after that.
    const timer = setTimeout(() => words.current?.focus())
    return () => clearTimeout(timer)
  }, [])
  return (
    <search>
      <form
        class="search-form"
        onSubmit={event => {
          event.preventDefault()
          onEnter()
        }}
      >
        <div class="search-words">
          <label for={wordsId}>{texts.words}</label>
          <input
            ref={words}
            id={wordsId}
            type="search"
            value={typed.q}
            placeholder={texts.wordsExample}
            autocomplete="off"
            maxLength={2000}
            onInput={event =>
              onTyped({ ...typed, q: event.currentTarget.value }, { isFinal: !event.isComposing })
            }
            onCompositionEnd={event => onTyped({ ...typed, q: event.currentTarget.value }, { isFinal: true })}
          />
        </div>
        <div>
          <label for={sessionId}>{texts.session}</label>
          <SessionField
            id={sessionId}
            value={typed.session}
            placeholder={texts.all}
            onTyped={session => onTyped({ ...typed, session }, { isFinal: true })}
          />
        </div>
        {/* In a form with several fields, Enter submits only if there is a button. */}
        <button type="submit" class="visually-hidden" tabIndex={-1} aria-hidden="true" />
      </form>
    </search>
  )
}
