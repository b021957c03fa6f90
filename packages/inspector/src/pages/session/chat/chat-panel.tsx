import { useEffect, useRef, useState } from 'preact/hooks'
import { isAbort } from '../../../api/api-error.ts'
import { defineTexts } from '../../../language/language.ts'
import { Button } from '../../../ui/button.tsx'
import { ErrorNotice } from '../../../ui/notice.tsx'
import { askForReply } from './ask-for-reply.ts'
import { ChatMessages } from './chat-messages.tsx'
import { isQuestionIn, type UnderWay } from './under-way.ts'
import { useChatMessages } from './use-chat-messages.ts'
import './chat.css'

const useTexts = defineTexts({
  en: {
    title: 'Chat',
    placeholder: 'Say something, or ask about what was said …',
    message: 'Message',
    send: 'Send',
    stop: 'Stop',
  },
  zh: {
    title: '聊天',
    placeholder: '说点什么，或问问之前说过的内容…',
    message: '消息',
    send: '发送',
    stop: '停止',
  },
})

/** The key code of a key that an input method takes. Safari also gives it to the Enter that ends a word. */
const TAKEN_BY_INPUT_METHOD = 229

/**
 * A chat with the server: with the model in the settings or, without one, with a responder that finds answers
 * in the log.
 */
export function ChatPanel({ sessionId, isNew }: { readonly sessionId: string; readonly isNew: boolean }) {
  const texts = useTexts()
  const [typed, setTyped] = useState('')
  const [underWay, setUnderWay] = useState<UnderWay | null>(null)
  const [failure, setFailure] = useState<unknown>(null)
  const stop = useRef<AbortController | null>(null)
  const { loaded, hasOlder, showOlder, readAt } = useChatMessages(sessionId, { isNew })
  const messages = loaded.value?.messages ?? []
  const latest = useRef(messages)
  latest.current = messages
  useEffect(() => () => stop.current?.abort(), [])
  useEffect(() => {
    // The reply is in the log before its stream ends. So it now stands among the messages.
    setUnderWay(before => (before?.state === 'over' ? null : before))
  }, [loaded.value, loaded.error])

  const send = async (question: string) => {
    const controller = new AbortController()
    stop.current = controller
    const asked = { question, afterSeq: messages.at(-1)?.seq ?? 0 }
    setFailure(null)
    setTyped('')
    setUnderWay({ ...asked, reply: '', state: 'coming' })
    readAt('end')
    let reply = ''
    try {
      for await (reply of askForReply(sessionId, question, controller.signal))
        setUnderWay({ ...asked, reply, state: 'coming' })
      setUnderWay({ ...asked, reply, state: 'over' })
    } catch (error) {
      setUnderWay(null)
      if (!isAbort(error)) {
        setFailure(error)
        // A question that the server did not store goes back into the field. One that it stored need not be
        // sent again.
        if (!isQuestionIn(latest.current, asked)) setTyped(before => before || question)
      }
    }
    stop.current = null
    loaded.reload()
  }

  const submit = () => {
    const question = typed.trim()
    if (question !== '' && stop.current === null) void send(question)
  }
  return (
    <section class="chat-panel card" aria-label={texts.title}>
      <h2>{texts.title}</h2>
      <ChatMessages
        sessionId={sessionId}
        messages={messages}
        underWay={underWay}
        onOlder={hasOlder ? () => void showOlder().catch(setFailure) : null}
        onMoved={readAt}
      />
      {loaded.error !== null && <ErrorNotice error={loaded.error} onRetry={loaded.reload} />}
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
            if (event.isComposing || event.keyCode === TAKEN_BY_INPUT_METHOD) return
            if (event.key !== 'Enter' || event.shiftKey) return
            event.preventDefault()
            submit()
          }}
        />
        {underWay?.state === 'coming' ? (
          <Button onClick={() => stop.current?.abort()}>{texts.stop}</Button>
        ) : (
          <Button look="primary" type="submit" disabled={typed.trim() === ''}>
            {texts.send}
          </Button>
        )}
      </form>
    </section>
  )
}
