import type { Place } from './channel.ts'

/** `telegram:42`, or `telegram:-100:7` for a thread of a group. No two places have the same one. */
export function sessionIdOf(channel: string, { chat, thread }: Place): string {
  const parts = thread === undefined ? [channel, chat] : [channel, chat, thread]
  return parts.map(escapePart).join(':')
}

/** The colon separates the parts, and a slash what was archived. */
function escapePart(part: string): string {
  return part.replace(/[%:/]/g, character => encodeURIComponent(character))
}
