import { useEffect, useRef } from 'preact/hooks'
import type { Message } from '../../../api/types.ts'
import { defineTexts, useFormats } from '../../../language/language.ts'
import { useSpeakerName } from '../../../language/use-speaker-name.ts'
import { linkTo } from '../../../routes.ts'
import { MessageText } from '../message-text.tsx'
import { heightOfTokens } from './heights.ts'
import { useOpen, type Visit } from './visit.ts'

const useTexts = defineTexts({
  en: {
    show: (seq: number) => `Show the whole of message ${seq}`,
    hide: (seq: number) => `Show less of message ${seq}`,
    tokens: 'tokens',
    edited: 'edited',
    erase: 'Erase …',
  },
  zh: {
    show: (seq: number) => `显示第 ${seq} 条消息全文`,
    hide: (seq: number) => `收起第 ${seq} 条消息`,
    tokens: '个词元',
    edited: '已编辑',
    erase: '删除…',
  },
})

/** More characters than fit into the highest closed message. */
const MAX_CHARACTERS_CLOSED = 5_000

/** One message as it was said. Closed, it is as high as its tokens; open, as high as its text. */
export function MessageStratum({
  sessionId,
  message,
  visit,
}: {
  readonly sessionId: string
  readonly message: Message
  readonly visit: Visit
}) {
  const texts = useTexts()
  const { number, moment } = useFormats()
  const speakerName = useSpeakerName()
  const place = useRef<HTMLLIElement>(null)
  const { seq, tokens } = message
  const isSought = seq === visit.soughtSeq
  const [isOpen, setOpen] = useOpen(visit, `message-${seq}`, isSought)
  useEffect(() => {
    if (!isSought || visit.isReached) return
    visit.isReached = true
    place.current?.scrollIntoView({ block: 'center' })
  }, [visit, isSought])
  return (
    <li
      ref={place}
      value={seq}
      class={`message-stratum ${message.role}${isOpen ? ' open' : ''}${isSought ? ' sought' : ''}`}
      style={isOpen ? {} : { height: `${heightOfTokens(tokens)}px` }}
    >
      <span class="seq">{seq}</span>
      <div class="said">
        <p class="who">
          <bdi>{speakerName(message)}</bdi>
          <time dateTime={message.at}>{moment(message.at)}</time>
          {message.version > 1 && <span class="chip">{texts.edited}</span>}
        </p>
        <MessageText message={message} {...(!isOpen && { most: MAX_CHARACTERS_CLOSED, quotes: 'behind' })} />
        {isOpen && (
          <p class="actions">
            <a href={linkTo(['erasures'], { kind: 'messages', session: sessionId, seq: String(seq) })}>
              {texts.erase}
            </a>
          </p>
        )}
      </div>
      <button
        type="button"
        class="tokens"
        aria-expanded={isOpen}
        aria-label={`${isOpen ? texts.hide(seq) : texts.show(seq)} (${number(tokens)} ${texts.tokens})`}
        onClick={() => setOpen(!isOpen)}
      >
        {number(tokens)}
      </button>
    </li>
  )
}
