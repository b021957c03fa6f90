import type { CacheBreakpoints, ModelMessage } from '../context/index.ts'
import type { ProviderOptions, SentToModel, SystemMessage } from './sdk.ts'

/** For providers that cache only on request. Each provider reads its own entry and ignores the others. */
const MARK: ProviderOptions = {
  anthropic: { cacheControl: { type: 'ephemeral' } },
  bedrock: { cachePoint: { type: 'default' } },
}

export function markedInstructions(
  instructions: string,
  { afterInstructions }: CacheBreakpoints,
): SystemMessage | undefined {
  if (instructions.trim() === '') return undefined
  return {
    role: 'system',
    content: instructions,
    ...(afterInstructions && { providerOptions: MARK }),
  }
}

export function markedMessages(
  messages: readonly ModelMessage[],
  { afterMessages }: CacheBreakpoints,
): SentToModel[] {
  return messages.map((message, index) =>
    afterMessages.includes(index) ? { ...message, providerOptions: MARK } : message,
  )
}

/**
 * Within a loop of tool calls the last message is marked too, so that each step reads what the step before it
 * wrote. Providers allow few marks, so this mark moves: the marks of earlier steps are removed.
 */
export function markedAtEnd(messages: readonly SentToModel[], ofTheTurn: number): SentToModel[] {
  const last = messages.length - 1
  return messages.map((message, index) => {
    if (index === last) return { ...message, providerOptions: { ...message.providerOptions, ...MARK } }
    if (index < ofTheTurn || message.providerOptions === undefined) return message
    const { anthropic, bedrock, ...others } = message.providerOptions
    const { providerOptions, ...bare } = message
    return Object.keys(others).length > 0 ? { ...bare, providerOptions: others } : bare
  })
}
