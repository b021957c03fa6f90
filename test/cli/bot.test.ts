import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, existsSync, readFileSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { json } from 'node:stream/consumers'
import type { Chat, User } from 'grammy/types'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createPalimpsest, type Message, sqlite } from '../../packages/palimpsest/src/index.ts'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { codeBlocks } from '../frameworks/packed-project.ts'
import { startTelegramServer, type TelegramServer } from '../telegram/telegram-server.ts'
import { MAIN, run, runHere, temporaryFolder } from './run.ts'

const root = dirname(dirname(import.meta.dirname))
const folder = temporaryFolder()
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  folder.remove()
})

const BO: User = { id: 1_002, is_bot: false, first_name: 'Bo' }
const GROUP: Chat = { id: -100, type: 'supergroup', title: 'Releases' }
const AT_ONCE = { quietMs: 0, mostMs: 0 }
const VARIABLE = '$' + '{TELEGRAM_TOKEN}'

interface Bot {
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly announced: any
  readonly stderr: () => string
  /** How it ended: its exit code, or the signal that ended it. */
  readonly exited: Promise<number | string | null>
  signal(signal: NodeJS.Signals): void
}

/** A bot as a person starts it. */
async function startBot(file: string, env: Readonly<Record<string, string>> = {}): Promise<Bot> {
  const child = spawn(process.execPath, [MAIN, 'bot', '--json', '--config', file], {
    cwd: folder.path,
    env: { ...process.env, ...env },
  })
  children.add(child)
  let stderr = ''
  child.stderr.on('data', chunk => {
    stderr += chunk
  })
  const exited = once(child, 'close').then(([code, signal]) => {
    children.delete(child)
    return (code ?? signal) as number | string | null
  })
  const [line] = await Promise.race([
    once(createInterface(child.stdout), 'line') as Promise<[string]>,
    exited.then(end => Promise.reject(new Error(`it ended with ${end}: ${stderr}`))),
  ])
  return {
    announced: JSON.parse(line),
    stderr: () => stderr,
    exited,
    signal: signal => void child.kill(signal),
  }
}

function telegramFile(name: string, server: TelegramServer, more: object = {}): string {
  const channel = { type: 'telegram', token: VARIABLE, apiRoot: server.url, pollTimeoutSec: 50 }
  return folder.file(name, JSON.stringify({ db: `${name}.db`, channels: [channel], inbox: AT_ONCE, ...more }))
}

const withToken = (server: TelegramServer) => ({ TELEGRAM_TOKEN: server.token })

async function readSession(file: string, id: string): Promise<readonly Message[]> {
  await using palimpsest = await createPalimpsest({ store: sqlite(`${file}.db`), folding: 'manual' })
  return palimpsest.session(id).messages()
}

