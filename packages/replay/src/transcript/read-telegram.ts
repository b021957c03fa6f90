import { InvalidArgumentError, InvalidMessageError } from 'palimpsest/internals/errors'
import type {
  AttachmentPart,
  ContentPart,
  MessageInput,
  Origin,
  Sender,
} from 'palimpsest/internals/log/index'
import { foundMessages, toContent } from './found-message.ts'
import {
  idOf,
  instantOf,
  instantOfSeconds,
  isRecord,
  type JsonRecord,
  listOf,
  nameOf,
  recordOf,
  textOf,
} from './json-value.ts'
import type { FoundConversation } from './transcript.ts'

/** Reads `result.json` of Telegram Desktop: one chat, or an account with all its chats. */
export function readTelegram(value: unknown, options: { readonly self?: string } = {}): FoundConversation[] {
  const file = recordOf(value)
  const chats = Array.isArray(file['messages'])
    ? [file]
    : [file['chats'], file['left_chats']].flatMap(part => listOf(recordOf(part)['list']).map(recordOf))
  checkSelf(chats, options.self)
  return chats.map(chat => {
    const isAssistant = assistantOf(chat, options.self)
    return {
      id: idOf(chat['id']),
      title: nameOf(chat['name']),
      messages: listOf(chat['messages']).flatMap((message, index) =>
        foundMessages(index + 1, () => convert(message, isAssistant)),
      ),
    }
  })
}

type IsAssistant = (message: JsonRecord) => boolean

/**
 * The assistant is the speaker that `self` names. If that speaker says nothing in the chat, and the chat is
 * one with a bot, the assistant is that bot.
 */
function assistantOf(chat: JsonRecord, self: string | undefined): IsAssistant {
  if (self !== undefined && messagesOf(chat).some(message => isBy(self, message)))
    return message => isBy(self, message)
  if (chat['type'] !== 'bot_chat') return () => false
  return message => isBy(String(chat['id']), message)
}

function isBy(self: string, { from, from_id: id }: JsonRecord): boolean {
  return nameOf(from) === self.trim() || [self, `user${self}`, `channel${self}`].includes(idOf(id) ?? '')
}

/**
 * If `self` speaks nowhere in the file, the caller misspelt it. Without this error the assistant would become
 * a user.
 */
function checkSelf(chats: readonly JsonRecord[], self: string | undefined): void {
  if (self === undefined) return
  const speakers = new Map<string, string>()
  for (const message of chats.flatMap(messagesOf)) {
    if (isBy(self, message)) return
    const id = idOf(message['from_id'])
    if (id !== null && speakers.size < 10) speakers.set(id, nameOf(message['from']) ?? '')
  }
  const names = [...speakers].map(([id, name]) => (name === '' ? id : `${JSON.stringify(name)} (${id})`))
  throw new InvalidArgumentError('self', self, `the name or the id of one who speaks: ${names.join(', ')}`)
}

/** Leaves out service messages: a new member, a call, a new title. */
function messagesOf(chat: JsonRecord): JsonRecord[] {
  return listOf(chat['messages']).filter(isRecord).filter(isSaid)
}

function isSaid({ type }: JsonRecord): boolean {
  return type !== 'service'
}

function convert(message: unknown, isAssistant: IsAssistant): MessageInput[] {
  if (!isRecord(message)) throw new InvalidMessageError('message', message, 'an object with type and text')
  if (!isSaid(message)) return []
  const content = toContent(contentParts(message))
  if (content === null) return []
  const isSelf = isAssistant(message)
  return [
    {
      role: isSelf ? 'assistant' : 'user',
      content,
      sender: senderOf(message, isSelf),
      at: instantOfSeconds(message['date_unixtime']) ?? instantOf(message['date']),
      externalId: idOf(message['id']),
      replyTo: repliedTo(message),
    },
  ]
}

function senderOf({ from, from_id: fromId }: JsonRecord, isSelf: boolean): Sender | null {
  const name = nameOf(from)
  const id = idOf(fromId) ?? name
  return id === null ? null : { id, ...(name !== null && { name }), ...(isSelf && { isSelf }) }
}

