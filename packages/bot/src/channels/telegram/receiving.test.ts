import { execFile } from 'node:child_process'
import { inspect, promisify } from 'node:util'
import fc from 'fast-check'
import {
  ClosedError,
  InvalidArgumentError,
  InvalidMessageError,
  StoreError,
} from 'palimpsest/internals/errors'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { recordingHost } from '../../../../../test/telegram/recording-host.ts'
import { stepTimers } from '../../../../../test/telegram/step-timers.ts'
import { startTelegramServer, type TelegramServer } from '../../../../../test/telegram/telegram-server.ts'
import type { IncomingMessage } from '../../channel.ts'
import type { Timers } from '../../timers.ts'
import { telegram } from './index.ts'
import type { TelegramOptions } from './options.ts'

let server: TelegramServer

beforeEach(async () => {
  server = await startTelegramServer()
})

afterEach(async () => {
  await server.close()
})

function channelOf(options: Partial<TelegramOptions> = {}) {
  return telegram({ token: server.token, apiRoot: server.url, ...options })
}

/** Throws these in turn, and nothing once there are no more. */
function failing(...errors: unknown[]): (message: IncomingMessage) => void {
  return () => {
    const error = errors.shift()
    if (error) throw error
  }
}

/** What is waited for after a failure is over at once; the patience of a stop never is. */
const withoutBackOff: Timers = {
  now: () => 0,
  setTimeout: (callback, ms) => (ms === 3_000 ? null : setImmediate(callback)),
  clearTimeout: clearImmediate,
}

const busy = () => new StoreError('store_busy', 'SQLite', 'The database is busy.')

test('what people say is received in their order, and confirmed when the host has it', async () => {
  const waited = server.say('Before the start')
  const channel = channelOf()
  const host = recordingHost()
  await channel.start(host)
  await host.waitForReceived(1)
  await server.until(() => server.isPolled)
  expect(server.pending).toEqual([])
  server.say({ text: '@palimpsestbot Hello 🙂', chat: { id: -1_005, type: 'supergroup', title: 'Looms' } })
  server.say('Last')
  expect(await host.waitForReceived(3)).toMatchObject([
    { kind: 'private', content: 'Before the start', id: String(waited.message_id), mentionsBot: false },
    { kind: 'group', chat: '-1005', content: '@palimpsestbot Hello 🙂', mentionsBot: true },
    { kind: 'private', content: 'Last' },
  ])
  await channel.stop()
  expect(server.pending).toEqual([])
  expect(host.errors).toEqual([])
})

test('a webhook of before is removed, and what waits for it is kept', async () => {
  const channel = channelOf({ pollTimeoutSec: 7 })
  await channel.start(recordingHost())
  await server.until(() => server.isPolled)
  await channel.stop()
  expect(server.calls).toEqual([
    { method: 'getMe', payload: {} },
    { method: 'deleteWebhook', payload: {} },
    {
      method: 'getUpdates',
      payload: { offset: 0, timeout: 7, allowed_updates: ['message', 'edited_message'] },
    },
  ])
})

test('an edit, and what is nothing that anybody said', async () => {
  const channel = channelOf()
  const host = recordingHost()
  const said = server.say('Helo')
  server.change(said, { text: 'Hello' })
  server.update({ message: { ...said, text: undefined, new_chat_title: 'Looms' } as never })
  server.update({ poll: { id: '1' } as never })
  server.say('Last')
  await channel.start(host)
  await host.waitForReceived(2)
  await channel.stop()
  expect(host.received.map(({ content }) => content)).toEqual(['Helo', 'Last'])
  expect(host.edits).toMatchObject([{ id: String(said.message_id), content: 'Hello' }])
})

