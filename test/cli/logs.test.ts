import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
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
} from '../../packages/palimpsest/src/errors.ts'
import { createPalimpsest, sqlite } from '../../packages/palimpsest/src/index.ts'
import {
  type ModelReply,
  type ModelRequest,
  modelFailures,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'
import { startTelegramServer } from '../telegram/telegram-server.ts'
import { databasePlace } from '../worker/queue-place.ts'
import { ECHO_KINDS, startEchoingModel } from './echoing-model.ts'
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

/** What no log, event or job may hold: what was said, the key, and any header of a request. */
function expectNothingTold(output: string): void {
  expect(output).not.toContain('LEMON')
  expect(output).not.toContain(KEY)
  expect(output).not.toContain('I was asked')
  expect(output.toLowerCase()).not.toMatch(/authorization|user-agent|ai-sdk\//)
}

const SETTINGS = { policy: 'count', threshold: 4, keepLast: 1 } as const
const environment = (url: string) => ({
  PALIMPSEST_MODEL: 'openai-compatible:m',
  PALIMPSEST_MODEL_BASE_URL: url,
  PALIMPSEST_MODEL_API_KEY: KEY,
  PALIMPSEST_POLICY: SETTINGS.policy,
  PALIMPSEST_THRESHOLD: `${SETTINGS.threshold}`,
  PALIMPSEST_KEEP_LAST: `${SETTINGS.keepLast}`,
})

const PATIENCE = { timeout: 90_000, interval: 100 }
/** Long enough to be worth a summary. */
const LONG = `${SAID}. ${'We spoke of the harbour, of the weather and of the price of fish. '.repeat(20)}`
const TALK = Array.from({ length: 6 }, (_, index) => ({
  role: index % 2 === 0 ? 'user' : 'assistant',
  text: `${LONG} ${index}`,
}))

interface Program extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams
  /** Standard output and error. */
  readonly told: () => string
  /** The first line of standard output, which is JSON. */
  readonly announced: Promise<{ readonly url: string }>
  readonly stop: () => Promise<void>
}

function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Program {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder.path,
    env: { ...process.env, ...env },
  })
  let told = ''
  let stdout = ''
  const { promise: announced, resolve, reject } = Promise.withResolvers<{ url: string }>()
  announced.catch(() => {})
  child.stdout.on('data', chunk => {
    stdout += chunk
    told += chunk
    const [line, rest] = stdout.split('\n', 2)
    if (rest !== undefined && line!.startsWith('{')) resolve(JSON.parse(line!))
  })
  child.stderr.on('data', chunk => (told += chunk))
  const closed = once(child, 'close')
  closed.then(() => reject(new Error(`it ended: ${told}`)))
  const stop = async () => {
    child.kill('SIGTERM')
    await closed
  }
  return { child, told: () => told, announced, stop, [Symbol.asyncDispose]: stop }
}

