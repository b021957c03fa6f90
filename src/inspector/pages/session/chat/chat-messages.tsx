import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import type { Message } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { useSpeakerName } from '../../../language/use-speaker-name.ts'
import { linkTo } from '../../../routes.ts'
import { MessageText } from '../message-text.tsx'

const useTexts = defineTexts({
  en: {
    empty: 'Nothing has been said yet. Say something: after a few turns, watch it settle into strata.',
    thinking: 'The reply is on its way …',
    log: 'Messages, oldest first',
  },
  zh: {
    empty: '还没有消息。说点什么吧：几轮之后就能看到它沉积成层。',
    thinking: '正在回复…',
    log: '消息，从早到晚',
  },
})

/** So near to the end somebody reads what comes, and is taken along. */
const NEAR_PX = 120

export function ChatMessages({
  messages,
  underWay,
  older,
}: {
  readonly messages: readonly Message[]
  readonly underWay: { readonly question: string; readonly reply: string } | null
  readonly older: ComponentChildren
}) {
  const texts = useTexts()
  const place = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const newest = messages.at(-1)?.seq
  useLayoutEffect(() => {
    const element = place.current
    if (element !== null && isAtEnd.current) element.scrollTop = element.scrollHeight
  }, [newest, messages.length, underWay])
  // Once it is stored, it comes with the others.
  const last = messages.findLast(({ role }) => role === 'user')
  const isStored = underWay !== null && last?.text === underWay.question
  return (
    <div
      ref={place}
      class="chat-messages"
      role="log"
      aria-label={texts.log}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: whoever has no mouse scrolls it by the keyboard
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, clientHeight, scrollHeight } }) => {
        isAtEnd.current = scrollTop + clientHeight > scrollHeight - NEAR_PX
      }}
    >
      {older}
      {messages.length === 0 && underWay === null && <p class="empty">{texts.empty}</p>}
      {messages.map(message => (
        <ChatMessage key={message.seq} message={message} />
      ))}
      {underWay !== null && !isStored && <p class="bubble user">{underWay.question}</p>}
      {underWay !== null && <p class="bubble assistant">{underWay.reply || texts.thinking}</p>}
    </div>
  )
}

function ChatMessage({ message }: { readonly message: Message }) {
  const speakerName = useSpeakerName()
  const { moment } = useFormats()
  const [sessionId] = message.id.split(/\/(?=\d+$)/)
  return (
    <article class={`bubble ${message.role}`}>
      <p class="who">
        <bdi>{speakerName(message)}</bdi>
        <a href={linkTo(['sessions', sessionId!, 'strata'], { seq: String(message.seq) })}>
          <time dateTime={message.at}>{moment(message.at)}</time>
        </a>
      </p>
      <MessageText message={message} />
    </article>
  )
}
