import type { NewMessage, Size } from 'palimpsest/internals/log/index'
import { estimateTokens, MESSAGE_OVERHEAD_TOKENS } from 'palimpsest/internals/tokens/index'

/** What a model wrote of a message of this size: neither its frame nor the name above it. */
export function outputTokens(
  { sender }: Pick<NewMessage, 'sender'>,
  { tokens }: Pick<Size, 'tokens'>,
): number {
  return tokens - MESSAGE_OVERHEAD_TOKENS - estimateTokens(sender?.name ?? sender?.id ?? '')
}
