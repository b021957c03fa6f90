import { isProviderCall, understands, withoutProviderTools } from '../context/index.ts'
import type { Language } from '../language/index.ts'
import type { ModelPrompt } from './model-prompt.ts'

/** A note stands for each call that another provider ran: only that provider can read the result. */
export function promptFor(prompt: ModelPrompt, provider: unknown, language: Language): ModelPrompt {
  if (typeof provider !== 'string') return prompt
  return prompt.map(message => {
    const { role, content } = message as { role?: unknown; content?: unknown }
    if (role !== 'assistant' || !Array.isArray(content) || !content.some(isProviderCallOrResult))
      return message
    return {
      ...message,
      content: withoutProviderTools(content, part => understands(provider, part), language),
    }
  })
}

function isProviderCallOrResult(part: { readonly type: string }): boolean {
  return isProviderCall(part) || part.type === 'tool-result'
}
