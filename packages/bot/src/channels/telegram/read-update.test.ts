import fc from 'fast-check'
import type { Chat, Message, MessageEntity, MessageOrigin, Update, User } from 'grammy/types'
import { normalizeMessage, type TextPart } from 'palimpsest/internals/log/index'
import { expect, test } from 'vitest'
import { type BotIdentity, readMessage, readUpdate } from './read-update.ts'

const BOT: BotIdentity = { id: 4_242, username: 'PalimpsestBot' }
const BOT_USER: User = { id: 4_242, is_bot: true, first_name: 'Palimpsest', username: 'PalimpsestBot' }
const ADA: User = { id: 1_001, is_bot: false, first_name: 'Ada', last_name: 'Lovelace', username: 'ada' }
const PRIVATE: Chat = { id: 1_001, type: 'private', first_name: 'Ada' }
const GROUP: Chat = { id: -1_001_234, type: 'supergroup', title: 'Engines' }

function message(fields: Partial<Message>): Message {
  return { message_id: 7, date: 1_767_225_600, chat: GROUP, from: ADA, ...fields } as Message
}

function read(fields: Partial<Message>) {
  return readMessage(message(fields), BOT)
}

test('a private message', () => {
  expect(read({ chat: PRIVATE, text: 'Hello' })).toEqual({
    kind: 'private',
    chat: '1001',
    id: '7',
    sender: { id: '1001', name: 'Ada Lovelace' },
    content: 'Hello',
    at: new Date('2026-01-01T00:00:00Z'),
    mentionsBot: false,
    repliesToBot: false,
  })
})

test.each<[string, Chat, string | null]>([
  ['a group', { id: -5, type: 'group', title: 'Engines' }, 'group'],
  ['a supergroup', GROUP, 'group'],
  ['a channel', { id: -6, type: 'channel', title: 'News' }, null],
])('the kind of %s', (_, chat, kind) => {
  expect(read({ chat, text: 'Hello' })?.kind ?? null).toBe(kind)
})

test('a topic of a forum is a thread; a chain of replies is none', () => {
  expect(read({ text: 'Hi', message_thread_id: 12, is_topic_message: true })).toHaveProperty('thread', '12')
  expect(read({ text: 'Hi', message_thread_id: 12 })).not.toHaveProperty('thread')
})

test('a reply, and whether it is one to the bot', () => {
  const toAda = { message_id: 3, from: ADA } as Message['reply_to_message'] & object
  const toBot = { message_id: 4, from: BOT_USER } as Message['reply_to_message'] & object
  expect(read({ text: 'Yes', reply_to_message: toAda })).toMatchObject({ replyTo: '3', repliesToBot: false })
  expect(read({ text: 'Yes', reply_to_message: toBot })).toMatchObject({ replyTo: '4', repliesToBot: true })
})

test('in a topic that the bot opened, not everything answers the bot', () => {
  const opening = {
    message_id: 12,
    from: BOT_USER,
    forum_topic_created: { name: 'Looms', icon_color: 0x6fb9f0 },
  } as Message['reply_to_message'] & object
  const said = read({ text: 'Hi', is_topic_message: true, message_thread_id: 12, reply_to_message: opening })
  expect(said).toMatchObject({ thread: '12', repliesToBot: false })
  expect(said).not.toHaveProperty('replyTo')
})

test.each<[string, Partial<Message>, object]>([
  ['a first name only', { from: { id: 5, is_bot: false, first_name: 'Bo' } }, { id: '5', name: 'Bo' }],
  [
    'a username where there is no name',
    { from: { id: 5, is_bot: false, first_name: '', username: 'bo' } },
    { id: '5', name: '@bo' },
  ],
  [
    'another bot',
    { from: { id: 5, is_bot: true, first_name: 'Rose' } },
    { id: '5', name: 'Rose', isBot: true },
  ],
  ['neither', { from: { id: 5, is_bot: false, first_name: '' } }, { id: '5' }],
  [
    'an administrator without a name',
    { from: { id: 1_087_968_824, is_bot: true, first_name: 'Group' }, sender_chat: GROUP },
    { id: '-1001234', name: 'Engines', isChat: true },
  ],
  [
    'a channel',
    { sender_chat: { id: -9, type: 'channel', title: 'News', username: 'news' } },
    { id: '-9', name: 'News', isChat: true },
  ],
])('who speaks: %s', (_, fields, sender) => {
  expect(read({ text: 'Hi', ...fields })?.sender).toEqual(sender)
})

