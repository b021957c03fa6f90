import type { Chat, Message, User } from 'grammy/types'
import { afterEach, expect, test } from 'vitest'
import { telegram } from '../../packages/bot/src/channels/telegram/index.ts'
import type { TelegramOptions } from '../../packages/bot/src/channels/telegram/options.ts'
import {
  createRuntime,
  modelResponder,
  type ReplyReport,
  type Responder,
  type Runtime,
  type RuntimeOptions,
} from '../../packages/bot/src/index.ts'
import { createPalimpsest, type Palimpsest } from '../../packages/palimpsest/src/index.ts'
import { ownText } from '../../packages/palimpsest/src/log/index.ts'
import {
  type ModelReply,
  type ScriptedModel,
  scriptedModel,
} from '../../packages/palimpsest/src/testing/index.ts'
import { type StorePlace, sqlitePlace } from '../stores.ts'
import { startTelegramServer, type TelegramServer } from './telegram-server.ts'

/** Bots on a server that speaks Telegram's Bot API, through grammy. */

const GROUP = { id: -77, type: 'group', title: 'Looms' } as Chat
const BOB: User = { id: 1_002, is_bot: false, first_name: 'Bob' }
const OTHER_BOT: User = { id: 5_005, is_bot: true, first_name: 'Rose', username: 'RoseBot' }

interface Bot {
  readonly server: TelegramServer
  readonly place: StorePlace
  readonly palimpsest: Palimpsest
  readonly runtime: Runtime
  readonly reports: ReplyReport[]
  readonly errors: unknown[]
  /** Everything that was said is received and answered. */
  settled(): Promise<void>
  restart(changes?: BotOptions): Promise<Bot>
  end(): Promise<void>
}

interface BotOptions extends Partial<Omit<RuntimeOptions, 'palimpsest' | 'channels'>> {
  readonly channel?: Partial<TelegramOptions>
}

const ends: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end()
})

const echo: Responder = async ({ messages }) =>
  `answer to ${messages.map(({ content }) => ownText(content) || 'a file').join(' + ')}`

async function start(
  { channel = {}, ...options }: BotOptions = {},
  known?: { server: TelegramServer; place: StorePlace },
): Promise<Bot> {
  const server = known?.server ?? (await startTelegramServer())
  const place = known?.place ?? sqlitePlace()
  if (!known)
    ends.push(
      () => place.remove(),
      () => server.close(),
    )
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', indexing: 'off' })
  const reports: ReplyReport[] = []
  const errors: unknown[] = []
  const runtime = createRuntime({
    palimpsest,
    channels: [telegram({ token: server.token, apiRoot: server.url, editEveryMs: 1, ...channel })],
    responder: echo,
    inbox: { quietMs: 0 },
    onReply: report => reports.push(report),
    onError: error => errors.push(error),
    ...options,
    turns: { backoffMs: 0, ...options.turns },
  })
  await runtime.start()
  let isEnded = false
  const end = async () => {
    if (isEnded) return
    isEnded = true
    await runtime.stop()
    await palimpsest.close()
  }
  ends.push(end)
  return {
    ...{ server, place, palimpsest, runtime, reports, errors, end },
    settled: async () => {
      const last = server.pending.at(-1)?.update_id ?? 0
      await server.until(() => server.confirmedThrough >= last && server.isPolled)
      await runtime.quiet()
    },
    restart: async changes => {
      await end()
      return start({ channel, ...options, ...changes }, { server, place })
    },
  }
}

const texts = ({ server }: Bot) => server.sent.map(({ text }) => text)

async function logOf({ palimpsest }: Bot, id: string): Promise<readonly string[]> {
  const messages = await palimpsest.session(id).messages()
  return messages.map(({ role, sender, content, externalId }) =>
    role === 'user' ? `${sender?.id} ${externalId}: ${content}` : `bot: ${JSON.stringify(content)}`,
  )
}

const inGroup = (text: string, more: Partial<Message> = {}) => ({ text, chat: GROUP, ...more })

