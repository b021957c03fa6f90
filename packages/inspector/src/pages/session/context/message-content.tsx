import type { ContentPart, ModelMessage } from '../../../api/types.ts'

/** Exactly what the model gets: text as it is, and any other part as the JSON that is sent. */
export function MessageContent({ content }: { readonly content: ModelMessage['content'] }) {
  if (typeof content === 'string') return <pre class="context-text">{content}</pre>
  return (
    <>
      {content.map((part, place) => (
        <pre key={place} class={`context-text ${part.type === 'text' ? '' : 'part'}`}>
          {textOf(part)}
        </pre>
      ))}
    </>
  )
}

function textOf(part: ContentPart): string {
  return part.type === 'text' && typeof part['text'] === 'string'
    ? part['text']
    : JSON.stringify(part, null, 2)
}
