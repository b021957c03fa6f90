import type { Message, MessageEntity } from 'grammy/types'
import type { BotIdentity } from './read-update.ts'

/** Named with its @username, by its name with a link, or by a command that bears its name. */
export function mentionsBot(message: Message, bot: BotIdentity): boolean {
  const { text = '', entities = [], caption = '', caption_entities = [] } = message
  return (
    entities.some(entity => namesBot(entity, text, bot)) ||
    caption_entities.some(entity => namesBot(entity, caption, bot))
  )
}

/** It begins with a command that bears another bot's name. */
export function isForOther(
  { text, caption, entities, caption_entities }: Message,
  bot: BotIdentity,
): boolean {
  const command = (entities ?? caption_entities)?.find(
    ({ type, offset }) => type === 'bot_command' && offset === 0,
  )
  const written = (text ?? caption ?? '').slice(0, command?.length ?? 0).toLowerCase()
  return written.includes('@') && !written.endsWith(`@${bot.username.toLowerCase()}`)
}

/** Offsets are in UTF-16 units, as those of JavaScript. */
function namesBot(entity: MessageEntity, text: string, { id, username }: BotIdentity): boolean {
  const written = text.slice(entity.offset, entity.offset + entity.length).toLowerCase()
  switch (entity.type) {
    case 'mention':
      return written === `@${username.toLowerCase()}`
    case 'text_mention':
      return entity.user.id === id
    case 'bot_command':
      // Without a name it may be any bot's, or the path of a file.
      return written.endsWith(`@${username.toLowerCase()}`)
    default:
      return false
  }
}
