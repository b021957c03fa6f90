import type { Content, ContentPart } from '../log/index.ts'

/** What the model or a tool said, in the form of the log; `null`: nothing. */
export function toInput(message: unknown): { role: 'assistant' | 'tool'; content: Content } | null {
  const { role, content } = message as { role: 'assistant' | 'tool'; content: unknown }
  const stored = toContent(content, role)
  return stored.length === 0 ? null : { role, content: stored }
}

function toContent(content: unknown, role: 'assistant' | 'tool'): Content {
  if (typeof content === 'string') return content
  if (!Array.isArray(content)) return ''
  return content.flatMap(part => toPart(part as SdkPart, role))
}

type SdkPart = { readonly type: string } & Readonly<Record<string, unknown>>

const KNOWN: readonly string[] = [
  'text',
  'reasoning',
  'image',
  'file',
  'tool-call',
  'tool-result',
  'tool-approval-request',
  'tool-approval-response',
] satisfies ContentPart['type'][]

/**
 * A part that only the SDK knows is kept as it came, beside an empty thought: an empty thought is never shown
 * as text.
 */
function toPart(part: SdkPart, role: 'assistant' | 'tool'): ContentPart[] {
  // In the assistant's content the SDK has only results of the provider, and does not mark them.
  if (part.type === 'tool-result' && role === 'assistant')
    return [{ ...part, providerExecuted: true } as unknown as ContentPart]
  if (part.type === 'text' && part['text'] === '' && part['interrupted'] === undefined) return []
  if (KNOWN.includes(part.type)) return [part as unknown as ContentPart]
  return [{ type: 'reasoning', text: '', part } as ContentPart]
}
