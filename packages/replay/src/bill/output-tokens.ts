import type { NewMessage, Size } from '../../../palimpsest/src/log/index.ts'
import { estimateTokens, MESSAGE_OVERHEAD_TOKENS } from '../../../palimpsest/src/tokens/index.ts'

/** What a model wrote of a message of this size: neither its frame nor the name above it. */
export function outputTokens(
  { sender }: Pick<NewMessage, 'sender'>,
  { tokens }: Pick<Size, 'tokens'>,
): number {
  return tokens - MESSAGE_OVERHEAD_TOKENS - estimateTokens(sender?.name ?? sender?.id ?? '')
}