/** The bot's own message, as people answer it. */
const said = (message_id: number, bot: TelegramServer['botUser']) =>
  ({ message_id, from: bot, chat: GROUP, date: 1, text: '…' }) as unknown as NonNullable<
    Message['reply_to_message']
  >

test('a group that becomes a supergroup goes on as the same session, over a restart too', async () => {
  const bot = await start()
  const { server } = bot
  server.say(inGroup('@PalimpsestBot we meet on the 4th'))
  await bot.settled()
  const supergroup = server.upgrade(GROUP.id)
  // The ids of messages begin anew: this one has the number that another had.
  server.say({ text: '@PalimpsestBot where?', chat: supergroup, from: BOB })
  await bot.settled()
  expect(await logOf(bot, 'telegram:-77')).toEqual([
    'telegram:1001 101: @PalimpsestBot we meet on the 4th',
    'bot: "answer to @PalimpsestBot we meet on the 4th"',
    `telegram:1002 ${supergroup.id}/3: @PalimpsestBot where?`.replace('/3', '/2'),
    'bot: "answer to @PalimpsestBot where?"',
  ])
  expect(server.sent.map(({ chat, replyTo }) => [chat, replyTo])).toEqual([
    ['-77', 101],
    [String(supergroup.id), 2],
  ])
  const next = await bot.restart()
  server.say({ text: '@PalimpsestBot when?', chat: supergroup })
  await next.settled()
  expect(await next.palimpsest.session('telegram:-77').count()).toBe(6)
  expect(await next.palimpsest.session(`telegram:${supergroup.id}`).count()).toBe(0)
  expect(next.errors).toEqual([])
})

test('what waits while a group becomes a supergroup is sent to the new chat, and answers no stranger there', async () => {
  let release = () => {}
  const held = new Promise<void>(resolve => (release = resolve))
  const bot = await start({
    responder: async () => {
      await held
      return 'at last'
    },
  })
  const { server } = bot
  server.say(inGroup('@PalimpsestBot think'))
  await server.until(() => server.typing.length > 0)
  // The update of it is lost: the send says it.
  const supergroup = server.upgrade(GROUP.id, { isTold: false })
  release()
  await bot.settled()
  expect(server.sent).toMatchObject([{ chat: String(supergroup.id), text: 'at last', replyTo: null }])
  expect(bot.reports).toMatchObject([{ outcome: 'delivered', sessionId: 'telegram:-77' }])
  server.say({ text: 'hello', chat: supergroup })
  await bot.settled()
  expect(await bot.palimpsest.session('telegram:-77').count()).toBe(3)
})

test('what was owed to a group at a restart is sent to the supergroup', async () => {
  const bot = await start({ responder: () => new Promise<string>(() => {}) })
  bot.server.say(inGroup('@PalimpsestBot think'))
  await bot.server.until(() => bot.server.typing.length > 0)
  await bot.end()
  const supergroup = bot.server.upgrade(GROUP.id)
  const next = await bot.restart({ responder: echo })
  await next.settled()
  expect(bot.server.sent).toMatchObject([
    { chat: String(supergroup.id), text: 'answer to @PalimpsestBot think' },
  ])
  expect(await next.palimpsest.waiting()).toEqual([])
})

test('commands for others and paths are no calls; those for the bot are', async () => {
  const bot = await start()
  const { server } = bot
  const reply_to_message = said(1, server.botUser)
  for (const text of ['/ban 77', '/ban@RoseBot', 'look in /tmp', '/ban@RoseBot @PalimpsestBot'])
    server.say(inGroup(text))
  server.say(inGroup('/warn@RoseBot', { reply_to_message }))
  await bot.settled()
  expect(texts(bot)).toEqual([])
  expect(await bot.palimpsest.session('telegram:-77').count()).toBe(5)
  server.say(inGroup('/ask@PalimpsestBot now'))
  await bot.settled()
  server.say(inGroup('/tmp', { reply_to_message }))
  await bot.settled()
  expect(texts(bot)).toEqual(['answer to /ask@PalimpsestBot now', 'answer to /tmp'])
})

