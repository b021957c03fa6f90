import type { Message } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { useSpeakerName } from '../../../language/use-speaker-name.ts'
import { linkTo } from '../../../routes.ts'
import { Button } from '../../../ui/button.tsx'
import { MessageText } from '../message-text.tsx'
import { isQuestionIn, type UnderWay } from './under-way.ts'
import { useScrollPlace } from './use-scroll-place.ts'

const useTexts = defineTexts({
  en: {
    empty: 'Nothing has been said yet. Say something: after a few turns, watch it settle into strata.',
    thinking: 'The reply is on its way …',
    log: 'Messages, oldest first',
    older: 'Older messages',
  },
  zh: {
    empty: '还没有消息。说点什么吧：几轮之后就能看到它沉积成层。',
    thinking: '正在回复…',
    log: '消息，从早到晚',
    older: '更早的消息',
  },
})

export function ChatMessages({
  sessionId,
  messages,
  underWay,
  onOlder,
  onMoved,
}: {
  readonly sessionId: string
  readonly messages: readonly Message[]
  readonly underWay: UnderWay | null
  /** `null`: there are no older ones. */
  readonly onOlder: (() => void) | null
  readonly onMoved: (place: 'end' | 'above') => void
}) {
  const texts = useTexts()
  const { place, onScroll, stayHere } = useScrollPlace({
    first: messages[0]?.seq,
    isAsking: underWay !== null,
    onMoved,
  })
  return (
    <div
      ref={place}
      class="chat-messages"
      role="log"
      aria-label={texts.log}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a reader without a mouse scrolls it by the keyboard
      tabIndex={0}
      onScroll={onScroll}
    >
      {onOlder && (
        <Button
          look="quiet"
          onClick={() => {
            stayHere()
            onOlder()
          }}
        >
          {texts.older}
        </Button>
      )}
      {messages.length === 0 && underWay === null && <p class="empty">{texts.empty}</p>}
      {messages.map(message => (
        <ChatMessage key={message.seq} sessionId={sessionId} message={message} />
      ))}
      {underWay !== null && !isQuestionIn(messages, underWay) && (
        <p class="bubble user">{underWay.question}</p>
      )}
      {underWay !== null && <p class="bubble assistant">{underWay.reply || texts.thinking}</p>}
    </div>
  )
}

/** The strata show the rest of a longer message. */
const MAX_CHARACTERS = 8_000

function ChatMessage({ sessionId, message }: { readonly sessionId: string; readonly message: Message }) {
  const speakerName = useSpeakerName()
  const { moment } = useFormats()
  return (
    <article class={`bubble ${message.role}`}>
      <p class="who">
        <bdi>{speakerName(message)}</bdi>
        <a href={linkTo(['sessions', sessionId, 'strata'], { seq: String(message.seq) })}>
          <time dateTime={message.at}>{moment(message.at)}</time>
        </a>
      </p>
      <MessageText message={message} most={MAX_CHARACTERS} />
    </article>
  )
}
