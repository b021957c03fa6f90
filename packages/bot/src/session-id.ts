import type { Place } from './channel.ts'

/** Makes `telegram:42`, or `telegram:-100:7` for a thread of a group. Two places never have the same id. */
export function sessionIdOf(channel: string, { chat, thread }: Place): string {
  const parts = thread === undefined ? [channel, chat] : [channel, chat, thread]
  return parts.map(escapePart).join(':')
}

/** The colon separates the parts. A slash separates the suffix of archived sessions. */
function escapePart(part: string): string {
  return part.replace(/[%:/]/g, character => encodeURIComponent(character))
}
