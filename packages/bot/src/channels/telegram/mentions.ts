import type { Message, MessageEntity } from 'grammy/types'
import type { BotIdentity } from './read-update.ts'

/** The message names the bot by its @username, by a link to it, or by a command with its name. */
export function mentionsBot(message: Message, bot: BotIdentity): boolean {
  const { text = '', entities = [], caption = '', caption_entities = [] } = message
  return (
    entities.some(entity => namesBot(entity, text, bot)) ||
    caption_entities.some(entity => namesBot(entity, caption, bot))
  )
}

/** The message begins with a command that names another bot. */
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

/** Telegram counts offsets in UTF-16 units, as JavaScript does. */
function namesBot(entity: MessageEntity, text: string, { id, username }: BotIdentity): boolean {
  const written = text.slice(entity.offset, entity.offset + entity.length).toLowerCase()
  switch (entity.type) {
    case 'mention':
      return written === `@${username.toLowerCase()}`
    case 'text_mention':
      return entity.user.id === id
    case 'bot_command':
      // A command without a name may be any bot's, or the path of a file.
      return written.endsWith(`@${username.toLowerCase()}`)
    default:
      return false
  }
}
