import type { LanguageModelMiddleware } from 'ai'
import type { Content, ContentPart } from '../../log/index.ts'
import { toInput } from '../../turn/index.ts'

export type CallOptions = Parameters<NonNullable<LanguageModelMiddleware['wrapGenerate']>>[0]['params']
type PromptMessage = CallOptions['prompt'][number]

export interface Listed {
  readonly role: 'user' | 'assistant' | 'tool'
  readonly content: Content
}

/** The messages of a call's prompt for the log, without its instructions. */
export function promptMessages(prompt: CallOptions['prompt']): Listed[] {
  return prompt.flatMap((message): Listed[] => {
    if (message.role === 'system') return []
    if (message.role === 'user') return [{ role: 'user', content: message.content.map(toPart) }]
    const input = toInput(message)
    return input === null ? [] : [input]
  })
}

export function promptInstructions(prompt: CallOptions['prompt']): string {
  return prompt.flatMap(message => (message.role === 'system' ? [message.content] : [])).join('\n\n')
}

/** At the level of models, a file tells what kind its data is. */
function toPart(part: Extract<PromptMessage, { role: 'user' }>['content'][number]): ContentPart {
  if (part.type === 'text') return { type: 'text', text: part.text }
  const { data, ...rest } = part
  if (data.type === 'url') return { ...rest, type: 'file', data: data.url.href } as ContentPart
  if (data.type === 'data') return { ...rest, type: 'file', data: data.data } as ContentPart
  return { ...rest, type: 'file', source: data } as unknown as ContentPart
}