test.each<[string, object, string | undefined]>([
  ['control characters', { first_name: 'A\0d\u001b[2Ja', last_name: '\n\t' }, 'A d [2Ja'],
  ['half a character', { first_name: 'Ada\ud83d', last_name: undefined }, 'Ada\ufffd'],
  ['nothing else', { first_name: '\0\u0007', last_name: '' }, '@ada'],
  ['far too long', { first_name: `${'x'.repeat(255)}🙂`, last_name: '' }, 'x'.repeat(255)],
  ['no text', { first_name: 7, last_name: null, username: undefined }, undefined],
])('a name that cannot be stored is cleaned: %s', (_, fields, name) => {
  const sender = read({ text: 'Hi', from: { ...ADA, ...fields } })!.sender
  expect(sender.name).toBe(name)
})

test('no message is lost because of a name', () => {
  const any = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.string({ unit: fc.constantFrom('\0', '\ud800', 'a', '🙂'), maxLength: 9_000, size: 'max' }),
  )
  fc.assert(
    fc.property(any, any, any, (first_name, last_name, file_name) => {
      const { sender, content } = read({
        from: { ...ADA, first_name, last_name },
        document: { file_id: 'F', file_unique_id: 'U', file_name },
      })!
      expect(() => normalizeMessage({ role: 'user', sender, content }, { zone: 'UTC' })).not.toThrow()
      const [{ name }] = content as unknown as [{ name: string }]
      expect(name).not.toBe('')
      expect(name.isWellFormed() && !/\p{Cc}/u.test(name) && name.length <= 256).toBe(true)
    }),
    { numRuns: 50 },
  )
})

test.each<[string, Partial<Message>]>([
  ['the bot itself', { text: 'Hi', from: BOT_USER }],
  ['somebody came', { new_chat_members: [ADA] }],
  ['something was pinned', { pinned_message: message({ text: 'Hi' }) }],
  ['a new title', { new_chat_title: 'Looms' }],
  ['what only one member sees', { text: 'Hi', message_id: 0 }],
  ['an empty message', { text: '' }],
])('nothing to receive: %s', (_, fields) => {
  expect(read(fields)).toBeNull()
})

const FILE = { file_id: 'F', file_unique_id: 'U' }

test.each<[string, Partial<Message>, object]>([
  [
    'a photo, in its largest size',
    {
      photo: [
        { ...FILE, file_id: 'small', width: 90, height: 60 },
        { ...FILE, file_id: 'large', width: 1_280, height: 853, file_size: 99_000 },
      ],
    },
    { type: 'image', id: 'large', name: 'photo', size: 99_000, width: 1_280, height: 853 },
  ],
  [
    'a document',
    { document: { ...FILE, file_name: 'notes.pdf', mime_type: 'application/pdf', file_size: 5 } },
    { type: 'file', id: 'F', name: 'notes.pdf', mime_type: 'application/pdf', size: 5 },
  ],
  [
    'a name that is none',
    { document: { ...FILE, file_name: '\0\n' } },
    { type: 'file', id: 'F', name: 'document' },
  ],
  [
    'a name with what is no part of one',
    { audio: { ...FILE, duration: 200, performer: 'Cla\0ra', title: 'Tr\ud83dio' } },
    { type: 'file', id: 'F', name: 'Cla ra – Tr\ufffdio', duration: 200 },
  ],
  [
    'a picture that was sent as a file',
    { document: { ...FILE, file_name: 'loom.png', mime_type: 'image/png' } },
    { type: 'image', id: 'F', name: 'loom.png', mime_type: 'image/png' },
  ],
  [
    'a video',
    { video: { ...FILE, width: 640, height: 360, duration: 12, mime_type: 'video/mp4' } },
    { type: 'file', id: 'F', name: 'video', mime_type: 'video/mp4', width: 640, height: 360, duration: 12 },
  ],
  [
    'an animation, which is a document too',
    {
      animation: { ...FILE, width: 10, height: 10, duration: 2 },
      document: { ...FILE, file_id: 'the same', file_name: 'cat.mp4' },
    },
    { type: 'file', id: 'F', name: 'animation', width: 10, height: 10, duration: 2 },
  ],
  [
    'a voice message',
    { voice: { ...FILE, duration: 4, mime_type: 'audio/ogg' } },
    { type: 'file', id: 'F', name: 'voice message', mime_type: 'audio/ogg', duration: 4 },
  ],
  [
    'music',
    { audio: { ...FILE, duration: 200, performer: 'Clara', title: 'Trio' } },
    { type: 'file', id: 'F', name: 'Clara – Trio', duration: 200 },
  ],
  [
    'a video message',
    { video_note: { ...FILE, length: 240, duration: 9 } },
    { type: 'file', id: 'F', name: 'video message', duration: 9 },
  ],
  [
    'a sticker',
    {
      sticker: {
        ...FILE,
        type: 'regular',
        width: 512,
        height: 512,
        is_animated: false,
        is_video: false,
        emoji: '🙂',
      },
    },
    { type: 'image', id: 'F', name: 'sticker 🙂', width: 512, height: 512 },
  ],
])('a file as a reference: %s', (_, fields, part) => {
  expect(read(fields)?.content).toEqual([part])
  expect(read({ ...fields, caption: 'Look' })?.content).toEqual([part, { type: 'text', text: 'Look' }])
})

