import type { Update } from 'grammy/types'
import type { MessageInput } from '../../packages/palimpsest/src/index.ts'
import { RECORDED_SUPERGROUP, recordedUpdates } from './recorded-group.ts'

/** A message of the recorded group, as a bot that was in it has it in its log. */
export interface Recorded extends Pick<MessageInput, 'content' | 'sender' | 'externalId'> {
  readonly role: 'user'
  readonly content: string
  readonly sender: { readonly id: string; readonly name: string }
  readonly at: Date
  readonly externalId: string
}

/** Without edits and service messages, under the ids that a channel gives. */
export const recordedMessages: readonly Recorded[] = recordedUpdates.flatMap(({ message }: Update) => {
  if (message?.text === undefined) return []
  const { from, chat, message_id: id, date, text } = message
  return [
    {
      role: 'user' as const,
      content: text,
      sender: { id: `telegram:${from.id}`, name: from.first_name },
      at: new Date(date * 1_000),
      externalId: chat.id === RECORDED_SUPERGROUP.id ? `${chat.id}/${id}` : String(id),
    },
  ]
})
