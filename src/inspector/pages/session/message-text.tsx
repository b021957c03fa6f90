import type { ContentPart, Message } from '../../api/types.ts'
import { defineTexts } from '../../language/language.ts'

const useTexts = defineTexts({
  en: { calls: 'calls', result: 'result of', image: 'image', file: 'file', reasoning: 'reasoning' },
  zh: { calls: '调用', result: '结果', image: '图片', file: '文件', reasoning: '推理' },
})

/** What a message says, and in a line each what it holds beside text. */
export function MessageText({ message }: { readonly message: Pick<Message, 'content' | 'text'> }) {
  const { content } = message
  if (typeof content === 'string') return <p class="text">{content}</p>
  return (
    <>
      {content.map((part, index) =>
        part.type === 'text' ? (
          <p key={index} class="text">
            {String(part['text'] ?? '')}
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
    default:
      return (
        <p class="part">
          {part.type} <code>{compactJson(part)}</code>
        </p>
      )
  }
}

const LONGEST_JSON = 2_000

function compactJson(value: unknown): string {
  const text = typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
  return text.length > LONGEST_JSON ? `${text.slice(0, LONGEST_JSON)} …` : text
}

/** Never the bytes themselves. */
function reference(part: ContentPart): string {
  const named = ['file', 'url', 'path', 'id', 'name', 'filename']
    .map(field => part[field])
    .find(value => typeof value === 'string' && value.length <= 500)
  return String(named ?? part['mediaType'] ?? '')
}