async function call(url: string, path: string, body?: unknown): Promise<{ status: number; text: string }> {
  const response = await fetch(`${url}${path}`, {
    ...(body !== undefined && {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
  return { status: response.status, text: await response.text() }
}

const lines = (told: string, what: string) => told.split('\n').filter(line => line.includes(what))

describe.concurrent('no program tells what was said, or the key, whatever a provider echoes', () => {
  test('palimpsest serve, and what it stores, streams and counts; it says once that folds fail, and why', async () => {
    await using model = await startEchoingModel()
    await using server = start(['serve', '--port', '0', '--json', '--db', 'serve.db'], environment(model.url))
    const { url } = await server.announced
    const events = new AbortController()
    let streamed = ''
    const streaming = fetch(`${url}/v1/events`, { signal: events.signal })
      .then(async ({ body }) => {
        for await (const chunk of body!) streamed += Buffer.from(chunk).toString()
      })
      .catch(() => {})
    for (const [index, kind] of ECHO_KINDS.entries()) {
      model.setKind(kind)
      const session = `/v1/sessions/kind-${index}`
      expect((await call(url, `${session}/messages`, { messages: TALK })).status).toBe(201)
      await vi.waitFor(() => expect(lines(server.told(), `"kind-${index}"`)).toHaveLength(1), PATIENCE)
      // Tried again by hand: the operator knows already.
      await call(url, `${session}/compact`, { force: true })
      const stored = await call(url, session)
      expect(JSON.parse(stored.text).lastOutcome).toMatchObject({ outcome: 'failed' })
      expectNothingTold(JSON.stringify(JSON.parse(stored.text).lastOutcome))
      for (const stream of [false, true]) {
        const answer = await call(url, '/v1/chat/completions', {
          ...{ model: 'm', stream, user: `kind-${index}` },
          messages: [{ role: 'user', content: SAID }],
        })
        // The caller is told the provider's words, and never the key.
        expect(answer.text).not.toContain(KEY)
      }
      expect(lines(server.told(), `"kind-${index}"`)).toHaveLength(1)
    }
    expectNothingTold((await call(url, '/metrics')).text)
    events.abort()
    await streaming
    expect(streamed).toContain('kind-0')
    expectNothingTold(streamed)
    await server.stop()
    expectNothingTold(server.told())
    expect(lines(server.told(), `"kind-${ECHO_KINDS.indexOf(404)}"`)[0]).toContain('modelBaseUrl')
    expect(lines(server.told(), `"kind-${ECHO_KINDS.indexOf('no quota')}"`)[0]).toContain(
      'waiting does not help',
    )
  })

  test('a model whose address speaks no TLS, and the commands that read what is left of it', async () => {
    await using model = await startEchoingModel()
    const env = environment(model.tlsUrl)
    const imported = await run(['import', '-', '--session', 's', '--db', 'tls.db'], {
      cwd: folder.path,
      stdin: TALK.map(message => JSON.stringify(message)).join('\n'),
    })
    expect(imported.code).toBe(0)
    expectNothingTold(imported.stdout + imported.stderr)
    for (const [kind, address] of [
      [400, model.tlsUrl],
      [404, model.url],
      ['redirect', model.url],
    ] as const) {
      model.setKind(kind)
      for (const json of [[], ['--json']]) {
        const compacted = await run(['compact', 's', '--force', '--db', 'tls.db', ...json], {
          cwd: folder.path,
          env: { ...env, ...environment(address) },
        })
        expect(compacted.stdout).toContain('failed')
        expectNothingTold(compacted.stdout + compacted.stderr)
      }
    }
    // It tells of the folds that fail again and again.
    for (const json of [[], ['--json']]) {
      const ran = await run(['doctor', '--db', 'tls.db', ...json], { cwd: folder.path, env })
      expect(ran.code).toBe(1)
      expect(ran.stdout).toContain('again and again')
      expectNothingTold(ran.stdout + ran.stderr)
    }
    for (const command of [
      ['copy', '--from', 'sqlite:tls.db', '--to', 'sqlite:copied.db'],
      ['copy', '--from', 'sqlite:tls.db', '--to', 'sqlite:copied.db', '--verify'],
      ['forget', '--session', 's', '--seq', '2', '--yes', '--db', 'tls.db'],
      ['export', 's', '--db', 'tls.db', '--output', 'exported.json'],
      ['import', 'exported.json', '--db', 'again.db'],
    ]) {
      const ran = await run(command, { cwd: folder.path, env })
      expect([command.join(' '), ran.code, ran.code === 0 ? '' : ran.stderr]).toEqual([
        command.join(' '),
        0,
        '',
      ])
      expectNothingTold(ran.stdout + ran.stderr)
    }
  })

  test('palimpsest worker, the rows of its jobs, and doctor and copy of them', async () => {
    await using place = await databasePlace({ retryLimit: 1, retryDelay: 1 })
    await using model = await startEchoingModel()
    const env = environment(model.url)
    const flags = ['--store', place.url, '--json']
    await using server = start(['serve', '--port', '0', ...flags], { ...env, PALIMPSEST_FOLD_WORKERS: '0' })
    const { url } = await server.announced
    await using worker = start(['worker', ...flags], env)
    await worker.announced
    for (const [index, kind] of ECHO_KINDS.entries()) {
      model.setKind(kind)
      await call(url, `/v1/sessions/kind-${index}/messages`, { messages: TALK })
      await vi.waitFor(() => expect(lines(worker.told(), `"kind-${index}"`)).toHaveLength(1), PATIENCE)
    }
    const rows = await place.query(`SELECT row_to_json(j) FROM ${place.schema}_jobs.job j`)
    expect(rows.length).toBeGreaterThanOrEqual(ECHO_KINDS.length)
    expectNothingTold(JSON.stringify(rows))
    await worker.stop()
    await server.stop()
    expectNothingTold(worker.told() + server.told())
    // However often the queue tried.
    for (const index of ECHO_KINDS.keys()) expect(lines(worker.told(), `"kind-${index}"`)).toHaveLength(1)
    for (const command of [
      ['doctor', ...flags],
      ['copy', '--from', place.url, '--to', 'sqlite:from-postgres.db'],
    ]) {
      const ran = await run(command, { cwd: folder.path, env })
      expect(ran.stdout).not.toBe('')
      expectNothingTold(ran.stdout + ran.stderr)
    }
  })

  test('palimpsest bot', async () => {
    await using telegram = await startTelegramServer()
    await using model = await startEchoingModel()
    const channel = { type: 'telegram', token: telegram.token, apiRoot: telegram.url, pollTimeoutSec: 50 }
    const file = folder.file(
      'bot.json',
      JSON.stringify({
        ...{ db: 'bot.db', channels: [channel], inbox: { quietMs: 0, mostMs: 0 }, turns: { attempts: 1 } },
        settings: {
          ...{ model: 'openai-compatible:m', modelBaseUrl: model.url, modelApiKey: KEY },
          ...SETTINGS,
        },
      }),
    )
    await using bot = start(['bot', '--config', file])
    for (const [index, kind] of ECHO_KINDS.entries()) {
      model.setKind(kind)
      telegram.say(`${LONG} ${index}`)
      await vi.waitFor(() => expect(lines(bot.told(), ' after 1 attempt')).toHaveLength(index + 1), PATIENCE)
    }
    await vi.waitFor(() => expect(lines(bot.told(), 'fold failed')).not.toEqual([]), PATIENCE)
    await bot.stop()
    expectNothingTold(bot.told())
    expect(bot.told()).not.toContain(telegram.token)
    expect(bot.told()).toMatch(/status 404.*modelBaseUrl/)
    expect(bot.told()).toMatch(/insufficient_quota.*waiting does not help/)
    const failed = lines(bot.told(), 'fold failed')
    expect(new Set(failed).size).toBe(failed.length)
  })

  test.each([400, 404, 'no quota', 'broken stream', 'invalid JSON', 'redirect', 'reset'] as const)(
    'palimpsest chat (%s)',
    async kind => {
      await using model = await startEchoingModel()
      model.setKind(kind)
      const ran = await run(['chat', '--db', `chat-${kind}.db`], {
        cwd: folder.path,
        env: environment(model.url),
        stdin: `${SAID}\n`,
      })
      expect(ran.code).not.toBe(0)
      expect(model.asked()).toBeGreaterThan(0)
      expectNothingTold(ran.stdout + ran.stderr)
    },
  )

  test('palimpsest mcp, which says once that folds fail', async () => {
    await using model = await startEchoingModel()
    await using mcp = start(['mcp', '--db', 'mcp.db'], environment(model.url))
    let id = 0
    const send = (method: string, params: object) =>
      mcp.child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', id: id++, method, params })}\n`)
    const clientInfo = { name: 'test', version: '1' }
    send('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo })
    for (const [index, kind] of ([401, 404, 'no quota', 'redirect', 'reset'] as const).entries()) {
      model.setKind(kind)
      for (const { role, text } of TALK)
        send('tools/call', {
          name: 'append_messages',
          arguments: { session: `kind-${index}`, role, text },
        })
      await vi.waitFor(() => expect(lines(mcp.told(), `session "kind-${index}"`)).toHaveLength(1), PATIENCE)
    }
    await mcp.stop()
    expectNothingTold(mcp.told())
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
