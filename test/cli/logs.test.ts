import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { inspect } from 'node:util'
import { APICallError, RetryError } from 'ai'
import { GrammyError } from 'grammy'
import { afterAll, describe, expect, test, vi } from 'vitest'
import {
  describeError,
  InvalidMessageError,
  PalimpsestError,
  StoreError,
  tellableError,
} from '../../src/errors.ts'
import { createPalimpsest, sqlite } from '../../src/index.ts'
import {
  type ModelReply,
  type ModelRequest,
  modelFailures,
  startModelServer,
} from '../../src/testing/index.ts'
import { startTelegramServer } from '../telegram/telegram-server.ts'
import { MAIN, run, temporaryFolder } from './run.ts'

const SAID = 'The vault opens with LEMON-4711'
/** In no form that a rule knows. */
const KEY = 'plainkeyofthemodel'
const folder = temporaryFolder()
afterAll(() => folder.remove())

function echo({ headers, body }: ModelRequest): string {
  return `I was asked: ${JSON.stringify({ headers, body })}`
}

/** Every kind of error, each of which says what it was asked, with the header that holds the key. */
const ECHOES: readonly ((request: ModelRequest) => ModelReply)[] = [
  ...(
    ['overflow', 'rate_limited', 'overloaded', 'internal', 'unauthorized', 'invalid', 'not_found'] as const
  ).flatMap(kind => [
    (request: ModelRequest) => ({ error: { kind, message: echo(request) } }),
    (request: ModelRequest) => ({ text: 'On', error: { kind, message: echo(request), isLate: true } }),
  ]),
  request => ({ status: 502, headers: { 'content-type': 'text/html' }, body: `<h1>${echo(request)}</h1>` }),
  request => ({ status: 200, body: echo(request) }),
  request => ({ status: 400, body: JSON.stringify({ detail: echo(request) }) }),
  ...Object.values(modelFailures)
    .filter((failure: ModelReply) => failure.fault !== 'hang')
    .map((failure: ModelReply) => () => failure),
]

function expectNothingTold(output: string): void {
  expect(output).not.toContain('LEMON')
  expect(output).not.toContain(KEY)
  expect(output.toLowerCase()).not.toContain('authorization')
}

const model = (url: string) => ({ model: 'openai-compatible:m', modelBaseUrl: url, modelApiKey: KEY })

describe('no program tells what was said, or the key', () => {
  test('palimpsest bot', async () => {
    await using server = await startTelegramServer()
    let count = 0
    await using models = await startModelServer({
      reply: request => ECHOES[count++ % ECHOES.length]!(request),
    })
    const channel = { type: 'telegram', token: server.token, apiRoot: server.url, pollTimeoutSec: 50 }
    const settings = { ...model(models.url), policy: 'count', threshold: 2, keepLast: 1 }
    const inbox = { quietMs: 0, mostMs: 0 }
    const file = folder.file(
      'bot.json',
      JSON.stringify({ db: 'bot.db', channels: [channel], inbox, settings }),
    )
    const child = spawn(process.execPath, [MAIN, 'bot', '--config', file], { cwd: folder.path })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', chunk => (output += chunk))
    try {
      for (let index = 0; index < 4; index++) {
        const asked = models.requests.length
        server.say(`${SAID}, ${index}`)
        await vi.waitFor(() => expect(models.requests.length).toBeGreaterThan(asked), 60_000)
      }
      await vi.waitFor(() => expect(output).toMatch(/telegram:\d+/), 60_000)
      expectNothingTold(output)
      expect(output).not.toContain(server.token)
    } finally {
      child.kill('SIGTERM')
      await once(child, 'close')
    }
    expectNothingTold(output)
  })

  test('palimpsest chat', async () => {
    for (const index of [0, 4, 8, 9, 10, 14, 15, 16]) {
      await using models = await startModelServer({ reply: ECHOES[index]! })
      const env = {
        PALIMPSEST_MODEL: 'openai-compatible:m',
        PALIMPSEST_MODEL_BASE_URL: models.url,
        PALIMPSEST_MODEL_API_KEY: KEY,
      }
      const ran = await run(['chat', '--db', `chat-${index}.db`], {
        cwd: folder.path,
        env,
        stdin: `${SAID}\n`,
      })
      expectNothingTold(ran.stderr)
      expect(ran.stdout).not.toContain(KEY)
    }
  })

  test('an error that nothing waits for ends a program without its words', async () => {
    const hook = folder.file(
      'reject.mjs',
      `setTimeout(() => Promise.reject(Object.assign(new Error(${JSON.stringify(`${SAID} ${KEY}`)}), { requestBodyValues: ${JSON.stringify(SAID)} })), 1500)`,
    )
    const ran = await run(['mcp', '--db', 'reject.db'], { cwd: folder.path, hook, stdin: '' })
    expectNothingTold(ran.stdout + ran.stderr)
  })
})