test.each<[string, Partial<Message>, string]>([
  ['a location', { location: { latitude: 52.5, longitude: 13.4 } }, '(location: 52.5 13.4)'],
  [
    'a venue, which is a location too',
    {
      location: { latitude: 52.5, longitude: 13.4 },
      venue: { location: { latitude: 52.5, longitude: 13.4 }, title: 'Mill', address: 'Weg 1' },
    },
    '(location: Mill, Weg 1, 52.5 13.4)',
  ],
  ['a contact', { contact: { phone_number: '+4930', first_name: 'Bo' } }, '(contact: Bo, +4930)'],
  [
    'a poll',
    {
      poll: { question: 'When?', options: [{ text: 'Now' }, { text: 'Later' }] } as Message['poll'] & object,
    },
    '(poll: When?, Now / Later)',
  ],
  [
    'a list',
    {
      checklist: {
        title: 'To do',
        tasks: [
          { id: 1, text: 'Spin' },
          { id: 2, text: 'Weave' },
        ],
      },
    },
    '(list: To do, Spin / Weave)',
  ],
  ['dice', { dice: { emoji: '🎲', value: 6 } }, '(dice: 🎲, 6)'],
  ['a story', { story: { chat: GROUP, id: 1 } }, '(story)'],
])('in words: %s', (_, fields, content) => {
  expect(read(fields)?.content).toBe(content)
})

test('what was forwarded says whose it is', () => {
  const user = { type: 'user', date: 1, sender_user: BOT_USER } as const
  const from = { id: String(BOT_USER.id), name: BOT_USER.first_name }
  const origin = { kind: 'forward', from, at: '1970-01-01T00:00:01.000Z' }
  expect(read({ text: 'As I said', forward_origin: user })).toMatchObject({
    content: [{ type: 'text', text: 'As I said', origin }],
    sender: { id: '1001' },
  })
  const originOf = (forward_origin: MessageOrigin) =>
    (read({ text: 'x', forward_origin })!.content as TextPart[])[0]!.origin
  expect(originOf({ type: 'hidden_user', date: 1, sender_user_name: ' Councillor Brandt' })).toEqual({
    kind: 'forward',
    from: { name: 'Councillor Brandt' },
    at: '1970-01-01T00:00:01.000Z',
  })
  const chat = { id: -100, type: 'channel', title: 'Lane news' } as const
  expect(originOf({ type: 'channel', date: 1, chat, message_id: 3 })).toMatchObject({
    from: { id: '-100', name: 'Lane news' },
  })
  expect(originOf({ type: 'chat', date: 1, sender_chat: chat })).toMatchObject({ from: { id: '-100' } })
})

test('a forwarded photo and its caption say so, and whom it names it does not call', () => {
  const photo = [{ file_id: 'f', file_unique_id: 'u', width: 1, height: 1 }]
  const forward_origin = { type: 'hidden_user', date: 1, sender_user_name: 'Petra' } as const
  const caption = '@PalimpsestBot look'
  const caption_entities = [entityAfter('', '@PalimpsestBot', 'mention')]
  const message = read({ photo, caption, caption_entities, forward_origin })!
  expect((message.content as TextPart[]).map(({ type, origin }) => [type, origin?.from?.name])).toEqual([
    ['image', 'Petra'],
    ['text', 'Petra'],
  ])
  expect(message.mentionsBot).toBe(false)
  expect(read({ photo, caption, caption_entities })!.mentionsBot).toBe(true)
})

