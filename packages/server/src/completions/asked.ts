import type { Said } from './fingerprint.ts'

/**
 * The last messages of the user. Either they are to be answered now, or they began the tool calls whose
 * results are to be answered.
 */
export function askedIn<Message extends Said>(messages: readonly Message[]): readonly Message[] {
  const end = messages.findLastIndex(message => !isOnTheWay(message)) + 1
  const before = messages.slice(0, end)
  const lastReply = before.findLastIndex(({ role }) => role === 'assistant' || role === 'tool')
  return before.slice(lastReply + 1).filter(({ role }) => role === 'user')
}

function isOnTheWay({ role, content }: Said): boolean {
  if (role === 'tool') return true
  return (
    role === 'assistant' && typeof content !== 'string' && content.some(({ type }) => type === 'tool-call')
  )
}
