import type { Content, Role } from './message.ts'

/** What ties a message to others: a call to its result, an approval to its request. */
export interface Links {
  readonly opens: readonly string[]
  readonly closes: readonly string[]
}

const NONE: Links = { opens: [], closes: [] }

export function contentLinks(content: Content): Links {
  if (typeof content === 'string') return NONE
  const opens: string[] = []
  const closes: string[] = []
  for (const part of content) {
    if (part.type === 'tool-call') opens.push(`call:${part.toolCallId}`)
    else if (part.type === 'tool-result') closes.push(`call:${part.toolCallId}`)
    else if (part.type === 'tool-approval-request') opens.push(`approval:${part.approvalId}`)
    else if (part.type === 'tool-approval-response') closes.push(`approval:${part.approvalId}`)
  }
  return opens.length + closes.length === 0 ? NONE : { opens, closes }
}

/** A reply ends a turn. It is a message of the assistant that leaves no call and no approval open. */
export function isReply(role: Role, links: Links): boolean {
  return role === 'assistant' && links.opens.every(id => links.closes.includes(id))
}
