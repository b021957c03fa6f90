import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import OpenAI from 'openai'
import { describe, expect, test } from 'vitest'
import { type Kit, saidIn, start, until, user } from './kit.ts'

const LONG = 'The tide turns at noon, and again at midnight. '.repeat(20)

async function stored(kit: Kit, session: string, messages: number) {
  await until(async () => (await kit.log(session)).length >= messages)
  return kit.log(session)
}

const question = { model: 'any', messages: [user('When does the tide turn?')] }

describe('a client that leaves', () => {
  test('in the middle of a stream: what came is stored, marked, and the model is stopped', async () => {
    const provider = await openEndless()
    const kit = await start('', { modelBaseUrl: provider.url })
    const stream = await kit.client('s').chat.completions.create({ ...question, stream: true })
    let heard = ''
    for await (const { choices } of stream) {
      heard += choices[0]?.delta.content ?? ''
      if (heard.length > 40) break
    }
    const log = await stored(kit, 's', 2)
    expect(log[1]!.content.at(-1)).toMatchObject({ type: 'text', interrupted: 'aborted' })
    expect(log[1]!.text.startsWith(heard.slice(0, 40))).toBe(true)
    await provider.left
    await provider.close()
    expect(kit.warnings).toEqual([])
  })

  test('while the provider hangs: the call of the model ends, and nothing is stored but the question', async () => {
    for (const isStreaming of [true, false]) {
      const provider = await openSilent()
      const kit = await start('', { modelBaseUrl: provider.url })
      const leaving = new AbortController()
      const asking = kit
        .client('s')
        .chat.completions.create({ ...question, stream: isStreaming }, { signal: leaving.signal })
      const refused = expect(asking).rejects.toBeInstanceOf(OpenAI.APIUserAbortError)
      await provider.asked
      leaving.abort()
      await refused
      await provider.left
      await provider.close()
      expect(saidIn(await kit.log('s'))).toEqual(['user: When does the tide turn?'])
      expect(kit.warnings).toEqual([])
    }
  })

  test('what is not known of the tokens is said in the metrics', async () => {
    const kit = await start({ text: LONG, fault: 'stall' })
    const stream = await kit.client('s').chat.completions.create({ ...question, stream: true })
    for await (const _ of stream) break
    await stored(kit, 's', 2)
    kit.model.setReply({ text: 'At noon.', usage: { input: 70, output: 3 } })
    await kit.client('s').chat.completions.create(question)
    const figures = await (await fetch(`${kit.url()}/metrics`)).text()
    expect(figures).toContain('palimpsest_answers_total{status="aborted"} 1')
    expect(figures).toContain('palimpsest_answer_calls_uncounted_total 1')
    expect(figures).toContain('palimpsest_answer_tokens_total{kind="input"} 70')
  })

  test('and asks again gets an answer in the place of what broke off', async () => {
    const kit = await start({ text: LONG, fault: 'stall' })
    const stream = await kit.client('s').chat.completions.create({ ...question, stream: true })
    for await (const _ of stream) break
    await stored(kit, 's', 2)
    kit.model.setReply('At noon.')
    await kit.client('s').chat.completions.create(question)
    expect(saidIn(await kit.log('s'))).toEqual(['user: When does the tide turn?', 'assistant: At noon.'])
  })

  test('a client that does not read keeps the model waiting, and nobody else', async () => {
    const provider = await openEndless()
    const kit = await start('', { modelBaseUrl: provider.url })
    const leaving = new AbortController()
    await fetch(`${kit.url()}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-palimpsest-session': 's' },
      body: JSON.stringify({ ...question, stream: true }),
      signal: leaving.signal,
    })
    // So much is on its way at most; then it waits, however often others are answered.
    await until(async () => {
      const before = provider.written()
      for (let time = 0; time < 50; time++) expect((await kit.get('/healthz')).status).toBe(200)
      return before > 0 && provider.written() === before
    })
    expect(provider.written()).toBeLessThan(ENDLESS)
    leaving.abort()
    await provider.left
    await provider.close()
    const log = await stored(kit, 's', 2)
    expect(log[1]!.content.at(-1)).toMatchObject({ interrupted: 'aborted' })
  }, 30_000)
})

test('a server that closes while it answers stores what came', async () => {
  const provider = await openEndless()
  const kit = await start('', { modelBaseUrl: provider.url })
  const stream = await kit.client('s').chat.completions.create({ ...question, stream: true })
  const heard = stream[Symbol.asyncIterator]()
  await heard.next()
  await kit.restart()
  const log = await kit.log('s')
  expect(log.map(({ role }) => role)).toEqual(['user', 'assistant'])
  expect(log[1]!.content.at(-1)).toMatchObject({ interrupted: 'aborted' })
  await provider.close()
  expect(kit.warnings).toEqual([])
}, 40_000)

describe('a provider that fails', () => {
  test.each([
    [
      'too many requests',
      { error: { kind: 'rate_limited' as const }, headers: { 'retry-after': '30' } },
      429,
    ],
    ['internal error', { error: { kind: 'internal' as const } }, 500],
    [
      'wrong key',
      { error: { kind: 'unauthorized' as const, message: 'no such key: sk-configured-key' } },
      401,
    ],
    ['a request that it does not take', { error: { kind: 'invalid' as const } }, 400],
    ['connection reset', { fault: 'reset' as const }, null],
  ])('%s: its status and its words are told, streaming and not', async (_, reply, status) => {
    const kit = await start(reply)
    for (const stream of [false, true]) {
      const response = await kit.post('/v1/chat/completions', { ...question, stream, user: 's' })
      expect(response.status).toBe(status === 429 ? 429 : 502)
      const isRefusal = status === 400 || status === 401
      expect(response.headers.get('x-should-retry')).toBe(isRefusal ? 'false' : null)
      const { error } = (await response.json()) as { error: Record<string, never> }
      expect(error).toMatchObject({
        code: 'model_failed',
        ...{ type: status === 429 ? 'rate_limit_error' : 'server_error', param: null },
        details: { status, model: 'openai-compatible:qwen3', retryAfter: status === 429 ? '30' : null },
      })
      expect(JSON.stringify(error)).not.toContain('sk-configured-key')
    }
    expect(saidIn(await kit.log('s'))).toEqual(['user: When does the tide turn?'])
    expect(kit.warnings).toEqual([])
  })

  test.each([
    ['says so late', { text: LONG, error: { kind: 'overloaded' as const, isLate: true } }],
    ['breaks off', { text: LONG, fault: 'cut_off' as const }],
  ])(
    'in the middle of a stream, that %s: the client hears of it, and what came is stored',
    async (_, reply) => {
      const kit = await start(reply)
      const stream = await kit.client('s').chat.completions.create({ ...question, stream: true })
      let heard = ''
      await expect(
        (async () => {
          for await (const { choices } of stream) heard += choices[0]?.delta.content ?? ''
        })(),
      ).rejects.toMatchObject({
        ...{ code: 'model_failed', type: 'server_error' },
        error: { message: expect.not.stringContaining('status 200'), details: { status: null } },
      })
      expect(heard).not.toBe('')
      const log = await kit.log('s')
      expect(log).toHaveLength(2)
      expect(log[1]!.content.at(-1)).toMatchObject({ text: heard, interrupted: 'failed' })
    },
  )

  test('that finds the request too long is sent less, once', async () => {
    let isFirst = true
    const kit = await start(({ said }) => {
      const isLong = said.length > 8 && isFirst
      if (isLong) isFirst = false
      return isLong ? { error: { kind: 'overflow' } } : 'Fine.'
    })
    for (let turn = 0; turn < 6; turn++) {
      const messages = [user(`turn ${turn} ${'with some more words '.repeat(40)}`)]
      await kit.client('s').chat.completions.create({ model: 'any', messages })
    }
    expect(isFirst).toBe(false)
    expect(await kit.log('s')).toHaveLength(12)
  })

  test('that finds it too long once more: that is said, and that trying again helps nobody', async () => {
    const kit = await start({ error: { kind: 'overflow' } })
    const response = await kit.post('/v1/chat/completions', { ...question, user: 's' })
    expect(response.status).toBe(422)
    expect(response.headers.get('x-should-retry')).toBe('false')
    expect(await response.json()).toMatchObject({
      error: { code: 'context_overflow', type: 'invalid_request_error' },
    })
  })

  test('what does not fit is refused by its numbers, without a call', async () => {
    const kit = await start('Fine.')
    const messages = [{ role: 'system' as const, content: 'Be brief. '.repeat(2_000) }, user('Hello')]
    const response = await kit.post('/v1/chat/completions', { messages, user: 's', budget: 500 })
    expect(response.status).toBe(422)
    expect(await response.json()).toMatchObject({
      error: { code: 'context_overflow', details: { budget: 500 } },
    })
    expect(kit.asked()).toEqual([])
  })
})

interface Provider {
  readonly url: string
  /** Somebody has called. */
  readonly asked: Promise<void>
  /** In characters. */
  written(): number
  /** Whoever called has gone. */
  readonly left: Promise<void>
  close(): Promise<void>
}

/** What an endless answer would come to, were it read to its end. */
const ENDLESS = 200_000_000

/** A provider whose answer does not end while anybody looks: it writes whenever there is room. */
function openEndless(): Promise<Provider> {
  const delta = { content: 'The tide turns at noon. '.repeat(50) }
  const choices = [{ index: 0, delta }]
  const chunk = { id: 'c', object: 'chat.completion.chunk', created: 1, model: 'x', choices }
  return openProvider(`data: ${JSON.stringify(chunk)}\n\n`)
}

/** A provider that never answers. */
function openSilent(): Promise<Provider> {
  return openProvider(null)
}

async function openProvider(line: string | null): Promise<Provider> {
  const asked = Promise.withResolvers<void>()
  const left = Promise.withResolvers<void>()
  let written = 0
  const server = createServer((incoming, outgoing) => {
    outgoing.on('close', () => left.resolve())
    outgoing.on('error', () => {})
    const fill = () => {
      while (line !== null && written < ENDLESS && !outgoing.destroyed) {
        written += line.length
        if (!outgoing.write(line)) return void outgoing.once('drain', fill)
      }
    }
    incoming.resume().on('end', () => {
      asked.resolve()
      if (line !== null) outgoing.writeHead(200, { 'content-type': 'text/event-stream' })
      fill()
    })
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}/v1`,
    asked: asked.promise,
    written: () => written,
    left: left.promise,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