describe('palimpsest bot, the file', () => {
  test('without one it shows one to paste, which is right', async () => {
    const ran = await run(['bot'])
    expect(ran).toMatchObject({ code: 64, stdout: '' })
    const example = /\{\n.*\n\}/s.exec(ran.stderr)![0]
    const file = folder.file('pasted.json', example)
    expect(await run(['bot', '--config', file, '--check'])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('channels[0].token'),
    })
    const env = { TELEGRAM_TOKEN: '42:AAE-a-token-of-twenty-and-more' }
    expect(await run(['bot', '--config', file, '--check'], { env })).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('telegram; answers from search; policy tokens; memory in'),
      stderr: '',
    })
  })

  test('is checked without connecting to anything', async () => {
    await using server = await startTelegramServer()
    const file = telegramFile('check', server, {
      db: undefined,
      store: 'postgres://bob:hunter2@127.0.0.1:1/bots',
      settings: {
        ...{ policy: 'rounds', model: 'openai-compatible:qwen3', modelBaseUrl: 'http://127.0.0.1:1/v1' },
        modelApiKey: 'hunter2',
      },
    })
    copyFileSync(file, `${file}.json`)
    const ran = await run(['bot', '--check', '--json', '--config', `${file}.json`], {
      env: withToken(server),
    })
    expect(ran).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(ran.stdout)).toEqual({
      channels: ['telegram'],
      answers: 'model',
      model: 'openai-compatible:qwen3',
      policy: 'rounds',
      namespace: 'default',
      store: expect.stringContaining('127.0.0.1:1/bots'),
    })
    expect(ran.stdout).not.toMatch(/hunter2|loopback-token/)
    expect(server.calls).toEqual([])
  })

  test('everything that is wrong with it is said at once, and nothing secret', async () => {
    const file = folder.file(
      'wrong.json',
      JSON.stringify({
        channels: [{ type: 'telegram', tokn: 'hunter2', name: 'x y' }],
        settings: { policy: 'count', threshold: 5, keepLast: 'nine' },
      }),
    )
    const ran = await run(['bot', '--config', file, '--json'])
    expect(ran.code).toBe(78)
    const { problems } = JSON.parse(ran.stdout).error.details
    expect(problems.map(({ setting }: { setting: string }) => setting).toSorted()).toEqual([
      ...['channels[0].name', 'channels[0].token', 'channels[0].tokn', 'settings.keepLast'],
    ])
    expect(ran.stdout + ran.stderr).not.toContain('hunter2')
  })

  test('what does not fit together is named as the file has it', async () => {
    const channels = [{ type: 'telegram', token: '42:AAE-a-token-of-twenty-and-more' }]
    const settings = { policy: 'count', threshold: 5, keepLast: 9 }
    const unfit = folder.file('unfit.json', JSON.stringify({ channels, settings }))
    expect(await run(['bot', '--check', '--config', unfit])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('settings.keepLast: 9 cannot be taken'),
    })
    const keyless = folder.file(
      'keyless.json',
      JSON.stringify({ channels, settings: { model: 'anthropic:claude-haiku-4-5' } }),
    )
    expect(await run(['bot', '--check', '--config', keyless])).toMatchObject({
      code: 78,
      stderr: expect.stringContaining('set modelApiKey or PALIMPSEST_MODEL_API_KEY'),
    })
    expect(existsSync(join(folder.path, 'palimpsest.db'))).toBe(false)
  })

  test('a wrong address is named as the file has it', async () => {
    const apiRoot = 'http://bob:hunter2@127.0.0.1:1/?x=1'
    const channels = [{ type: 'telegram', token: '42:AAE-a-token-of-twenty-and-more', apiRoot }]
    const ran = await runHere([
      'bot',
      '--check',
      '--config',
      folder.file('root.json', JSON.stringify({ channels })),
    ])
    expect(ran).toMatchObject({ code: 78, stderr: expect.stringContaining('channels[0].apiRoot: ') })
    expect(ran.stderr).not.toContain('hunter2')
  })

  test('what stands in it does nothing to the screen', async () => {
    const channels = [{ type: 'telegram', token: 'x', '\u001b]0;t\u0007': 1 }]
    const given = { '\u001b[31mevil': 1, '\u202elive': 1, channels, groups: { seen: '\u009b2J' } }
    const file = folder.file('escapes.json', JSON.stringify(given))
    const ran = await runHere(['bot', '--check', '--config', file])
    expect(ran.code).toBe(78)
    expect(ran.stderr).toContain('\\u{1b}[31mevil')
    expect(ran.stderr.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u)
    const unknown = await runHere(['bot', '--\u001b[31mevil'])
    expect(unknown.code).toBe(64)
    expect(unknown.stderr.replaceAll('\n', '')).not.toMatch(/\p{Cc}/u)
  })

  test('the example is right', async () => {
    const env = { TELEGRAM_TOKEN: '42:AAE-a-token-of-twenty-and-more', ANTHROPIC_API_KEY: 'k' }
    const ran = await run(['bot', '--check', '--config', join(root, 'examples/bot/bot.json')], { env })
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('anthropic:claude-haiku-4-5'),
      stderr: '',
    })
    expect(codeBlocks('docs/bots.md', 'json')[0]).toBe(
      readFileSync(join(root, 'examples/bot/bot.json'), 'utf8'),
    )
  })
})