test('while the database is busy nothing is confirmed, and nothing is lost', async () => {
  const timers = stepTimers()
  const channel = channelOf({ timers })
  let attempts = 0
  const away = () => new StoreError('store_unavailable', 'PostgreSQL', 'It is away.')
  const closed = () => new ClosedError('store')
  const fail = failing(...[busy, away, closed].flatMap(error => Array.from({ length: 12 }, () => error())))
  const host = recordingHost(message => {
    attempts++
    fail(message)
  })
  server.say('First')
  server.say('Second')
  await channel.start(host)
  const waits = []
  for (let count = 0; count < 36; count++) waits.push(await timers.elapse())
  await host.waitForReceived(2)
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, ...Array(30).fill(30_000)])
  expect(host.received.map(({ content }) => content)).toEqual(['First', 'Second'])
  expect(attempts).toBe(38)
  expect(host.errors).toEqual([
    'UpdateError: Update 700001 could not be taken yet and is tried again: store_busy',
  ])
  await channel.stop()
})

test('a message that the host refuses is passed over, and does not hold up the others', async () => {
  const channel = channelOf()
  const host = recordingHost(failing(new InvalidMessageError('content', '', 'text')))
  server.say('Poison')
  server.say('Water')
  await channel.start(host)
  await host.waitForReceived(1)
  await channel.stop()
  expect(host.received).toMatchObject([{ content: 'Water' }])
  expect(server.pending).toEqual([])
  expect(host.errors).toEqual(['UpdateError: Update 700001 was passed over: invalid_message'])
})

test('what is reported of a message says nothing of what it says; the error itself is the cause', async () => {
  const refused = new InvalidMessageError('content', 'The door code is 4711.', 'text')
  const reported = Promise.withResolvers<unknown>()
  const channel = channelOf()
  server.say('The door code is 4711.')
  await channel.start({ ...recordingHost(failing(refused)), onError: reported.resolve })
  const error = (await reported.promise) as Error
  await channel.stop()
  expect(error.message + error.stack).not.toContain('4711')
  expect(error.cause).toBe(refused)
})

test('a failure that nobody foresaw is tried ten times, then it is passed over', async () => {
  const timers = stepTimers()
  const channel = channelOf({ timers })
  const host = recordingHost(
    failing(...Array.from({ length: 10 }, () => new TypeError('x is not a function'))),
  )
  server.say('Poison')
  server.say('Water')
  await channel.start(host)
  for (let count = 0; count < 9; count++) await timers.elapse()
  await host.waitForReceived(1)
  expect(host.received).toMatchObject([{ content: 'Water' }])
  expect(host.errors.at(-1)).toMatch(/passed over: TypeError$/)
  await channel.stop()
})

test('an update that cannot be read is passed over', async () => {
  const channel = channelOf()
  const host = recordingHost()
  server.update({ message: { text: 'In no chat' } as never })
  server.say('Water')
  await channel.start(host)
  await host.waitForReceived(1)
  await channel.stop()
  expect(host.received).toMatchObject([{ content: 'Water' }])
  expect(host.errors).toEqual(['UpdateError: Update 700001 cannot be read and was passed over: TypeError'])
})

test('however often the database fails and the program stops, each message is received once and in its order', async () => {
  const plan = fc.record({
    failures: fc.nat(3),
    isRefused: fc.boolean(),
    stops: fc.constantFrom('never', 'before it is taken', 'while it is taken'),
  })
  await fc.assert(
    fc.asyncProperty(fc.array(plan, { maxLength: 8 }), async plans => {
      await using chats = await startTelegramServer()
      const updates = [...plans.keys(), 'last'].map(
        text => chats.say(String(text)) && chats.pending.at(-1)!.update_id,
      )
      const channel = telegram({ token: chats.token, apiRoot: chats.url, timers: withoutBackOff })
      const left = plans.map(each => ({ ...each }))
      const tooEarly: unknown[] = []
      let restarting: Promise<void> | null = null
      const restart = async () => {
        await channel.stop()
        restarting = null
        await channel.start(host)
      }
      const host = recordingHost(({ content }) => {
        const index = content === 'last' ? plans.length : Number(content)
        if (chats.confirmedThrough >= updates[index]!) tooEarly.push(content)
        const now = left[index]
        if (!now) return
        const { stops } = now
        now.stops = 'never'
        if (stops !== 'never') restarting = restart()
        if (stops === 'before it is taken' || now.failures-- > 0) throw busy()
        if (now.isRefused) throw new InvalidMessageError('content', content, 'something else')
      })
      await channel.start(host)
      const taken = [...plans.keys()].filter(index => !plans[index]!.isRefused).map(String)
      await host.waitForReceived(taken.length + 1)
      await restarting
      await channel.stop()
      expect(host.received.map(({ content }) => content)).toEqual([...taken, 'last'])
      expect(chats.pending).toEqual([])
      expect(tooEarly).toEqual([])
    }),
    { numRuns: 30 },
  )
})

