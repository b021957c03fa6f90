import { afterEach, beforeEach, expect, test } from 'vitest'
import { startTelegramServer, type TelegramServer } from './telegram-server.ts'

let server: TelegramServer

beforeEach(async () => {
  server = await startTelegramServer()
})

afterEach(() => server.close())

async function call(method: string, payload: object = {}, token = server.token) {
  const response = await fetch(`${server.url}/bot${token}/${method}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(payload),
  })
  // biome-ignore lint/suspicious/noExplicitAny: each method answers with something else.
  const body = (await response.json()) as { ok: boolean; result?: any; description?: string }
  return { status: response.status, ...body }
}

test('it is the bot whose token it has', async () => {
  expect(await call('getMe')).toMatchObject({ status: 200, ok: true, result: { username: 'PalimpsestBot' } })
  expect(await call('getMe', {}, '1:another')).toEqual({
    status: 401,
    ok: false,
    error_code: 401,
    description: 'Unauthorized',
  })
  expect(await call('sendDice')).toMatchObject({ status: 404, error_code: 404 })
})

test('updates come again until they are confirmed', async () => {
  server.say('One')
  server.say('Two')
  const { result } = await call('getUpdates')
  expect(result).toMatchObject([{ message: { text: 'One' } }, { message: { text: 'Two' } }])
  expect((await call('getUpdates')).result).toEqual(result)
  const offset = result[0].update_id + 1
  expect((await call('getUpdates', { offset })).result).toEqual([result[1]])
  expect((await call('getUpdates')).result).toEqual([result[1]])
  expect((await call('getUpdates', { limit: 1, allowed_updates: ['edited_message'] })).result).toEqual([])
  expect(server.confirmedThrough).toBe(result[0].update_id)
})

test('a long poll is answered as soon as somebody speaks', async () => {
  const polled = call('getUpdates', { timeout: 50 })
  await server.until(() => server.isPolled)
  server.say('Now')
  expect((await polled).result).toMatchObject([{ message: { text: 'Now' } }])
})

test('a second poll ends the first one', async () => {
  const first = call('getUpdates', { timeout: 50 })
  await server.until(() => server.isPolled)
  const second = call('getUpdates', { timeout: 50 })
  expect(await first).toMatchObject({ status: 409, description: expect.stringMatching(/^Conflict: /) })
  server.endPoll()
  expect((await second).result).toEqual([])
})

test('mentions, commands and the message that is answered are filled in', async () => {
  const first = server.say('🙂 /ask@PalimpsestBot and mail@example.com')
  expect(first.entities).toEqual([{ type: 'bot_command', offset: 3, length: 18 }])
  const second = server.say({
    text: '@PalimpsestBot?',
    reply_to_message: { message_id: first.message_id } as never,
  })
  expect(second).toMatchObject({
    entities: [{ type: 'mention', offset: 0, length: 14 }],
    reply_to_message: { text: first.text },
  })
})

test('an answer to what nobody said is refused, unless it may go without', async () => {
  server.say('Hi')
  const reply_parameters = { message_id: 999 }
  const request = { chat_id: 1_001, text: 'Hello' }
  expect(await call('sendMessage', { ...request, reply_parameters })).toMatchObject({
    status: 400,
    description: 'Bad Request: message to be replied not found',
  })
  const sent = server.waitForSent(1)
  await call('sendMessage', {
    ...request,
    reply_parameters: { ...reply_parameters, allow_sending_without_reply: true },
  })
  expect(await sent).toMatchObject([{ text: 'Hello', replyTo: null }])
})

test('texts of 1 to 4,096 characters', async () => {
  server.say('Hi')
  for (const [text, status] of [
    ['', 400],
    [' ', 400],
    ['x'.repeat(4_096), 200],
    ['x'.repeat(4_097), 400],
  ] as const)
    expect(await call('sendMessage', { chat_id: '1001', text })).toHaveProperty('status', status)
})

test('it fails as it is told, once', async () => {
  server.say('Hi')
  server.floodNext(5)
  const send = () => call('sendMessage', { chat_id: 1_001, text: 'Hello' })
  expect(await send()).toMatchObject({ status: 429, parameters: { retry_after: 5 } })
  server.failNext(500)
  expect(await send()).toMatchObject({ status: 500 })
  server.dropNext('sendMessage', 'after')
  await expect(send()).rejects.toThrow()
  expect(await send()).toMatchObject({ status: 200 })
  expect(server.sent.length).toBe(2)
})

test('what is waited for in vain ends with the server', async () => {
  const waiting = expect(server.waitForSent(1)).rejects.toThrow(/closed before/)
  server.hangNext('getMe')
  const hanging = expect(call('getMe')).rejects.toThrow()
  await server.until(() => server.calls.length === 1)
  await server.close()
  await Promise.all([waiting, hanging])
})
