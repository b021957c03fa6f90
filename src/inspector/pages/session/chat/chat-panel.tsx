import { useCallback, useEffect, useRef, useState } from 'preact/hooks'
import { isAbort } from '../../../api/api-error.ts'
import { readMessages } from '../../../api/index.ts'
import { defineTexts } from '../../../language/language.ts'
import { useSessionEvents } from '../../../state/use-events.ts'
import { useLoaded } from '../../../state/use-loaded.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { askForReply } from './ask-for-reply.ts'
import { ChatMessages } from './chat-messages.tsx'
import './chat.css'

const useTexts = defineTexts({
  en: {
    title: 'Chat',
    placeholder: 'Say something, or ask about what was said …',
    message: 'Message',
    send: 'Send',
    stop: 'Stop',
    older: 'Older messages',
  },
  zh: {
    title: '聊天',
    placeholder: '说点什么，或问问之前说过的内容…',
    message: '消息',
    send: '发送',
    stop: '停止',
    older: '更早的消息',
  },
})

const PAGE = 30

/** A talk with whoever answers on this server: the model that is set, or what finds answers in what was said. */
export function ChatPanel({ sessionId, isNew }: { readonly sessionId: string; readonly isNew: boolean }) {
  const texts = useTexts()
  const [shown, setShown] = useState(PAGE)
  const [typed, setTyped] = useState('')
  const [underWay, setUnderWay] = useState<{ readonly question: string; readonly reply: string } | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const stop = useRef<AbortController | null>(null)
  const loaded = useLoaded(
    async signal =>
      isNew
        ? { messages: [], next: null }
        : await readMessages(sessionId, { from: 'newest', limit: shown }, { signal }),
    [sessionId],
    [isNew, shown],
  )
  const { reload } = loaded
  useSessionEvents(sessionId, reload)
  useEffect(() => () => stop.current?.abort(), [])

  const send = useCallback(
    async (question: string) => {
      const controller = new AbortController()
      stop.current = controller
      setFailure(null)
      setTyped('')
      setUnderWay({ question, reply: '' })
      try {
        for await (const reply of askForReply(sessionId, question, controller.signal))
          setUnderWay({ question, reply })
      } catch (error) {
        if (!isAbort(error)) {
          setFailure(error)
          // What was not taken is not lost.
          setTyped(before => before || question)
        }
      }
      stop.current = null
      setUnderWay(null)
      reload()
    },
    [sessionId, reload],
  )

  const submit = () => {
    const question = typed.trim()
    if (question !== '' && underWay === null) void send(question)
  }
  return (
    <section class="chat-panel card" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <ChatMessages
        messages={loaded.value?.messages ?? []}
        underWay={underWay}
        older={
          loaded.value?.next != null && (
            <Button look="quiet" onClick={() => setShown(shown + PAGE)}>
              {texts.older}
            </Button>
          )
        }
      />
      {loaded.error !== null && <ErrorNotice error={loaded.error} onRetry={reload} />}
      {failure !== null && <ErrorNotice error={failure} />}
      <form
        class="chat-form"
        onSubmit={event => {
          event.preventDefault()
          submit()
        }}
      >
        <textarea
          aria-label={texts.message}
          placeholder={texts.placeholder}
          rows={2}
          value={typed}
          onInput={event => setTyped(event.currentTarget.value)}
          onKeyDown={event => {
            // While an input method composes, Enter chooses a word.
            if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return
            event.preventDefault()
            submit()
          }}
        />
        {underWay === null ? (
          <Button look="primary" type="submit" disabled={typed.trim() === ''}>
            {texts.send}
          </Button>
        ) : (
          <Button onClick={() => stop.current?.abort()}>{texts.stop}</Button>
        )}
      </form>
    </section>
  )
}
