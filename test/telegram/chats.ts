import type { Chat, Message, User } from 'grammy/types'
import { findEntities } from './entities.ts'
import { Refusal } from './refusal.ts'

/** What the bot said. */
export interface SentMessage {
  readonly chat: string
  readonly id: number
  readonly thread: number | null
  readonly replyTo: number | null
  /** As it stands now. */
  text: string
  /** All that it said, oldest first. */
  readonly texts: string[]
}

export interface SentEdit {
  readonly chat: string
  readonly id: number
  readonly text: string
}

export interface SendRequest {
  readonly chat_id?: number | string
  readonly text?: string
  readonly message_thread_id?: number
  readonly reply_parameters?: { message_id: number; allow_sending_without_reply?: boolean }
}

export interface EditRequest {
  readonly chat_id?: number | string
  readonly message_id?: number
  readonly text?: string
}

interface KnownChat {
  readonly chat: Chat
  readonly messages: Map<number, Message>
  readonly threads: Set<number>
}

const MOST_CHARACTERS = 4_096

/** The chats of a bot, with the checks that Telegram makes. A chat exists when somebody has said something in it. */
export class Chats {
  readonly sent: SentMessage[] = []
  readonly edits: SentEdit[] = []
  readonly typing: string[] = []
  readonly #bot: User
  readonly #chats = new Map<string, KnownChat>()
  readonly #blocked = new Set<string>()
  #lastMessageId = 100

  constructor(bot: User) {
    this.#bot = bot
  }

  say(said: Partial<Message>): Message {
    const from = said.from ?? ADA
    const chat = said.chat ?? privateChat(from)
    const known = this.#chats.get(String(chat.id)) ?? { chat, messages: new Map(), threads: new Set() }
    this.#chats.set(String(chat.id), known)
    const replied = said.reply_to_message
    const message = {
      message_id: ++this.#lastMessageId,
      date: Math.floor(Date.now() / 1_000),
      ...withEntities(said),
      from,
      chat,
      ...(replied && { reply_to_message: known.messages.get(replied.message_id) ?? replied }),
    } as Message
    known.messages.set(message.message_id, message)
    if (message.is_topic_message && message.message_thread_id) known.threads.add(message.message_thread_id)
    return message
  }

  change(message: Message, changes: Partial<Message>): Message {
    const { entities, caption_entities, ...kept } = message
    const changed = { ...kept, ...withEntities(changes), edit_date: message.date + 1 } as Message
    this.#chats.get(String(message.chat.id))?.messages.set(message.message_id, changed)
    return changed
  }

  /** A person blocks the bot, or a group throws it out. */
  block(chat: number | string): void {
    this.#blocked.add(String(chat))
  }

  send(request: SendRequest): Message {
    const { chat, messages } = this.#open(request)
    const text = checkedText(request.text)
    const { message_thread_id: thread, reply_parameters: reply } = request
    const isKnown = reply !== undefined && messages.has(reply.message_id)
    if (reply && !isKnown && !reply.allow_sending_without_reply)
      throw new Refusal(400, 'Bad Request: message to be replied not found')
    const message = {
      message_id: ++this.#lastMessageId,
      from: this.#bot,
      chat,
      date: Math.floor(Date.now() / 1_000),
      text,
      ...(thread !== undefined && { message_thread_id: thread, is_topic_message: true }),
      ...(isKnown && { reply_to_message: messages.get(reply.message_id) }),
    } as Message
    messages.set(message.message_id, message)
    this.sent.push({
      chat: String(chat.id),
      id: message.message_id,
      thread: thread ?? null,
      replyTo: isKnown ? reply.message_id : null,
      text,
      texts: [text],
    })
    return message
  }

  edit(request: EditRequest): Message {
    const { chat, messages } = this.#open(request)
    const text = checkedText(request.text)
    const message = messages.get(request.message_id ?? 0)
    if (!message) throw new Refusal(400, 'Bad Request: message to edit not found')
    if (message.from?.id !== this.#bot.id) throw new Refusal(400, "Bad Request: message can't be edited")
    if (message.text === text)
      throw new Refusal(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same ' +
          'as a current content and reply markup of the message',
      )
    message.text = text
    const sent = this.sent.find(({ id }) => id === message.message_id)!
    sent.text = text
    sent.texts.push(text)
    this.edits.push({ chat: String(chat.id), id: message.message_id, text })
    return message
  }

  showTyping(request: SendRequest): true {
    this.typing.push(String(this.#open(request).chat.id))
    return true
  }

  #open({ chat_id, message_thread_id: thread }: SendRequest): KnownChat {
    const id = String(chat_id)
    const known = this.#chats.get(id)
    if (!known) throw new Refusal(400, 'Bad Request: chat not found')
    if (this.#blocked.has(id))
      throw new Refusal(
        403,
        known.chat.type === 'private'
          ? 'Forbidden: bot was blocked by the user'
          : 'Forbidden: bot was kicked from the supergroup chat',
      )
    if (thread !== undefined && !known.threads.has(thread))
      throw new Refusal(400, 'Bad Request: message thread not found')
    return known
  }
}

/** Who speaks where nobody is named. */
const ADA: User = { id: 1_001, is_bot: false, first_name: 'Ada', last_name: 'Lovelace', username: 'ada' }

function privateChat({ id, first_name }: User): Chat {
  return { id, type: 'private', first_name }
}

function withEntities(said: Partial<Message>): Partial<Message> {
  const { text, caption } = said
  return {
    ...(text !== undefined && { entities: findEntities(text) }),
    ...(caption !== undefined && { caption_entities: findEntities(caption) }),
    ...said,
  }
}

/** White space around it is taken off before it is looked at. */
function checkedText(given: string | undefined): string {
  const text = given?.trim() ?? ''
  if (text === '') throw new Refusal(400, 'Bad Request: message text is empty')
  if (text.length > MOST_CHARACTERS) throw new Refusal(400, 'Bad Request: message is too long')
  return text
}
