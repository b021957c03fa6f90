import type { Answered, ContentPart, Message, Origin } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'
import { useOriginText } from '../../language/use-origin-text.ts'
import { useSpeakerName } from '../../language/use-speaker-name.ts'

const useTexts = defineTexts({
  en: { calls: 'calls', result: 'result of', image: 'image', file: 'file', reasoning: 'reasoning' },
  zh: { calls: '调用', result: '结果', image: '图片', file: '文件', reasoning: '推理' },
})

/**
 * The text of a message, and one line for each part that is no text. The message that it answers stands
 * beside it. Words that are not the sender's own stand under their source.
 */
export function MessageText({
  message: { content, answered },
  most = Number.POSITIVE_INFINITY,
  quotes = 'before',
}: {
  readonly message: Pick<Message, 'content' | 'answered'>
  /**
   * The largest number of characters of each text. If only the beginning is visible, the browser need not lay
   * out a whole book.
   */
  readonly most?: number
  /** Where the answered message stands: behind the text if only the beginning of the text is visible. */
  readonly quotes?: 'before' | 'behind'
}) {
  const answers = answered && <AnsweredLine answered={answered} />
  const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : content
  return (
    <>
      {quotes === 'before' && answers}
      {parts.map((part, index) => (
        <Part key={index} part={part} most={most} />
      ))}
      {quotes === 'behind' && answers}
    </>
  )
}

function AnsweredLine({ answered }: { readonly answered: Answered }) {
  const speakerName = useSpeakerName()
  const originText = useOriginText()
  return (
    <p class="part answered">
      <bdi>{originText({ kind: 'reply', from: { name: speakerName(answered) } })}</bdi>:{' '}
      <bdi>{answered.text}</bdi>
    </p>
  )
}

function Part({ part, most }: { readonly part: ContentPart; readonly most: number }) {
  const { origin } = part
  const line =
    part.type === 'text' ? (
      <p class={origin ? 'text passed-on' : 'text'}>{beginningOf(String(part['text'] ?? ''), most)}</p>
    ) : (
      <PartLine part={part} />
    )
  if (!origin) return line
  return (
    <>
      <OriginLine origin={origin} />
      {line}
    </>
  )
}

function OriginLine({ origin }: { readonly origin: Origin }) {
  const originText = useOriginText()
  return (
    <p class="part">
      <bdi>{originText(origin)}</bdi>:
    </p>
  )
}

function PartLine({ part }: { readonly part: ContentPart }) {
  const texts = useTexts()
  switch (part.type) {
    case 'tool-call':
      return (
        <p class="part">
          {texts.calls} <code>{`${part['toolName']}(${compactJson(part['input'])})`}</code>
        </p>
      )
    case 'tool-result':
      return (
        <p class="part">
          {texts.result}{' '}
          <code>{`${part['toolName'] ?? part['toolCallId']}: ${compactJson(part['output'])}`}</code>
        </p>
      )
    case 'reasoning':
      return (
        <p class="part">
          {texts.reasoning}: {String(part['text'] ?? '')}
        </p>
      )
    case 'image':
    case 'file':
      return (
        <p class="part">
          {texts[part.type]} <code>{reference(part)}</code>
        </p>
      )
    case 'tool-approval-request':
    case 'tool-approval-response':
      return (
        <p class="part">
          {part.type} <code>{compactJson(part)}</code>
        </p>
      )
    default:
      return (
        <p class="part">
          {part.type} <code>{reference(part)}</code>
        </p>
      )
  }
}

const MAX_JSON = 2_000

function compactJson(value: unknown): string {
  return beginningOf(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), MAX_JSON)
}

function beginningOf(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)} …` : text
}

const REFERENCES = ['file', 'url', 'path', 'id', 'name', 'filename', 'file_id', 'file_url', 'image_url']

/** A name for a file or an image, never its bytes. */
function reference(part: ContentPart): string {
  const inner = Object.values(part).filter(value => typeof value === 'object' && value !== null)
  const named = [part, ...(inner as ContentPart[])]
    .flatMap(place => REFERENCES.map(field => place[field]))
    .find(value => typeof value === 'string' && value.length <= 500 && !value.startsWith('data:'))
  return String(named ?? part['mediaType'] ?? '')
}
