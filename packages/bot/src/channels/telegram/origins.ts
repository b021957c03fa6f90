import type { Message, MessageEntity, MessageOrigin, RichMessage } from 'grammy/types'
import {
  type AttachmentPart,
  type ContentPart,
  type Origin,
  quotationOf,
  type TextPart,
} from 'palimpsest/internals/log/index'
import { cleanName } from './clean-name.ts'

/** The parts of a Telegram message that its sender did not write. */

/** `null`: the sender wrote it. A channel's post stays its own in the discussion group, too. */
export function forwardOrigin({ forward_origin: origin, is_automatic_forward }: Message): Origin | null {
  return origin && !is_automatic_forward ? { kind: 'forward', ...saidBy(origin) } : null
}

function saidBy(origin: MessageOrigin): Omit<Origin, 'kind'> {
  const at = new Date(origin.date * 1_000).toISOString()
  switch (origin.type) {
    case 'user':
      return { from: named(origin.sender_user.id, personName(origin.sender_user)), at }
    case 'hidden_user':
      return { ...fromName(origin.sender_user_name), at }
    case 'chat':
      return { from: named(origin.sender_chat.id, chatName(origin.sender_chat)), at }
    case 'channel':
      return { from: named(origin.chat.id, chatName(origin.chat)), at }
  }
}

function named(id: number, name: string): NonNullable<Origin['from']> {
  return { id: String(id), ...(name !== '' && { name }) }
}

function fromName(given: string): Pick<Origin, 'from'> {
  const name = cleanName(given)
  return name === '' ? {} : { from: { name } }
}

interface Person {
  readonly first_name?: string | undefined
  readonly last_name?: string | undefined
  readonly username?: string | undefined
}

function personName({ first_name: first, last_name: last, username }: Person): string {
  return [first, last].map(cleanName).filter(Boolean).join(' ') || (username ? `@${username}` : '')
}

function chatName(chat: Person & { readonly title?: string | undefined }): string {
  return cleanName(chat.title) || personName(chat)
}

/** The author of the message that is answered, in this chat or in another one. */
function answeredOrigin({
  reply_to_message: replied,
  external_reply: external,
  chat,
}: Message): Omit<Origin, 'kind'> {
  if (external) {
    const title = external.chat && external.chat.id !== chat.id ? chatName(external.chat) : ''
    return { ...saidBy(external.origin), ...(title !== '' && { chat: title }) }
  }
  // A quotation of a forwarded message has the original author.
  const forwarded = replied && forwardOrigin(replied)
  if (forwarded) return withoutKind(forwarded)
  const sender = replied?.sender_chat ?? replied?.from
  if (!replied || !sender) return {}
  return { from: named(sender.id, chatName(sender)) }
}

function withoutKind({ kind: _, ...origin }: Origin): Omit<Origin, 'kind'> {
  return origin
}

/**
 * The passage that the sender marked in another message. For a message of another chat without such a mark:
 * what Telegram tells about it.
 */
export function quotedParts(
  message: Message,
  attachmentOf: (message: Message) => AttachmentPart | null,
): TextPart[] {
  const { quote, external_reply: external } = message
  if (quote && (quote.is_manual || external))
    return [{ type: 'text', text: quote.text, origin: { kind: 'quote', ...answeredOrigin(message) } }]
  if (!external) return []
  const media = attachmentOf(external as unknown as Message)
  const text = media === null ? '' : quotationOf({ content: [media] })
  return text === '' ? [] : [{ type: 'text', text, origin: { kind: 'reply', ...answeredOrigin(message) } }]
}

/** The targets of links whose words do not show them. */
export function linkParts({ text, caption, entities, caption_entities, rich_message }: Message): TextPart[] {
  const said = text ?? caption ?? ''
  const links = [...(entities ?? caption_entities ?? [])].flatMap(entity => linkOf(entity, said))
  return [...links, ...richLinks(rich_message)].map(({ url, name }) => ({
    type: 'text',
    text: url,
    origin: { kind: 'link', ...fromName(name.slice(0, MAX_NAME_CHARACTERS)) },
  }))
}

const MAX_NAME_CHARACTERS = 200

interface Link {
  readonly url: string
  readonly name: string
}

function linkOf(entity: MessageEntity, said: string): readonly Link[] {
  if (entity.type !== 'text_link') return []
  const name = said.slice(entity.offset, entity.offset + entity.length)
  return isShown(entity.url, name) ? [] : [{ url: entity.url, name }]
}

function isShown(url: string, name: string): boolean {
  const plain = (text: string) =>
    text
      .trim()
      .replace(/^https?:\/\//i, '')
      .replace(/\/$/, '')
      .toLowerCase()
  return plain(url) === plain(name)
}

function richLinks(message: RichMessage | undefined): readonly Link[] {
  return message === undefined ? [] : linksIn(message.blocks)
}

function linksIn(value: unknown): readonly Link[] {
  if (Array.isArray(value)) return value.flatMap(linksIn)
  if (typeof value !== 'object' || value === null) return []
  const { url, text } = value as { readonly url?: unknown; readonly text?: unknown }
  const name = wordsOf(text)
  const own =
    typeof url === 'string' && /^[a-z][a-z\d+.-]*:/i.test(url) && !isShown(url, name) ? [{ url, name }] : []
  return [...own, ...Object.values(value).flatMap(linksIn)]
}

function wordsOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value)) return value.map(wordsOf).join('')
  return typeof value === 'object' && value !== null && 'text' in value ? wordsOf(value.text) : ''
}

export function withOrigin<Part extends ContentPart>(part: Part, origin: Origin | null): Part {
  return origin === null ? part : { ...part, origin }
}
