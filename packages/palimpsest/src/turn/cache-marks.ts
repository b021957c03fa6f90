import type { CacheBreakpoints, ModelMessage } from '../context/index.ts'
import type { ProviderOptions, SentToModel, SystemMessage } from './sdk.ts'

/** For the providers that cache only where they are asked to; each reads its own entry, the others none. */
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
 * Within a loop of tool calls the last message is marked too, so that each step reads what the one before wrote.
 * Providers allow few marks, so that it moves: those of earlier steps are taken back.
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