test('what was marked of another message, and where words lead, are parts of their own', () => {
  const reply_to_message = message({ message_id: 6, text: 'red chairs for 420 and a table' })
  const quote = { text: 'red chairs', position: 0, is_manual: true } as const
  expect(read({ text: 'these', reply_to_message, quote } as never)!.content).toEqual([
    {
      type: 'text',
      text: 'red chairs',
      origin: { kind: 'quote', from: { id: '1001', name: 'Ada Lovelace' } },
    },
    { type: 'text', text: 'these' },
  ])
  const petra = { id: 9, is_bot: false, first_name: 'Petra' }
  const forward_origin = { type: 'user', date: 1_770_000_000, sender_user: petra }
  const forwarded = message({ message_id: 7, text: 'red chairs for 420', forward_origin } as never)
  expect(read({ text: 'these', reply_to_message: forwarded, quote } as never)!.content).toMatchObject([
    { origin: { kind: 'quote', from: { id: '9', name: 'Petra' } } },
    { text: 'these' },
  ])
  const external_reply = {
    origin: { type: 'user', date: 1, sender_user: { id: 9, is_bot: false, first_name: 'Petra' } },
    chat: { id: -300, type: 'supergroup', title: 'Neighbours' },
  }
  expect(
    read({ text: 'see', external_reply, quote: { text: 'I live here', position: 0 } } as never)!.content,
  ).toMatchObject([
    {
      text: 'I live here',
      origin: { kind: 'quote', from: { id: '9', name: 'Petra' }, chat: 'Neighbours' },
    },
    { text: 'see' },
  ])
  const entities = [{ type: 'text_link', offset: 4, length: 4, url: 'https://example.org/lease' }] as never
  expect(read({ text: 'the link', entities })!.content).toEqual([
    { type: 'text', text: 'the link' },
    { type: 'text', text: 'https://example.org/lease', origin: { kind: 'link', from: { name: 'link' } } },
  ])
  const shown = [{ type: 'text_link', offset: 0, length: 11, url: 'https://example.org/' }] as never
  expect(read({ text: 'example.org', entities: shown })!.content).toBe('example.org')
})

const around = fc.string({ unit: 'grapheme' })

function entityAfter(before: string, written: string, type: string, more = {}): MessageEntity {
  return { type, offset: before.length, length: written.length, ...more } as MessageEntity
}

test('a mention is found behind any text, however it is written, in a text and in a caption', () => {
  fc.assert(
    fc.property(
      around,
      fc.constantFrom('@PalimpsestBot', '@palimpsestbot', '@PALIMPSESTBOT'),
      around,
      (before, mention, after) => {
        const said = before + mention + after
        const entities = [entityAfter(before, mention, 'mention')]
        expect(read({ text: said, entities })?.mentionsBot).toBe(true)
        expect(read({ photo: [], caption: said, caption_entities: entities })?.mentionsBot).toBe(true)
      },
    ),
    { examples: [['👩‍👩‍👧‍👦 𝕬 ', '@PalimpsestBot', ' 🙂']] },
  )
})

test('somebody else, and what only looks like a mention, is none', () => {
  fc.assert(
    fc.property(
      around,
      fc.stringMatching(/^@\w{5,32}$/).filter(name => name.toLowerCase() !== '@palimpsestbot'),
      (before, mention) => {
        const entities = [entityAfter(before, mention, 'mention')]
        expect(read({ text: before + mention, entities })?.mentionsBot).toBe(false)
      },
    ),
    { examples: [['🙂', '@PalimpsestBots']] },
  )
  expect(read({ text: '@PalimpsestBot' })?.mentionsBot).toBe(false)
})

test('a name with a link to the bot', () => {
  const linked = (user: User) =>
    read({ text: '🧵 Pal!', entities: [entityAfter('🧵 ', 'Pal', 'text_mention', { user })] })
  expect(linked(BOT_USER)?.mentionsBot).toBe(true)
  expect(linked(ADA)?.mentionsBot).toBe(false)
})

test.each([
  ['/help', false],
  ['/tmp', false],
  ['/help@palimpsestbot', true],
  ['/help@OtherBot', false],
  ['/help@NotPalimpsestBot', false],
])('the command %s', (command, isForUs) => {
  expect(read({ text: command, entities: [entityAfter('', command, 'bot_command')] })?.mentionsBot).toBe(
    isForUs,
  )
})

function update(fields: object): Update {
  return { update_id: 1, ...fields } as Update
}

test('what an update is', () => {
  const said = message({ text: 'Hi' })
  expect(readUpdate(update({ message: said }), BOT)?.type).toBe('message')
  expect(readUpdate(update({ edited_message: said }), BOT)?.type).toBe('edited')
  expect(readUpdate(update({ channel_post: said }), BOT)).toBeNull()
})

test('a live location does not become an edit every few seconds', () => {
  const there = message({ location: { latitude: 1, longitude: 2, live_period: 900 } })
  expect(readUpdate(update({ message: there }), BOT)).not.toBeNull()
  expect(readUpdate(update({ edited_message: there }), BOT)).toBeNull()
})

test('a group that became a supergroup has moved', () => {
  const moved = message({ chat: { id: -5, type: 'group', title: 'Engines' }, migrate_to_chat_id: -1_005 })
  expect(readUpdate(update({ message: moved }), BOT)).toEqual({ type: 'moved', from: '-5', to: '-1005' })
  const came = message({
    chat: { id: -1_005, type: 'supergroup', title: 'Engines' },
    migrate_from_chat_id: -5,
  })
  expect(readUpdate(update({ message: came }), BOT)).toEqual({ type: 'moved', from: '-5', to: '-1005' })
})
