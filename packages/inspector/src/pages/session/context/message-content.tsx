import type { ContentPart, ModelMessage } from '../../../api/types.ts'

/** Exactly what the model is given: text as it is, everything else as the JSON that it is sent as. */
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
