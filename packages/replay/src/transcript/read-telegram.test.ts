import { describe, expect, test } from 'vitest'
import { readTelegram } from './read-telegram.ts'

const chat = (messages: object[], more: object = {}) => ({
  name: 'Trip',
  type: 'private_group',
  id: 7,
  messages: messages.map((message, index) => ({
    id: index + 1,
    type: 'message',
    date: '2026-01-15T09:00:00',
    date_unixtime: '1768464000',
    from: 'Ann',
    from_id: 'user1',
    text: '',
    ...message,
  })),
  ...more,
})

const inputs = (value: unknown, options = {}) =>
  readTelegram(value, options).flatMap(({ messages }) =>
    messages.map(message => ('input' in message ? message.input : message)),
  )
const contents = (...messages: object[]) =>
  inputs(chat(messages)).map(entry => ('content' in entry ? entry.content : entry))

describe('readTelegram', () => {
  test('takes who said what, when, and in answer to what', () => {
    const [found] = readTelegram(chat([{ text: 'hi' }, { text: '你好', reply_to_message_id: 1 }]))
    expect(found).toMatchObject({ id: '7', title: 'Trip' })
    expect(found?.messages[1]).toEqual({
      place: 'message 2',
      input: {
        role: 'user',
        content: '你好',
        sender: { id: 'user1', name: 'Ann' },
        at: 1_768_464_000_000,
        externalId: '2',
        replyTo: '1',
      },
    })
  })

  test('takes the date where there is no better one, and none where it is none', () => {
    const undated = { text: 'x', date_unixtime: undefined }
    const [written, broken] = inputs(chat([undated, { ...undated, date: 'yesterday' }]))
    expect(written).toMatchObject({ at: Date.parse('2026-01-15T09:00:00Z') })
    expect(broken).toMatchObject({ at: null })
  })

  test('puts entities together, with the links that they hide', () => {
    const text = [
      'See ',
      { type: 'bold', text: 'this' },
      ' ',
      { type: 'text_link', text: 'page', href: 'https://a.example/x' },
      { type: 'custom_emoji', text: '🦊', document_id: 'x' },
    ]
    expect(contents({ text }, { text: '', text_entities: [] })).toEqual([
      'See this page (https://a.example/x)🦊',
    ])
  })

  test('says media in parts or in a few words, and skips service messages', () => {
    expect(
      contents(
        { type: 'service', action: 'invite_members' },
        { photo: 'photos/1.jpg', width: 3 },
        { photo: '(File not included. Change data exporting settings to download.)', text: 'look' },
        { file: 'voice/1.ogg', media_type: 'voice_message', mime_type: 'audio/ogg' },
        { file: 'files/a.pdf', file_name: 'a.pdf', mime_type: 'application/pdf' },
        { file: 'stickers/1.webp', media_type: 'sticker', sticker_emoji: '😀' },
        { poll: { question: 'When?', answers: [{ text: 'Mon' }, { text: 'Tue' }] } },
        { location_information: { latitude: 59.9, longitude: 10.7 }, place_name: 'Oslo' },
        { contact_information: { first_name: 'Bo', last_name: '', phone_number: '+47 1' } },
        { text: 'old news', forwarded_from: 'Bo' },
        {},
      ),
    ).toEqual([
      [{ type: 'image', path: 'photos/1.jpg' }],
      [{ type: 'text', text: 'look' }, { type: 'image' }],
      [{ type: 'file', path: 'voice/1.ogg', filename: 'voice message', mediaType: 'audio/ogg' }],
      [{ type: 'file', path: 'files/a.pdf', filename: 'a.pdf', mediaType: 'application/pdf' }],
      '(sticker: 😀)',
      '(poll: When?, Mon / Tue)',
      '(location: Oslo, 59.9 10.7)',
      '(contact: Bo, +47 1)',
      [{ type: 'text', text: 'old news', origin: { kind: 'forward', from: { name: 'Bo' } } }],
    ])
  })

  test('the bot of a chat with a bot is the assistant; so is whoever is named', () => {
    const bot = { from: 'Helper', from_id: 'user7', text: 'At your service' }
    const roles = (value: unknown, self?: string) =>
      inputs(value, { self }).map(entry => 'role' in entry && [entry.role, (entry.sender as object) ?? null])
    const ann = { id: 'user1', name: 'Ann' }
    const helper = { id: 'user7', name: 'Helper' }
    const withBot = chat([{ text: 'hi' }, bot], { type: 'bot_chat' })
    expect(roles(withBot)).toEqual([
      ['user', ann],
      ['assistant', { ...helper, isSelf: true }],
    ])
    for (const self of ['Ann', 'user1', '1'])
      expect(roles(chat([{ text: 'hi' }, bot]), self)).toEqual([
        ['assistant', { ...ann, isSelf: true }],
        ['user', helper],
      ])
    expect(() => roles(withBot, 'Anna')).toThrow(
      'self: "Anna" cannot be taken; allowed: the name or the id of one who speaks: "Ann" (user1), "Helper" (user7)',
    )
  })

  test('takes all chats of an account; names may be gone or broken', () => {
    const account = {
      chats: {
        list: [chat([{ text: 'a', from: null }]), chat([{ text: 'b', from: 'Fox \ud83e' }], { id: 8 })],
      },
      left_chats: { list: [chat([{ text: 'c', from_id: undefined }], { id: 9, name: null })] },
    }
    expect(readTelegram(account).map(({ id, title }) => [id, title])).toEqual([
      ['7', 'Trip'],
      ['8', 'Trip'],
      ['9', null],
    ])
    expect(inputs(account).map(entry => 'sender' in entry && entry.sender)).toEqual([
      { id: 'user1' },
      { id: 'user1', name: 'Fox �' },
      { id: 'Ann', name: 'Ann' },
    ])
  })
})