describe('palimpsest bot on Telegram', () => {
  test('answers in private, listens in groups, and answers there who mentions it', async () => {
    await using server = await startTelegramServer()
    const file = telegramFile('groups.json', server)
    const bot = await startBot(file, withToken(server))
    expect(bot.announced).toMatchObject({
      channels: ['telegram'],
      answers: 'search',
      pid: expect.any(Number),
    })
    expect(bot.stderr()).toContain('no model is set')

    server.say('The door code is 4711.')
    await server.until(() => server.sent[0]?.text.includes('ask me about it later') ?? false)
    expect(server.sent[0]).toMatchObject({ chat: '1001' })

    const overheard = server.say({ chat: GROUP, from: BO, text: 'We ship on Friday at noon.' })
    const asked = server.say({ chat: GROUP, text: '@PalimpsestBot when do we ship?' })
    await server.until(() => server.sent[1]?.text.includes('Friday at noon') ?? false)
    expect(server.sent[1]).toMatchObject({ chat: '-100', replyTo: asked.message_id })
    await server.until(() => server.confirmedThrough >= 3)
    bot.signal('SIGTERM')
    expect(await bot.exited).toBe(0)
    expect(bot.stderr()).toContain('finishes what is under way')
    expect(bot.stderr()).not.toMatch(/4711|Friday/)
    expect(server.sent).toHaveLength(2)

    const group = await readSession(file, 'telegram:-100')
    expect(group.map(({ role, externalId }) => [role, externalId]).slice(0, 2)).toEqual([
      ['user', String(overheard.message_id)],
      ['user', String(asked.message_id)],
    ])
    expect(group.filter(({ role }) => role === 'assistant')).toHaveLength(1)
  })

  test('kill -9: what was answered is not answered again, what was not is, once', async () => {
    await using server = await startTelegramServer()
    const file = telegramFile('killed.json', server)
    const first = await startBot(file, withToken(server))
    server.say('The door code is 4711.')
    await server.until(() => server.sent[0]?.text.includes('ask me about it later') ?? false)
    server.hangNext('sendMessage')
    const cutOff = server.say('What is the door code?')
    const sends = () => server.calls.filter(({ method }) => method === 'sendMessage').length
    await server.until(() => sends() === 2)
    first.signal('SIGKILL')
    expect(await first.exited).toBe('SIGKILL')
    const missed = server.say({ from: BO, text: 'Good morning.' })

    const second = await startBot(file, withToken(server))
    await server.until(() => server.sent.length >= 3 && server.sent.every(({ text }) => text.length > 40))
    await server.until(() => server.pending.length === 0)
    second.signal('SIGINT')
    expect(await second.exited).toBe(0)
    expect(server.sent.map(({ chat }) => chat).toSorted()).toEqual(['1001', '1001', '1002'])
    expect(server.sent.filter(({ chat }) => chat === '1001')[1]!.text).toContain('4711')

    const ada = await readSession(file, 'telegram:1001')
    expect(ada.map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
    expect(ada[2]!.externalId).toBe(String(cutOff.message_id))
    const bo = await readSession(file, 'telegram:1002')
    expect(bo.map(({ role, externalId }) => [role, externalId])[0]).toEqual([
      'user',
      String(missed.message_id),
    ])
    expect(bo).toHaveLength(2)
  })

  test('SIGTERM: ends within seconds, and the next start answers what waits', async () => {
    await using server = await startTelegramServer()
    const patient = telegramFile('patient.json', server, { inbox: { quietMs: 600_000, mostMs: 600_000 } })
    const first = await startBot(patient, withToken(server))
    server.say('The door code is 4711.')
    await server.until(() => server.pending.length === 0)
    const asked = performance.now()
    first.signal('SIGTERM')
    expect(await first.exited).toBe(0)
    expect(performance.now() - asked).toBeLessThan(10_000)
    expect(server.sent).toEqual([])
    const second = await startBot(telegramFile('patient.json', server), withToken(server))
    await server.waitForSent(1)
    second.signal('SIGTERM')
    expect(await second.exited).toBe(0)
    expect(server.sent).toHaveLength(1)
  })

  test('a platform that does not answer keeps nobody waiting', async () => {
    await using server = await startTelegramServer()
    const bot = await startBot(telegramFile('hanging.json', server), withToken(server))
    server.hangNext('sendMessage')
    server.say('Hello')
    await server.until(() => server.calls.some(({ method }) => method === 'sendMessage'))
    const asked = performance.now()
    bot.signal('SIGTERM')
    expect(await bot.exited).toBe(0)
    expect(performance.now() - asked).toBeLessThan(10_000)
  })

  test('neither does a model that does not answer at the same time', async () => {
    await using server = await startTelegramServer()
    await using models = await startModelServer({ reply: 'At noon.' })
    const settings = { model: 'openai-compatible:qwen3', modelBaseUrl: models.url }
    const bot = await startBot(telegramFile('both.json', server, { settings }), withToken(server))
    server.hangNext('sendMessage')
    server.say('When do we ship?')
    await server.until(() => server.calls.some(({ method }) => method === 'sendMessage'))
    models.setReply({ fault: 'hang' })
    const asked = models.requests.length
    server.say({ from: BO, text: 'And when do we eat?' })
    await vi.waitFor(() => expect(models.requests.length).toBeGreaterThan(asked), 10_000)
    bot.signal('SIGTERM')
    expect(await bot.exited).toBe(0)
    expect(server.sent).toEqual([])
  })

  test('a name that cannot be stored loses no message, and is not shown', async () => {
    await using server = await startTelegramServer()
    const file = telegramFile('named.json', server)
    const bot = await startBot(file, withToken(server))
    server.say({ from: { ...BO, first_name: 'Bo\0\ud83d' }, text: 'The door code is 4711.' })
    await server.waitForSent(1)
    bot.signal('SIGTERM')
    expect(await bot.exited).toBe(0)
    expect((await readSession(file, 'telegram:1002'))[0]).toMatchObject({
      content: 'The door code is 4711.',
      sender: { name: 'Bo \ufffd' },
    })
  })

  test('a second signal ends it at once', async () => {
    await using server = await startTelegramServer()
    const bot = await startBot(telegramFile('twice.json', server), withToken(server))
    server.hangNext('sendMessage')
    server.say('Hello')
    await server.until(() => server.calls.some(({ method }) => method === 'sendMessage'))
    bot.signal('SIGTERM')
    await vi.waitFor(() => expect(bot.stderr()).toContain('finishes what is under way'), 10_000)
    bot.signal('SIGTERM')
    expect(await bot.exited).toBe('SIGTERM')
  })

  test('who blocks it is noted by id, and nothing of what was said', async () => {
    await using server = await startTelegramServer()
    const bot = await startBot(telegramFile('blocked.json', server), withToken(server))
    const { chat } = server.say('The door code is 4711.')
    server.block(chat.id)
    await vi.waitFor(() => expect(bot.stderr()).toContain('telegram:1001 1: undeliverable'), 10_000)
    expect(bot.stderr()).toContain('blocked')
    expect(bot.stderr()).not.toContain('4711')
    bot.signal('SIGTERM')
    expect(await bot.exited).toBe(0)
  })

  test('a wrong token ends it with a word, not with the token', async () => {
    await using server = await startTelegramServer()
    const file = telegramFile('token.json', server)
    const token = '4242:some-other-token-of-somebody'
    const ran = await run(['bot', '--config', file], { env: { TELEGRAM_TOKEN: token } })
    expect(ran).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('The channel telegram cannot go on: token: '),
    })
    expect(ran.stdout + ran.stderr).not.toContain('some-other-token')
  })

  test('with a model, which is told who it is', async () => {
    await using server = await startTelegramServer()
    await using models = await startModelServer({ reply: 'At noon, as always.' })
    folder.file('persona.md', 'You are Pal, who runs our releases.')
    const settings = { model: 'openai-compatible:qwen3', modelBaseUrl: models.url }
    const file = telegramFile('model.json', server, { settings, instructions: { file: 'persona.md' } })
    const bot = await startBot(file, { ...withToken(server), PALIMPSEST_MODEL: 'openai-compatible:other' })
    expect(bot.announced).toMatchObject({ answers: 'model', model: 'openai-compatible:qwen3' })
    server.say('When do we ship?')
    await server.until(() => server.sent[0]?.text === 'At noon, as always.')
    bot.signal('SIGTERM')
    expect(await bot.exited).toBe(0)
    expect(bot.stderr()).not.toContain('no model')
    expect(JSON.stringify(models.requests[0]!.body)).toContain('You are Pal, who runs our releases.')
    expect(models.requests[0]!.body).toMatchObject({ model: 'qwen3' })
  })
})

