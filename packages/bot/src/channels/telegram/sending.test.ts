import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { inspect } from 'node:util'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTelegramServer, type TelegramServer } from '../../../../../test/telegram/telegram-server.ts'
import { type Channel, DeliveryError, type OutgoingMessage } from '../../channel.ts'
import { telegram } from './index.ts'

let server: TelegramServer
let channel: Channel

beforeEach(async () => {
  server = await startTelegramServer()
  channel = telegram({ token: server.token, apiRoot: server.url })
})

afterEach(() => server.close())

function outgoing(fields: Partial<OutgoingMessage> = {}): OutgoingMessage {
  return { chat: '1001', text: 'Hello', replyTo: null, key: 'k', isPartial: false, ...fields }
}

async function refusalOf(delivery: Promise<unknown>): Promise<DeliveryError> {
  const error = await delivery.then(
    () => expect.fail('It was delivered.'),
    thrown => thrown,
  )
  expect(error).toBeInstanceOf(DeliveryError)
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('loopback-token')
  return error
}

test('plain text, whatever is in it, as an answer to a message', async () => {
  const said = server.say('Hi')
  const text = '*bold_ <b>[link](http://x)</b> `` & 🙂'
  const replyTo = String(said.message_id)
  const { id } = await channel.send(outgoing({ text, replyTo, isPlain: true }))
  expect(server.sent).toEqual([
    {
      chat: '1001',
      id: Number(id),
      thread: null,
      replyTo: said.message_id,
      text,
      texts: [text],
      entities: [],
    },
  ])
  expect(server.calls.at(-1)?.payload).not.toHaveProperty('parse_mode')
  const plain = telegram({ token: server.token, apiRoot: server.url, format: 'plain' })
  await plain.send(outgoing({ text: '**as it is**' }))
  expect(server.sent[1]).toMatchObject({ text: '**as it is**', entities: [] })
})

test('Markdown is sent as formatting that stands beside the text, nothing of which has to be escaped', async () => {
  server.say('Hi')
  const text = '\n# *One* `two`\n\n🙂 **three `four` five [six](https://a.example)**\n> <b> & _'
  const { id } = await channel.send(outgoing({ text }))
  expect(server.sent[0]).toMatchObject({
    text: 'One two\n\n🙂 three four five six\n<b> & _',
    entities: [
      { type: 'bold', offset: 0, length: 3 },
      { type: 'italic', offset: 0, length: 3 },
      { type: 'code', offset: 4, length: 3 },
      { type: 'bold', offset: 12, length: 5 },
      { type: 'code', offset: 18, length: 4 },
      { type: 'bold', offset: 23, length: 8 },
      { type: 'text_link', offset: 28, length: 3, url: 'https://a.example' },
      { type: 'blockquote', offset: 32, length: 7 },
    ],
  })
  await channel.edit!({ ...outgoing({ text: '**new**' }), id })
  expect(server.sent[0]).toMatchObject({ text: 'new', entities: [{ type: 'bold', offset: 0, length: 3 }] })
})

test('Telegram takes whatever Markdown there is', async () => {
  server.say('Hi')
  const marks = fc.constantFrom(
    '**',
    '*',
    '_',
    '~~',
    '`',
    '```',
    '\n',
    '\n\n',
    '> ',
    '- ',
    '# ',
    '[',
    '](https://a.b)',
    ' ',
  )
  const texts = fc
    .array(fc.oneof(fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 }), marks), {
      minLength: 1,
      maxLength: 40,
    })
    .map(parts => parts.join(''))
    .filter(text => text.trim() !== '' && text.isWellFormed())
  const calls = server.calls.length
  const sent: string[] = []
  await fc.assert(
    fc.asyncProperty(texts, async text => {
      sent.push(text)
      await channel.send(outgoing({ text }))
    }),
    { numRuns: 150 },
  )
  expect(server.calls.length - calls, 'none was refused and sent again').toBe(sent.length)
})

test('a group that became a supergroup is no end: Telegram says where it is', async () => {
  server.say({ text: 'Hi', chat: { id: -5, type: 'group', title: 'Looms' } })
  const { id } = server.upgrade(-5)
  const refused = await refusalOf(channel.send(outgoing({ chat: '-5' })))
  expect(refused.movedTo).toBe(String(id))
})

test('an answer to what is gone is sent all the same', async () => {
  server.say('Hi')
  await channel.send(outgoing({ replyTo: '999999' }))
  expect(server.sent).toMatchObject([{ replyTo: null, text: 'Hello' }])
})

test('into the topic of a forum', async () => {
  const chat = { id: -1_005, type: 'supergroup', title: 'Looms', is_forum: true } as const
  server.say({ text: 'Hi', chat, is_topic_message: true, message_thread_id: 12 })
  await channel.send(outgoing({ chat: '-1005', thread: '12' }))
  await channel.typing?.({ chat: '-1005', thread: '12' })
  expect(server.sent).toMatchObject([{ chat: '-1005', thread: 12 }])
  expect(server.calls.at(-1)).toEqual({
    method: 'sendChatAction',
    payload: { chat_id: '-1005', action: 'typing', message_thread_id: 12 },
  })
  const refused = await refusalOf(channel.send(outgoing({ chat: '-1005', thread: '13' })))
  expect(refused).toMatchObject({ isFinal: true, message: expect.stringContaining('thread not found') })
})

