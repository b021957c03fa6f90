import { InvalidArgumentError } from '../../../palimpsest/src/errors.ts'
import type { Place } from '../../../bot/src/channel.ts'
import { sessionIdOf } from '../../../bot/src/session-id.ts'

export interface ChatAddress {
  readonly channel: string
  readonly place: Place
}

/** Where a session of this id is talked in, for a session's id is made of that. */
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
