import type { Message, Origin, Role, Sender } from './message.ts'
import { isAnswered, originOf } from './origin.ts'

/**
 * What a message answers, as a few words of it. It names an earlier message that can be seen and is not the
 * one right before, since that one is shown there anyway. It is made only from what is stored, so it is the
 * same in every context of an epoch.
 */
export interface Answered {
  readonly seq: number
  readonly role: Role
  readonly sender: Sender | null
  /**
   * Whose words the text is, if its sender said nothing of their own. A forwarded message is not the sender's
   * own statement.
   */
  readonly origin?: Origin
  /** One line. A long text is cut at the end. */
  readonly text: string
}

/**
 * Whether the answered message has to be looked up. What a model says and what tools give follows its
 * question. A message that quotes what it answers shows it already.
 */
export function mayAnswer({
  role,
  replyTo,
  content,
}: Pick<Message, 'role' | 'replyTo' | 'content'>): boolean {
  if (role !== 'user' || replyTo === null) return false
  return typeof content === 'string' || !content.some(part => isAnswered(originOf(part) ?? { kind: 'link' }))
}