test('what is stored and logged of a fold that failed holds nothing of the request', async () => {
  const { createOpenAICompatible } = await import('@ai-sdk/openai-compatible')
  for (const [index, reply] of ECHOES.entries()) {
    await using models = await startModelServer({ reply })
    const provider = createOpenAICompatible({ name: 'm', baseURL: models.url, apiKey: KEY })
    const lines: unknown[] = []
    const log = (...line: unknown[]) => void lines.push(line)
    await using palimpsest = await createPalimpsest({
      store: sqlite(':memory:'),
      folding: 'manual',
      summarizer: provider('m'),
      logger: { debug: log, info: log, warn: log, error: log },
    })
    const session = palimpsest.session('s')
    for (let turn = 0; turn < 6; turn++)
      await session.append([
        { role: 'user', content: `${SAID}, ${turn}` },
        { role: 'assistant', content: 'Noted.' },
      ])
    const { error: _, ...outcome } = (await session.compact({ force: 'lite' })) as { error?: unknown }
    const stored = JSON.stringify([outcome, (await session.info())?.lastOutcome ?? null])
    expectNothingTold(stored.replaceAll('I was asked', ''))
    expectNothingTold(inspect(lines, { depth: 12 }))
    expect(index).toBeGreaterThanOrEqual(0)
  }
})

test('an error is told by its kind and codes', () => {
  const call = new APICallError({
    message: `${SAID} ${KEY}`,
    url: `https://a.dev/?key=${KEY}`,
    requestBodyValues: { text: SAID },
    statusCode: 429,
    responseHeaders: { authorization: KEY },
    responseBody: SAID,
  })
  const retried = new RetryError({ message: SAID, reason: 'maxRetriesExceeded', errors: [call] })
  const database = Object.assign(new Error(`invalid input syntax: "${SAID}"`), {
    code: '22P02',
    severity: 'ERROR',
    detail: SAID,
    parameters: [SAID],
  })
  const telegram = new GrammyError(SAID, { ok: false, error_code: 400, description: SAID }, 'sendMessage', {
    text: SAID,
  })
  const posing = new Error(`${SAID}\n    at ${SAID} (file:///a.ts:1:2)`)
  posing.message = 'changed'
  const broken = (() => {
    try {
      return JSON.parse(SAID)
    } catch (error) {
      return error
    }
  })()
  const repeating = new InvalidMessageError('content', SAID, 'text')
  const failed = new PalimpsestError('model_failed', SAID, { model: 'm:x', status: 500, reason: SAID })
  const wrapped = new Error(SAID, {
    cause: new StoreError('store_busy', 'SQLite', 'The database is busy.', database),
  })
  for (const error of [
    call,
    retried,
    database,
    telegram,
    posing,
    broken,
    repeating,
    failed,
    wrapped,
    SAID,
    null,
  ]) {
    expectNothingTold(describeError(error))
    expectNothingTold(inspect(tellableError(error), { depth: 9 }))
  }
  expect(describeError(call)).toBe('AI_APICallError (status 429)')
  expect(describeError(database)).toBe('Error (22P02)')
  const answered = (statusCode: number, error: object) =>
    Object.assign(new APICallError({ message: SAID, url: KEY, requestBodyValues: {}, statusCode }), {
      responseBody: JSON.stringify({ error: { message: `${SAID} ${KEY}`, ...error } }),
    })
  expect(describeError(answered(404, { code: 'model_not_found' }))).toBe(
    'AI_APICallError (model_not_found, status 404): there is no such model, or no API of a model at that address: check the settings model and modelBaseUrl',
  )
  expect(describeError(answered(429, { type: 'insufficient_quota' }))).toContain('waiting does not help')
  // Words of a provider that only look like a code.
  for (const code of [KEY, 'LEMON_4711', 'E_LEMON'])
    for (const posing of [answered(400, { code }), Object.assign(new Error(SAID), { status: 400, code })])
      expectNothingTold(describeError(posing))
  expect(describeError(failed)).toBe('model_failed (status 500, m:x)')
  expect(describeError(wrapped)).toContain('The database is busy.')
})
