import { isProviderCall, understands, withoutProviderTools } from '../context/index.ts'
import type { Language } from '../language/index.ts'
import type { ModelPrompt } from './model-prompt.ts'

/** What another provider ran is told by a note: only the one that ran it can read what came of it. */
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
