import { useState } from 'preact/hooks'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { linkTo } from '../../../routes.ts'
import { Button } from '../../../ui/button.tsx'
import { MessageContent } from './message-content.tsx'
import type { ShownMessage } from './read-blocks.ts'

const useTexts = defineTexts({
  en: {
    roles: { system: 'system', user: 'user', assistant: 'assistant', tool: 'tool' },
    message: (seq: string) => `message ${seq}`,
    tokens: (count: string) => `${count} tokens`,
    earlier: (count: string) => `Show ${count} earlier ones`,
  },
  zh: {
    roles: { system: '系统', user: '用户', assistant: '助手', tool: '工具' },
    message: (seq: string) => `消息 ${seq}`,
    tokens: (count: string) => `${count} 个词元`,
    earlier: (count: string) => `显示更早的 ${count} 条`,
  },
})

/** A large context holds thousands of messages. */
const AT_A_TIME = 100

export function BlockMessages({
  sessionId,
  messages,
}: {
  readonly sessionId: string
  readonly messages: readonly ShownMessage[]
}) {
  const texts = useTexts()
  const { number } = useFormats()
  const [most, setMost] = useState(AT_A_TIME)
  const hidden = Math.max(0, messages.length - most)
  return (
    <>
      {hidden > 0 && (
        <Button look="quiet" onClick={() => setMost(most + AT_A_TIME)}>
          {texts.earlier(number(Math.min(hidden, AT_A_TIME)))}
        </Button>
      )}
      <ol class="context-messages">
        {messages.slice(hidden).map(({ message, tokens, seq }, place) => (
          <li key={`${seq} ${hidden + place}`} class={message.role}>
            <p class="hint">
              <b>{texts.roles[message.role]}</b>
              {seq > 0 && (
                <a href={linkTo(['sessions', sessionId, 'strata'], { seq: String(seq) })}>
                  {texts.message(number(seq))}
                </a>
              )}
              <span>{texts.tokens(number(tokens))}</span>
            </p>
            <MessageContent content={message.content} />
          </li>
        ))}
      </ol>
    </>
  )
}