/** A reply to a message in another chat has no target in this conversation. */
function repliedTo(message: JsonRecord): string | null {
  return message['reply_to_peer_id'] === undefined ? idOf(message['reply_to_message_id']) : null
}

function contentParts(message: JsonRecord): ContentPart[] {
  const text = plainText(message['text'] ?? message['text_entities'])
  const media = attachmentOf(message)
  const words = text === '' && media === null ? describe(message) : text
  const parts: readonly ContentPart[] = [{ type: 'text', text: words }, ...(media === null ? [] : [media])]
  const origin = forwardOf(message)
  return origin === null ? [...parts] : parts.map(part => ({ ...part, origin }) as ContentPart)
}

/** Telegram writes `null` for the name of a deleted account. */
function forwardOf(message: JsonRecord): Origin | null {
  const name = nameOf(message['forwarded_from'])
  const id = idOf(message['forwarded_from_id'])
  if (name === null && id === null && message['forwarded_from'] === undefined) return null
  const from = { ...(id !== null && { id }), ...(name !== null && { name }) }
  return { kind: 'forward', ...((id ?? name) !== null && { from }) }
}

/** The value is a text, or a list of texts and of formatted pieces. A link keeps its address. */
function plainText(value: unknown): string {
  if (typeof value === 'string') return value
  return listOf(value)
    .map(piece => {
      if (typeof piece === 'string') return piece
      const { text, href } = recordOf(piece)
      const isHidden = typeof href === 'string' && href !== '' && href !== text
      return isHidden ? `${textOf(text)} (${href})` : textOf(text)
    })
    .join('')
}

/** `null`: there is no attachment, or words describe it better. */
function attachmentOf(message: JsonRecord): AttachmentPart | null {
  const { photo, file, file_name: fileName, media_type: mediaType, mime_type: mimeType } = message
  if (mediaType === 'sticker') return null
  if (typeof photo === 'string') return { type: 'image', ...reference(photo) }
  if (typeof file !== 'string') return null
  const filename = nameOf(fileName) ?? nameOf(textOf(mediaType).replaceAll('_', ' '))
  return {
    type: textOf(mimeType).startsWith('image/') ? 'image' : 'file',
    ...reference(file),
    ...(filename !== null && { filename }),
    ...(typeof mimeType === 'string' && { mediaType: mimeType }),
  }
}

/** The path of a file that was not exported is a note in brackets: "(File not included. …)". */
function reference(path: string): { path?: string } {
  return path === '' || path.startsWith('(') ? {} : { path }
}

/** A few words for a message that is neither text nor a file. Empty: its kind is not known here. */
function describe(message: JsonRecord): string {
  const mediaType = textOf(message['media_type']).replaceAll('_', ' ')
  if (mediaType === 'sticker') return note('sticker', textOf(message['sticker_emoji']))
  for (const [field, toNote] of Object.entries(NOTES)) {
    const value = message[field]
    if (isRecord(value)) return toNote(value, message)
  }
  if (typeof message['game_title'] === 'string') return note('game', message['game_title'])
  return mediaType === '' ? '' : note(mediaType)
}

const NOTES: Readonly<Record<string, (value: JsonRecord, message: JsonRecord) => string>> = {
  poll: ({ question, answers }) => note('poll', plainText(question), choices(answers)),
  todo_list: ({ title, answers }) => note('list', plainText(title), choices(answers)),
  location_information: ({ latitude, longitude }, { place_name: place, address }) =>
    note('location', textOf(place), textOf(address), `${latitude ?? '?'} ${longitude ?? '?'}`),
  contact_information: ({ first_name: first, last_name: last, phone_number: phone }) =>
    note('contact', `${textOf(first)} ${textOf(last)}`.trim(), textOf(phone)),
  dice: ({ emoji, value }) => note('dice', textOf(emoji), String(value ?? '')),
  invoice_information: ({ title }) => note('invoice', textOf(title)),
}

function choices(answers: unknown): string {
  return listOf(answers)
    .map(answer => plainText(recordOf(answer)['text']))
    .join(' / ')
}

function note(what: string, ...details: string[]): string {
  const said = details.filter(detail => detail !== '')
  return said.length === 0 ? `(${what})` : `(${what}: ${said.join(', ')})`
}