test('a message grows by edits, of which one that changes nothing is as good as made', async () => {
  server.say('Hi')
  const { id } = await channel.send(outgoing({ text: 'Hel', isPartial: true }))
  await channel.edit?.({ ...outgoing({ text: 'Hello' }), id })
  await channel.edit?.({ ...outgoing({ text: 'Hello\n' }), id })
  await channel.edit?.({ ...outgoing({ text: 'Hello you' }), id })
  expect(server.sent).toMatchObject([{ text: 'Hello you', texts: ['Hel', 'Hello', 'Hello you'] }])
  expect(server.edits.map(({ text }) => text)).toEqual(['Hello', 'Hello you'])
})

test('typing', async () => {
  server.say('Hi')
  await channel.typing?.({ chat: '1001' })
  expect(server.typing).toEqual(['1001'])
})

test.each(['', ' \n'])('an empty text (%j) never reaches Telegram', async text => {
  expect(await refusalOf(channel.send(outgoing({ text })))).toMatchObject({
    isFinal: true,
    retryAfterMs: null,
  })
  expect(await refusalOf(channel.edit!({ ...outgoing({ text }), id: '1' }))).toMatchObject({ isFinal: true })
  expect(server.calls).toEqual([])
})

test('as much as fits, and not one more', async () => {
  server.say('Hi')
  await channel.send(outgoing({ text: 'x'.repeat(channel.mostCharacters!) }))
  const refused = await refusalOf(channel.send(outgoing({ text: 'x'.repeat(channel.mostCharacters! + 1) })))
  expect(refused).toMatchObject({ isFinal: true, message: expect.stringContaining('message is too long') })
})

test('Telegram says when to try again', async () => {
  const said = server.say('Hi')
  server.floodNext(12)
  expect(await refusalOf(channel.send(outgoing()))).toMatchObject({ retryAfterMs: 12_000, isFinal: false })
  server.floodNext(3, 'editMessageText')
  const edit = channel.edit!({ ...outgoing(), id: String(said.message_id) })
  expect(await refusalOf(edit)).toMatchObject({ retryAfterMs: 3_000, isFinal: false })
  server.floodNext(4, 'sendChatAction')
  expect(await refusalOf(channel.typing!({ chat: '1001' }))).toMatchObject({ retryAfterMs: 4_000 })
})

test('final: blocked by a person, kicked from a group, an unknown chat', async () => {
  server.say('Hi')
  server.say({ text: 'Hi', chat: { id: -1_005, type: 'supergroup', title: 'Looms' } })
  server.block(1_001)
  server.block(-1_005)
  for (const [chat, said] of [
    ['1001', /Forbidden: bot was blocked by the user/],
    ['-1005', /Forbidden: bot was kicked/],
    ['77', /chat not found/],
  ] as const) {
    const refused = await refusalOf(channel.send(outgoing({ chat })))
    expect(refused).toMatchObject({ isFinal: true, message: expect.stringMatching(said) })
  }
})

test('final: an edit of what is gone, or of what somebody else said', async () => {
  const said = server.say('Hi')
  for (const [id, why] of [
    ['999999', /message to edit not found/],
    [String(said.message_id), /message can't be edited/],
  ] as const) {
    const refused = await refusalOf(channel.edit!({ ...outgoing(), id }))
    expect(refused).toMatchObject({ isFinal: true, message: expect.stringMatching(why) })
  }
})

test('neither final nor timed: a server that fails, a network that fails', async () => {
  server.say('Hi')
  const open = { isFinal: false, retryAfterMs: null }
  server.failNext(502)
  expect(await refusalOf(channel.send(outgoing()))).toMatchObject(open)
  server.dropNext()
  expect(await refusalOf(channel.send(outgoing()))).toMatchObject(open)
  const { id } = await channel.send(outgoing())
  await server.close()
  expect(await refusalOf(channel.edit!({ ...outgoing({ text: 'Bye' }), id }))).toMatchObject({
    ...open,
    message: expect.stringMatching(/^Telegram did not take it: no proper answer: ECONN(REFUSED|RESET)$/),
  })
})

test('an answer that is no JSON does not give the token away', async () => {
  const proxy = createServer((_, outgoing) => outgoing.writeHead(502).end('<h1>Bad Gateway</h1>'))
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  const { port } = proxy.address() as AddressInfo
  const behind = telegram({ token: server.token, apiRoot: `http://127.0.0.1:${port}` })
  expect(await refusalOf(behind.send(outgoing()))).toMatchObject({
    isFinal: false,
    message: expect.stringMatching(/no proper answer: invalid json .*\/bot4242:\*\*\*\/sendMessage/),
  })
  await new Promise(closed => proxy.close(closed))
})