test('other bots are seen and not answered', async () => {
  const bot = await start({ groups: { proactive: () => true } })
  const { server } = bot
  server.say(inGroup('@PalimpsestBot hello', { from: OTHER_BOT }))
  server.say(inGroup('indeed', { from: OTHER_BOT, reply_to_message: said(1, server.botUser) }))
  await bot.settled()
  expect(texts(bot)).toEqual([])
  expect(await bot.palimpsest.session('telegram:-77').count()).toBe(2)
})

test('where other bots are answered, it is so often an hour, over restarts', async () => {
  let bot = await start({ turns: { botsPerHour: 3 } })
  const { server } = bot
  const speak = async (text: string) => {
    server.say(inGroup(`@PalimpsestBot ${text}`, { from: OTHER_BOT }))
    await bot.settled()
  }
  for (const text of ['a', 'b']) await speak(text)
  bot = await bot.restart()
  for (const text of ['c', 'd', 'e']) await speak(text)
  expect(texts(bot)).toEqual(['a', 'b', 'c'].map(text => `answer to @PalimpsestBot ${text}`))
  server.say(inGroup('@PalimpsestBot and people?'))
  await bot.settled()
  expect(texts(bot)).toHaveLength(4)
})

test('how often the bot speaks up unasked in an hour survives a restart', async () => {
  let bot = await start({ groups: { proactive: () => true, proactivePerHour: 2 } })
  const { server } = bot
  for (const text of ['one', 'two', 'three']) {
    server.say(inGroup(text))
    await bot.settled()
    bot = await bot.restart()
  }
  expect(texts(bot)).toEqual(['answer to one', 'answer to two'])
})

test('an edit of an old message that is not known is stored and not answered', async () => {
  const bot = await start({ groups: { proactive: () => true } })
  const { server } = bot
  const message = {
    ...{ message_id: 5, date: 1_600_000_000, chat: GROUP, from: BOB, edit_date: 1_600_000_100 },
    text: '@PalimpsestBot hello',
    entities: [{ type: 'mention', offset: 0, length: 14 }],
  }
  server.update({ edited_message: message as never })
  const own = {
    ...message,
    message_id: 6,
    chat: { id: BOB.id, type: 'private', first_name: 'Bob' },
    text: '/new',
  }
  server.update({ edited_message: own as never })
  await bot.settled()
  expect(texts(bot)).toEqual([])
  expect(await logOf(bot, 'telegram:-77')).toEqual(['telegram:1002 5: @PalimpsestBot hello'])
  expect(await bot.palimpsest.session('telegram:1002').count()).toBe(1)
  expect(await bot.palimpsest.waiting()).toEqual([])
})

