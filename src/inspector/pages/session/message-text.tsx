import type { ContentPart, Message } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'

const useTexts = defineTexts({
  en: { calls: 'calls', result: 'result of', image: 'image', file: 'file', reasoning: 'reasoning' },
  zh: { calls: '调用', result: '结果', image: '图片', file: '文件', reasoning: '推理' },
})

/** What a message says, and in a line each what it holds beside text. */
export function MessageText({
  message: { content },
  most = Number.POSITIVE_INFINITY,
}: {
  readonly message: Pick<Message, 'content'>
  /** Characters of each text: where only the beginning can be seen, a browser need not lay out a book. */
  readonly most?: number
}) {
  if (typeof content === 'string') return <p class="text">{beginningOf(content, most)}</p>
  return (
    <>
      {content.map((part, index) =>
        part.type === 'text' ? (
          <p key={index} class="text">
            {beginningOf(String(part['text'] ?? ''), most)}
          </p>
        ) : (
          <PartLine key={index} part={part} />
        ),
      )}
    </>
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

const LONGEST_JSON = 2_000

function compactJson(value: unknown): string {
  return beginningOf(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''), LONGEST_JSON)
}

function beginningOf(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most)} …` : text
}

const REFERENCES = ['file', 'url', 'path', 'id', 'name', 'filename', 'file_id', 'file_url', 'image_url']

/** Never the bytes themselves. */
function reference(part: ContentPart): string {
  const inner = Object.values(part).filter(value => typeof value === 'object' && value !== null)
  const named = [part, ...(inner as ContentPart[])]
    .flatMap(place => REFERENCES.map(field => place[field]))
    .find(value => typeof value === 'string' && value.length <= 500 && !value.startsWith('data:'))
  return String(named ?? part['mediaType'] ?? '')
}
