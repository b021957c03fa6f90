import type { Place } from '@palimpsest/bot/internals/channel'
import { sessionIdOf } from '@palimpsest/bot/internals/session-id'
import { InvalidArgumentError } from 'palimpsest/internals/errors'

export interface ChatAddress {
  readonly channel: string
  readonly place: Place
}

/** The channel and the place that a session's id is made of. */
export function readChatAddress(id: string): ChatAddress {
  const [channel, chat, thread, ...more] = id.split(':').map(decoded)
  if (channel && chat && thread !== '' && more.length === 0) {
    const place = { chat, ...(thread !== undefined && { thread }) }
    if (sessionIdOf(channel, place) === id) return { channel, place }
  }
  throw new InvalidArgumentError(
    '--session',
    id,
    'channel:chat or channel:chat:thread, such as terminal:work; what was archived (…/archive-…) can be searched and exported',
  )
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