test('a reply that Telegram refuses is not told to the model as said', async () => {
  const bot = await start()
  const { server } = bot
  server.say('what is the code?')
  server.block(1_001)
  await bot.settled()
  expect(bot.reports).toMatchObject([{ outcome: 'undeliverable' }])
  server.unblock(1_001)
  server.say('hello?')
  await bot.settled()
  const context = (await bot.palimpsest.session('telegram:1001').context()).toText()
  expect(context).toMatch(/answer to what is the code\?\s+\[not delivered: no person has read this\]/)
  expect(context).not.toMatch(/answer to hello\?\s+\[not delivered/)
  expect(await bot.palimpsest.session('telegram:1001').count()).toBe(4)
  await bot.palimpsest.session('telegram:1001').compact({ force: true })
  expect(JSON.stringify(await bot.palimpsest.session('telegram:1001').segments())).not.toContain(
    'answer to what is the code',
  )
})

test('an anonymous administrator is the chat, and no person, whatever a table says', async () => {
  const supergroup = { id: -1_005, type: 'supergroup', title: 'Looms' } as const
  const bot = await start({ belongsTo: () => ({ user: 'ada' }) })
  const { server } = bot
  const anonymous: User = {
    id: 1_087_968_824,
    is_bot: true,
    first_name: 'Group',
    username: 'GroupAnonymousBot',
  }
  server.say({ text: '@PalimpsestBot one', chat: supergroup, from: anonymous, sender_chat: supergroup })
  await bot.settled()
  server.say({ text: '@PalimpsestBot two', chat: supergroup, from: anonymous })
  await bot.settled()
  expect(texts(bot)).toEqual(['answer to @PalimpsestBot one', 'answer to @PalimpsestBot two'])
  const messages = await bot.palimpsest.session('telegram:-1005').messages()
  expect(messages.filter(({ role }) => role === 'user').map(({ sender }) => sender?.id)).toEqual([
    'telegram:-1005',
    'telegram:-1005',
  ])
})

test('what a model writes in Markdown is sent in formatting of Telegram, in pieces that fit', async () => {
  const line = `- **point** with \`code\` and [a link](https://a.example/${'x'.repeat(40)})\n`
  const code = `\`\`\`ts\n${'const answer = 42 // 🙂\n'.repeat(250)}\`\`\``
  const answer = `# Title\n\n${line.repeat(20)}\n${code}\n\nDone, **really**.`
  const bot = await start({ responder: async () => answer })
  bot.server.say('write')
  await bot.settled()
  const { sent } = bot.server
  expect(sent.length).toBeGreaterThan(1)
  expect(sent.map(({ text }) => text).join('\n')).not.toMatch(/\*\*|```|\]\(/)
  expect(sent[0]!.entities[0]).toEqual({ type: 'bold', offset: 0, length: 5 })
  const pieces = sent.flatMap(({ text, entities }) =>
    entities
      .filter(({ type }) => type === 'pre')
      .map(({ offset, length }) => text.slice(offset, offset + length)),
  )
  expect(pieces.join('\n')).toBe('const answer = 42 // 🙂\n'.repeat(250).trimEnd())
  expect(sent.flatMap(({ entities }) => entities).find(({ type }) => type === 'pre')).toMatchObject({
    language: 'ts',
  })
  expect(sent.at(-1)!.text.endsWith('Done, really.')).toBe(true)
})

test('text whose formatting Telegram refuses is sent as it is written', async () => {
  const bot = await start({ responder: async () => 'see [**this**](https://%)' })
  bot.server.say('write')
  await bot.settled()
  expect(bot.server.sent).toMatchObject([{ text: 'see [**this**](https://%)', entities: [] }])
})

/** One reply for each call. */
const saying = (...replies: readonly (ModelReply | string)[]) =>
  scriptedModel((_, number) => replies[number] ?? '')
const promptsOf = ({ requests }: ScriptedModel) =>
  requests.map(({ body }) => JSON.stringify((body as { prompt: unknown }).prompt))

const PIXEL = Buffer.from(
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  'base64',
)

const photo = (file_size: number) =>
  ({
    photo: [{ file_id: 'p1', file_unique_id: 'p1', width: 1, height: 1, file_size }],
    caption: 'what is it?',
  }) as Partial<Message>

test('a photo reaches the model where the channel is told to fetch it, and the log never', async () => {
  const model = saying('a red pixel', 'yes')
  const bot = await start({
    responder: modelResponder({ model, memoryTools: false }),
    channel: { maxImageBytes: 1_000 },
  })
  const { server } = bot
  server.addFile('p1', 'photos/1.png', PIXEL)
  server.say(photo(PIXEL.length))
  await bot.settled()
  server.say('sure?')
  await bot.settled()
  const prompts = promptsOf(model)
  expect(prompts[0]).toContain('image/png')
  expect(prompts[0]).toContain(PIXEL.toString('base64').slice(0, 40))
  expect(prompts[1]).not.toContain(PIXEL.toString('base64').slice(0, 40))
  const stored = JSON.stringify(await bot.palimpsest.session('telegram:1001').messages())
  expect(stored).not.toContain(PIXEL.toString('base64').slice(0, 40))
  expect(texts(bot)).toEqual(['a red pixel', 'yes'])
})

test.each([
  ['is off unless the channel is told so', {}, PIXEL.length],
  ['is too large by what Telegram says', { maxImageBytes: 10 }, PIXEL.length],
  ['is larger than Telegram said', { maxImageBytes: 50 }, 20],
])('a photo is not fetched that %s', async (_, channel, size) => {
  const model = saying('I see nothing')
  const bot = await start({ responder: modelResponder({ model, memoryTools: false }), channel })
  bot.server.addFile('p1', 'photos/1.png', PIXEL)
  bot.server.say(photo(size))
  await bot.settled()
  expect(promptsOf(model)[0]).not.toContain('image/')
  expect(texts(bot)).toEqual(['I see nothing'])
})

test('a model that cannot read a voice message answers without it', async () => {
  const model = saying({ error: { kind: 'invalid' } }, 'what did you say?')
  const bot = await start({
    responder: modelResponder({ model, memoryTools: false }),
    channel: { maxAudioBytes: 1_000 },
  })
  bot.server.addFile('v1', 'voice/1.oga', Buffer.from('OggS and so on'))
  const voice = { file_id: 'v1', file_unique_id: 'v1', duration: 2, mime_type: 'audio/ogg' }
  bot.server.say({ voice } as Partial<Message>)
  await bot.settled()
  expect(promptsOf(model).map(prompt => prompt.includes('"audio/ogg"'))).toEqual([true, false])
  expect(texts(bot)).toEqual(['what did you say?'])
})

test('a file that cannot be had is answered without, and no error gives the token away', async () => {
  const model = saying('I see nothing')
  const bot = await start({
    responder: modelResponder({ model, memoryTools: false }),
    channel: { maxImageBytes: 1_000 },
  })
  bot.server.say(photo(10))
  await bot.settled()
  expect(texts(bot)).toEqual(['I see nothing'])
  expect(bot.errors.map(String).join()).toMatch(/invalid file_id/)
  expect(bot.errors.map(String).join()).not.toContain('loopback-token')
})

test('an empty answer of a model is tried again, and in the end the person is told', async () => {
  const model = saying('', 'here I am', '', '', '', '')
  const bot = await start({ responder: modelResponder({ model, memoryTools: false }) })
  bot.server.say('hello')
  await bot.settled()
  expect(texts(bot)).toEqual(['here I am'])
  bot.server.say('and now?')
  await bot.settled()
  expect(texts(bot)[1]).toMatch(/could not answer/)
  expect(bot.reports).toMatchObject([
    { outcome: 'delivered' },
    { outcome: 'failed', attempts: 4, error: { message: 'The reply was empty.' } },
  ])
})

const chairs = {
  message_id: 12,
  from: BOB,
  chat: GROUP,
  date: 1,
  text: 'red chairs for 420',
} as unknown as ReturnType<typeof said>

test('what the bot never saw is stored with the message that answers it, and shown', async () => {
  const bot = await start({ groups: { seen: 'addressed' } })
  bot.server.say(inGroup('@PalimpsestBot approve this one', { reply_to_message: chairs }))
  await bot.settled()
  const session = bot.palimpsest.session('telegram:-77')
  expect((await session.messages())[0]!.content).toEqual([
    {
      type: 'text',
      text: 'red chairs for 420',
      origin: {
        kind: 'reply',
        from: { id: 'telegram:1002', name: 'Bob' },
        at: '1970-01-01T00:00:01.000Z',
      },
    },
    { type: 'text', text: '@PalimpsestBot approve this one' },
  ])
  expect((await session.context()).toText()).toMatch(
    /\[answering Bob \(telegram:1002\), 1970-01-01\]:\s+> red chairs for 420\s+@PalimpsestBot approve this one/,
  )
  expect(texts(bot)).toEqual(['answer to @PalimpsestBot approve this one'])
  expect(bot.errors).toEqual([])
})

test('a copy of what was forwarded is the words of whose they are', async () => {
  const bot = await start({ groups: { seen: 'addressed' } })
  const petra = { id: 9, is_bot: false, first_name: 'Petra' }
  const forwarded = { ...chairs, forward_origin: { type: 'user', date: 1, sender_user: petra } }
  bot.server.say(inGroup('@PalimpsestBot approve this one', { reply_to_message: forwarded as never }))
  await bot.settled()
  const [stored] = await bot.palimpsest.session('telegram:-77').messages()
  expect(stored!.content).toMatchObject([
    { text: 'red chairs for 420', origin: { kind: 'reply', from: { id: 'telegram:9', name: 'Petra' } } },
    { text: '@PalimpsestBot approve this one' },
  ])
  await bot.palimpsest.erased((await bot.palimpsest.forget({ kind: 'person', id: 'telegram:9' })).id)
  expect(JSON.stringify(await bot.palimpsest.session('telegram:-77').export())).not.toMatch(/chairs|Petra/)
})

test('what the log has is not stored twice; nor what was erased', async () => {
  const bot = await start()
  const { server, palimpsest } = bot
  for (const text of ['red chairs for 420', 'blue ones for 380', 'hm'])
    server.say(inGroup(text, { from: BOB }))
  await bot.settled()
  const session = palimpsest.session('telegram:-77')
  const [first] = await session.messages()
  const replied = { ...chairs, message_id: Number(first!.externalId) } as typeof chairs
  server.say(inGroup('@PalimpsestBot approve this one', { reply_to_message: replied }))
  await bot.settled()
  expect((await session.messages()).at(-2)!.content).toBe('@PalimpsestBot approve this one')
  expect((await session.context()).toText()).toMatch(
    /\[answering Bob \(telegram:1002\)\]:\s+> red chairs for 420/,
  )
  await palimpsest.forget({ kind: 'messages', sessionId: session.id, seqs: [first!.seq] })
  server.say(inGroup('@PalimpsestBot and now', { reply_to_message: replied }))
  await bot.settled()
  expect((await session.context()).toText()).not.toContain('red chairs')
  expect(bot.errors).toEqual([])
})

test('an answer to the bot finds what it said', async () => {
  const bot = await start()
  const { server } = bot
  server.say(inGroup('@PalimpsestBot one'))
  await bot.settled()
  for (const text of ['two', 'three']) server.say(inGroup(text))
  await bot.settled()
  const sent = server.sent[0]!
  const reply_to_message = { ...said(sent.id, server.botUser), text: sent.text } as typeof chairs
  server.say(inGroup('why?', { reply_to_message }))
  await bot.settled()
  const messages = await bot.palimpsest.session('telegram:-77').messages()
  expect(messages.at(-2)).toMatchObject({ content: 'why?', replyTo: 2 })
})

test('a forwarded call is no call, and a forwarded command no command', async () => {
  const bot = await start({ groups: { names: ['Looms'] } })
  const forward_origin = { type: 'hidden_user', date: 1, sender_user_name: 'Petra' } as const
  for (const text of ['@PalimpsestBot help', 'Looms, help', '/new'])
    bot.server.say(inGroup(text, { forward_origin }))
  await bot.settled()
  expect(texts(bot)).toEqual([])
  expect((await bot.palimpsest.session('telegram:-77').info())!.beginsAfter).toBeNull()
})

test('an edit keeps what the message was stored to answer', async () => {
  const bot = await start({ groups: { seen: 'addressed' } })
  const { server } = bot
  const message = server.say(inGroup('@PalimpsestBot approve', { reply_to_message: chairs }))
  await bot.settled()
  server.update({
    edited_message: { ...message, text: '@PalimpsestBot approve these', edit_date: 2 } as never,
  })
  await bot.settled()
  const [stored] = await bot.palimpsest.session('telegram:-77').messages()
  expect(stored!.version).toBe(2)
  expect((stored!.content as readonly { text: string }[]).map(({ text }) => text)).toEqual([
    'red chairs for 420',
    '@PalimpsestBot approve these',
  ])
})