test('the host is told of a group that becomes a supergroup', async () => {
  const channel = channelOf()
  const host = recordingHost()
  server.say({ chat: { id: -5, type: 'group', title: 'Looms' }, migrate_to_chat_id: -1_005 })
  server.say('Last')
  await channel.start(host)
  await host.waitForReceived(1)
  await channel.stop()
  expect(host.moves).toEqual([['-5', '-1005']])
  expect(host.errors).toEqual([])
})

test('a network that fails is waited for, longer each time, and reported once', async () => {
  const timers = stepTimers()
  const channel = channelOf({ timers })
  const host = recordingHost()
  server.dropNext('getMe')
  server.failNext(502, { method: 'deleteWebhook' })
  server.dropNext('getUpdates')
  server.failNext(500, { method: 'getUpdates' })
  server.dropNext('getUpdates', 'after')
  await channel.start(host)
  server.say('Hello')
  const waits = []
  for (let count = 0; count < 5; count++) waits.push(await timers.elapse())
  await host.waitForReceived(1)
  expect(waits).toEqual([500, 500, 500, 1_000, 2_000])
  expect(host.errors).toEqual([
    expect.stringMatching(
      /^Error: Nothing can be received for now \(no proper answer: .+\)\. It is tried again\.$/,
    ),
  ])
  await channel.stop()
  expect(host.received.length).toBe(1)
})

test('a long poll that is cut off is begun anew', async () => {
  const timers = stepTimers()
  const channel = channelOf({ timers })
  const host = recordingHost()
  await channel.start(host)
  await server.until(() => server.isPolled)
  server.dropConnections()
  expect(await timers.elapse()).toBe(500)
  await server.until(() => server.isPolled)
  server.endPoll()
  server.say('Still there?')
  await host.waitForReceived(1)
  await channel.stop()
})

test('Telegram says how long it wants to be left alone', async () => {
  const timers = stepTimers()
  const channel = channelOf({ timers })
  server.floodNext(17, 'getUpdates')
  await channel.start(recordingHost())
  expect(await timers.elapse()).toBe(17_000)
  await server.until(() => server.isPolled)
  await channel.stop()
})

test('a wrong token is fatal, and is not shown', async () => {
  const channel = channelOf({ token: '4242:another-secret-half-of-a-token' })
  const host = recordingHost()
  await channel.start(host)
  const error = await host.fatal
  expect(error).toBeInstanceOf(InvalidArgumentError)
  expect(String(error)).toMatch(
    /token: "\(not shown\)" .* 127\.0\.0\.1:\d+ knows \(it said: Unauthorized\); @BotFather/,
  )
  expect(inspect(error, { depth: 9, showHidden: true })).not.toContain('another-secret-half')
  await channel.stop()
})

test('another program that receives for the same bot is fatal', async () => {
  const channel = channelOf()
  const host = recordingHost()
  await channel.start(host)
  await server.until(() => server.isPolled)
  await fetch(`${server.url}/bot${server.token}/getUpdates`, { method: 'POST' })
  expect(String(await host.fatal)).toMatch(
    /^ChannelFailedError: .* another program receives .* end the other one, or use a bot of its own/,
  )
  await channel.stop()
})

