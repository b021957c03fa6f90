import { InvalidArgumentError } from 'palimpsest/internals/errors'
import type { IncomingMessage } from './channel.ts'

/** What types would have caught, for channels that do without. The rest is looked at when it is stored. */
export function checkIncoming(message: IncomingMessage): void {
  const { chat, thread, id, sender, kind } = message ?? {}
  const texts = { chat, id, 'sender.id': sender?.id, ...(thread !== undefined && { thread }) }
  for (const [field, value] of Object.entries(texts))
    if (typeof value !== 'string' || value === '')
      throw new InvalidArgumentError(field, value, "the platform's id, a text that is not empty")
  if (kind !== 'private' && kind !== 'group') throw new InvalidArgumentError('kind', kind, 'private, group')
}
