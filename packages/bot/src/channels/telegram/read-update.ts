import type { Chat, Message, Update, User } from 'grammy/types'
import type { IncomingMessage, IncomingSender } from '../../channel.ts'
import { cleanName } from './clean-name.ts'
import { contentOf } from './content.ts'
import { isForOther, mentionsBot } from './mentions.ts'
import { forwardOrigin } from './origins.ts'

/** The bot's own account on Telegram. */
export interface BotIdentity {
  readonly id: number
  readonly username: string
}

export type ReadUpdate =
  | { readonly type: 'message' | 'edited'; readonly message: IncomingMessage }
  /** A group became a supergroup with another id. */
  | { readonly type: 'moved'; readonly from: string; readonly to: string }

/** `null`: the update holds nothing that was said. */
export function readUpdate(update: Update, bot: BotIdentity): ReadUpdate | null {
  const { message, edited_message: edited } = update
  if (message?.migrate_to_chat_id !== undefined)
    return { type: 'moved', from: String(message.chat.id), to: String(message.migrate_to_chat_id) }
  if (message?.migrate_from_chat_id !== undefined)
    return { type: 'moved', from: String(message.migrate_from_chat_id), to: String(message.chat.id) }
  // Edits of a live location are ignored: they come every few seconds.
  const said = edited?.location ? undefined : (message ?? edited)
  const read = said && readMessage(said, bot)
  return read ? { type: edited ? 'edited' : 'message', message: read } : null
}

const KINDS = { private: 'private', group: 'group', supergroup: 'group', channel: null } as const

/**
 * `null`: it is a service message, a message of the bot itself, or one that only one member of the group can
 * see.
 */
export function readMessage(message: Message, bot: BotIdentity): IncomingMessage | null {
  const kind = KINDS[message.chat.type]
  const content = contentOf(message)
  const sender = senderOf(message)
  const isSeenByAll = message.message_id !== 0
  if (kind === null || content === null || !sender || sender.id === String(bot.id) || !isSeenByAll)
    return null
  const repliedTo = repliedToBy(message)
  const isForwarded = forwardOrigin(message) !== null
  return {
    kind,
    chat: String(message.chat.id),
    ...(isInTopic(message) && { thread: String(message.message_thread_id) }),
    id: String(message.message_id),
    sender,
    content,
    at: new Date(message.date * 1_000),
    ...(repliedTo && { replyTo: String(repliedTo.message_id) }),
    ...(repliedTo && repliedCopy(repliedTo, bot)),
    // Mentions in a forwarded message were meant for another place.
    mentionsBot: !isForwarded && mentionsBot(message, bot),
    repliesToBot: repliedTo?.from?.id === bot.id,
    ...(!isForwarded && isForOther(message, bot) && { isForOther: true }),
  }
}

/** The platform's copy of the answered message, for a log that does not have it. */
function repliedCopy(replied: Message, bot: BotIdentity): Pick<IncomingMessage, 'repliedTo'> {
  const content = contentOf(replied)
  const sender = senderOf(replied)
  if (content === null || !sender) return {}
  const isOwn = replied.from?.id === bot.id
  return {
    repliedTo: { sender, content, at: new Date(replied.date * 1_000), ...(isOwn && { isOwn: true }) },
  }
}

/** In groups without topics, `message_thread_id` names only a chain of replies. */
function isInTopic({ is_topic_message, message_thread_id }: Message): boolean {
  return is_topic_message === true && message_thread_id !== undefined
}

/**
 * In a topic, Telegram presents a message that answers nothing as an answer to the one that opened the topic.
 */
function repliedToBy(message: Message): Message | null {
  const { reply_to_message: replied } = message
  return replied && !replied.forum_topic_created ? replied : null
}

/** The made-up user that Telegram shows for anonymous administrators. */
const GROUP_ANONYMOUS_BOT = 1_087_968_824

/**
 * For anonymous administrators and channels, `from` is a made-up user. Their messages count as the chat's.
 */
function senderOf({ sender_chat: spokenFor, from, chat }: Message): IncomingSender | null {
  const asChat = spokenFor ?? (from?.id === GROUP_ANONYMOUS_BOT ? chat : undefined)
  const sender = asChat ?? from
  if (!sender) return null
  const name = nameOf(sender)
  return {
    id: String(sender.id),
    ...(name !== '' && { name }),
    ...(asChat && { isChat: true }),
    ...(!asChat && from?.is_bot && { isBot: true }),
  }
}

function nameOf(sender: User | Chat): string {
  const { first_name: first, last_name: last, title, username } = sender as Partial<User> & { title?: string }
  const name = [first, last].map(cleanName).filter(Boolean).join(' ') || cleanName(title)
  return name || (username ? `@${username}` : '')
}