test('stopping waits for what is being received, and confirms it but nothing after it', async () => {
  const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const channel = channelOf()
  const host = recordingHost(async () => {
    begun.resolve()
    await mayEnd.promise
  })
  server.say('First')
  server.say('Second')
  await channel.start(host)
  await begun.promise
  let isStopped = false
  const stopping = channel.stop().then(() => {
    isStopped = true
  })
  await new Promise(setImmediate)
  expect(isStopped).toBe(false)
  mayEnd.resolve()
  await stopping
  expect(host.received).toMatchObject([{ content: 'First' }])
  expect(server.pending).toMatchObject([{ message: { text: 'Second' } }])
  expect(server.calls.at(-1)).toEqual({
    method: 'getUpdates',
    payload: { offset: server.confirmedThrough + 1, limit: 1, timeout: 0 },
  })
})

test('stopping does not wait for a database that is away: the message comes again', async () => {
  const timers = stepTimers()
  const channel = channelOf({ timers })
  const first = recordingHost(() => {
    throw new ClosedError('store')
  })
  server.say('Hello')
  await channel.start(first)
  await timers.untilSet()
  await channel.stop()
  expect(timers.pending).toBe(0)
  expect(server.pending.length).toBe(1)
  const second = recordingHost()
  await channel.start(second)
  await second.waitForReceived(1)
  await channel.stop()
  expect(first.received).toEqual([])
})

test('stopping does not wait for a Telegram that does not answer', async () => {
  const timers = stepTimers()
  const mayEnd = Promise.withResolvers<void>()
  const begun = Promise.withResolvers<void>()
  const channel = channelOf({ timers })
  server.say('Hello')
  await channel.start(
    recordingHost(() => {
      begun.resolve()
      return mayEnd.promise
    }),
  )
  await begun.promise
  server.hangNext('getUpdates')
  const stopping = channel.stop()
  mayEnd.resolve()
  expect(await timers.elapse()).toBe(3_000)
  await stopping
  expect(server.pending.length).toBe(1)
})

test('it can be stopped before Telegram has answered for the first time', async () => {
  const channel = channelOf()
  const host = recordingHost()
  server.hangNext('getMe')
  await channel.start(host)
  await server.until(() => server.calls.length === 1)
  await channel.stop()
  expect(server.calls).toEqual([{ method: 'getMe', payload: {} }])
})

test('it is started once', async () => {
  const channel = channelOf()
  await channel.stop()
  await channel.start(recordingHost())
  await expect(channel.start(recordingHost())).rejects.toThrow(/start: "telegram" .* stop it before the next/)
  await channel.stop()
  await channel.stop()
})

const run = promisify(execFile)

/** In a process of its own, which ends when nothing keeps it running. */
async function runAlone(code: string): Promise<string> {
  const child = `
    import { registerHooks } from 'node:module'
    import { telegram } from '@palimpsest/bot/channels/telegram'
    const channel = telegram({ token: process.env.TOKEN, apiRoot: process.env.API_ROOT })
    const host = { edited: async () => {}, onError: console.log, onFatal: console.log }
    ${code}`
  const env = { ...process.env, TOKEN: server.token, API_ROOT: server.url }
  const { stdout } = await run('node', ['--input-type=module', '--eval', child], { env, timeout: 60_000 })
  return stdout
}

test('a program whose channel was stopped can end', async () => {
  server.say('Hello')
  const output = await runAlone(`
    await new Promise((resolve, reject) =>
      channel.start({ ...host, receive: async ({ content }) => { console.log(content); resolve() } }).catch(reject))
    await channel.send({ chat: '1001', text: 'Bye', replyTo: null, key: 'k', isPartial: false })
    await channel.stop()
    console.log('stopped')`)
  expect(output).toBe('Hello\nstopped\n')
  expect(server.pending).toEqual([])
  expect(server.sent).toMatchObject([{ text: 'Bye' }])
})

test('without grammy, it says what to install', async () => {
  const output = await runAlone(`
    registerHooks({ resolve: (name, context, next) => {
      if (name === 'grammy') throw new Error('Cannot find package')
      return next(name, context)
    } })
    await channel.start(host).catch(error => console.log(String(error)))
    await channel.stop()`)
  expect(output).toBe(
    'MissingPeerError: The Telegram channel needs the package "grammy". Install it, and start again: npm install grammy\n',
  )
})