test('a change of the settings is in force for the next message, without a restart', async () => {
  await using server = await startTelegramServer()
  await using models = await startModelServer({ reply: 'At noon, as always.' })
  const file = telegramFile('changing.json', server)
  const bot = await startBot(file, withToken(server))
  expect(bot.announced).toMatchObject({ answers: 'search', policy: 'tokens' })
  server.say('When do we ship?')
  await server.until(() => server.sent.length === 1)
  const store = sqlite(`${file}.db`)
  await store.open()
  const model = { model: 'openai-compatible:qwen3', modelBaseUrl: models.url }
  await store.settings.writeSettings('default', { policy: 'count', threshold: 3, keepLast: 1, ...model })
  await store.close()
  server.say('And when exactly?')
  await server.until(() => server.sent.length === 2)
  expect(server.sent[1]!.text).toBe('At noon, as always.')
  bot.signal('SIGTERM')
  expect(await bot.exited).toBe(0)
  await using palimpsest = await createPalimpsest({ store: sqlite(`${file}.db`), folding: 'manual' })
  const [chat] = await palimpsest.sessions()
  expect(chat!.segments > 0 || chat!.pending).toBe(true)
})

test("a channel of one's own, as the documentation has it", async () => {
  const example = join(root, 'examples', 'own-channel.ts')
  expect(codeBlocks('docs/bots.md', 'ts')).toContain(readFileSync(example, 'utf8'))
  copyFileSync(example, join(folder.path, 'own-channel.mts'))
  const replies: unknown[] = []
  const heard = Promise.withResolvers<void>()
  const others = createServer(async (request, response) => {
    replies.push(await json(request))
    response.end()
    heard.resolve()
  })
  await new Promise<void>(listening => others.listen(0, '127.0.0.1', listening))
  const free = await freePort()
  const address = others.address() as AddressInfo
  const bot = await startBot(join(folder.path, 'own-channel.mts'), {
    PORT: String(free),
    REPLIES_URL: `http://127.0.0.1:${address.port}/replies`,
  })
  const said = { chat: '7', id: 'm-1', from: 'ann', text: 'The door code is 4711.' }
  const post = () => fetch(`http://127.0.0.1:${free}`, { method: 'POST', body: JSON.stringify(said) })
  expect((await post()).status).toBe(202)
  expect((await post()).status).toBe(202)
  await heard.promise
  bot.signal('SIGTERM')
  expect(await bot.exited).toBe(0)
  expect(replies).toEqual([{ chat: '7', key: expect.any(String), text: expect.stringContaining('Kept.') }])
  others.close()
})

async function freePort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(listening => server.listen(0, '127.0.0.1', listening))
  const { port } = server.address() as AddressInfo
  await new Promise(closed => server.close(closed))
  return port
}
