import type { Message, Origin, Role, Sender } from './message.ts'
import { isAnswered, originOf } from './origin.ts'

/**
 * What a message answers, as a few words of it: of an earlier message that can be seen, and that is not the one right
 * before it, since that one stands there anyway. From what is stored alone, so that it says the same in every context of
 * an epoch.
 */
export interface Answered {
  readonly seq: number
  readonly role: Role
  readonly sender: Sender | null
  /** Whose words the text is, where its sender said nothing of their own: a forwarded message is no saying of theirs. */
  readonly origin?: Origin
  /** On one line, its end left out where it is long. */
  readonly text: string
}

/**
 * Whether what it answers is to be looked for. What a model says and what tools give follows its question; and a message
 * that quotes what it answers says it itself.
 */
export function mayAnswer({
  role,
  replyTo,
  content,
}: Pick<Message, 'role' | 'replyTo' | 'content'>): boolean {
  if (role !== 'user' || replyTo === null) return false
  return typeof content === 'string' || !content.some(part => isAnswered(originOf(part) ?? { kind: 'link' }))
}
