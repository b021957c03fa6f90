import type { Message, MessageEntity } from 'grammy/types'
import type { BotIdentity } from './read-update.ts'

/** Named with its @username, by its name with a link, or by a command that is not meant for another bot. */
export function mentionsBot(message: Message, bot: BotIdentity): boolean {
  const { text = '', entities = [], caption = '', caption_entities = [] } = message
  return (
    entities.some(entity => namesBot(entity, text, bot)) ||
    caption_entities.some(entity => namesBot(entity, caption, bot))
  )
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
      return !written.includes('@') || written.endsWith(`@${username.toLowerCase()}`)
    default:
      return false
  }
}
