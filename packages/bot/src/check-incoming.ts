import { InvalidArgumentError } from 'palimpsest/internals/errors'
import type { IncomingMessage } from './channel.ts'

/**
 * Checks what TypeScript would have caught, for channels in plain JavaScript. Storing the message checks the
 * rest.
 */
export function checkIncoming(message: IncomingMessage): void {
  const { chat, thread, id, sender, kind } = message ?? {}
  const texts = { chat, id, 'sender.id': sender?.id, ...(thread !== undefined && { thread }) }
  for (const [field, value] of Object.entries(texts))
    if (typeof value !== 'string' || value === '')
      throw new InvalidArgumentError(field, value, "the platform's id, a text that is not empty")
  if (kind !== 'private' && kind !== 'group') throw new InvalidArgumentError('kind', kind, 'private, group')
}
