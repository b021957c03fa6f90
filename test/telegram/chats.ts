import type { Chat, Message, MessageEntity, User } from 'grammy/types'
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
  /** How it looks now. */
  entities: readonly MessageEntity[]
}

export interface SentEdit {
  readonly chat: string
  readonly id: number
  readonly text: string
}

export interface SendRequest {
  readonly chat_id?: number | string
  readonly text?: string
  readonly entities?: readonly MessageEntity[]
  readonly message_thread_id?: number
  readonly reply_parameters?: { message_id: number; allow_sending_without_reply?: boolean }
}

export interface EditRequest {
  readonly chat_id?: number | string
  readonly message_id?: number
  readonly text?: string
  readonly entities?: readonly MessageEntity[]
}

interface KnownChat {
  readonly chat: Chat
  readonly messages: Map<number, Message>
  readonly threads: Set<number>
  /** A supergroup counts for itself. */
  lastMessageId?: number
  /** Where it went on. */
  upgradedTo?: number
}

const MAX_CHARACTERS = 4_096

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
      message_id: this.#nextId(known),
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

  unblock(chat: number | string): void {
    this.#blocked.delete(String(chat))
  }

  /** A group becomes a supergroup under another id, whose messages are counted anew. */
  upgrade(id: number): { left: Message; came: Message; supergroup: Chat } {
    const old = this.#chats.get(String(id))!
    const supergroup = {
      id: -1_000_000_000_000 + id,
      type: 'supergroup',
      title: 'title' in old.chat ? old.chat.title : '',
    } as Chat
    this.#chats.set(String(supergroup.id), {
      chat: supergroup,
      messages: new Map(),
      threads: new Set(),
      lastMessageId: 0,
    })
    const left = this.say({ chat: old.chat, migrate_to_chat_id: supergroup.id } as Partial<Message>)
    const came = this.say({ chat: supergroup, migrate_from_chat_id: id } as Partial<Message>)
    old.upgradedTo = supergroup.id
    return { left, came, supergroup }
  }

  send(request: SendRequest): Message {
    const known = this.#open(request)
    const { chat, messages } = known
    const text = checkedText(request.text)
    const entities = checkedEntities(text, request.entities)
    const { message_thread_id: thread, reply_parameters: reply } = request
    const isKnown = reply !== undefined && messages.has(reply.message_id)
    if (reply && !isKnown && !reply.allow_sending_without_reply)
      throw new Refusal(400, 'Bad Request: message to be replied not found')
    const message = {
      message_id: this.#nextId(known),
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
      entities,
    })
    return message
  }

  edit(request: EditRequest): Message {
    const { chat, messages } = this.#open(request)
    const text = checkedText(request.text)
    const entities = checkedEntities(text, request.entities)
    const message = messages.get(request.message_id ?? 0)
    if (!message) throw new Refusal(400, 'Bad Request: message to edit not found')
    if (message.from?.id !== this.#bot.id) throw new Refusal(400, "Bad Request: message can't be edited")
    const sent = this.sent.find(each => each.id === message.message_id && each.chat === String(chat.id))!
    if (message.text === text && JSON.stringify(sent.entities) === JSON.stringify(entities))
      throw new Refusal(
        400,
        'Bad Request: message is not modified: specified new message content and reply markup are exactly the same ' +
          'as a current content and reply markup of the message',
      )
    message.text = text
    sent.text = text
    sent.entities = entities
    sent.texts.push(text)
    this.edits.push({ chat: String(chat.id), id: message.message_id, text })
    return message
  }

  showTyping(request: SendRequest): true {
    this.typing.push(String(this.#open(request).chat.id))
    return true
  }

  #nextId(known: KnownChat): number {
    if (known.lastMessageId === undefined) return ++this.#lastMessageId
    known.lastMessageId += 1
    return known.lastMessageId
  }

  #open({ chat_id, message_thread_id: thread }: SendRequest): KnownChat {
    const id = String(chat_id)
    const known = this.#chats.get(id)
    if (!known) throw new Refusal(400, 'Bad Request: chat not found')
    if (known.upgradedTo !== undefined)
      throw new Refusal(400, 'Bad Request: group chat was upgraded to a supergroup chat', {
        migrate_to_chat_id: known.upgradedTo,
      })
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

/** As Telegram has them: within the text, one in another or beside it, and code alone. */
function checkedEntities(text: string, entities: readonly MessageEntity[] = []): readonly MessageEntity[] {
  const wrong = (why: string) => new Refusal(400, `Bad Request: can't parse entities: ${why}`)
  for (const [index, { offset, length, type, ...rest }] of entities.entries()) {
    if (offset < 0 || length < 1 || offset + length > text.length) throw wrong('it lies outside of the text')
    if (!text.slice(offset, offset + length).isWellFormed()) throw wrong('it cuts a character')
    if (type === 'text_link' && !URL.canParse((rest as { url: string }).url))
      throw new Refusal(400, 'Bad Request: ENTITY_URL_INVALID')
    for (const other of entities.slice(0, index)) {
      const [from, to] = [other.offset, other.offset + other.length]
      const isApart = offset >= to || offset + length <= from
      const isInside = offset >= from && offset + length <= to
      if (!isApart && !isInside) throw wrong('it goes across another one')
      if (isInside && (type === other.type || other.type === 'code' || other.type === 'pre'))
        throw wrong('it stands in another one')
      if (isInside && (type === 'code' || type === 'pre') && other.type !== 'blockquote')
        throw wrong('code stands alone')
    }
  }
  return entities
}

/** White space around it is taken off before it is looked at. */
function checkedText(given: string | undefined): string {
  const text = given?.trim() ?? ''
  if (text === '') throw new Refusal(400, 'Bad Request: message text is empty')
  if (text.length > MAX_CHARACTERS) throw new Refusal(400, 'Bad Request: message is too long')
  return text
}
