import type { NewMessage, Size } from 'palimpsest/internals/log/index'
import { estimateTokens, MESSAGE_OVERHEAD_TOKENS } from 'palimpsest/internals/tokens/index'

/**
 * The tokens that the model wrote for a message of this size. Neither the message's frame nor the name above
 * it counts: the model writes neither.
 */
export function outputTokens(
  { sender }: Pick<NewMessage, 'sender'>,
  { tokens }: Pick<Size, 'tokens'>,
): number {
  return tokens - MESSAGE_OVERHEAD_TOKENS - estimateTokens(sender?.name ?? sender?.id ?? '')
}
