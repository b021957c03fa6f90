import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, beforeEach, describe, expect, type MockInstance, test, vi } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { type RunningServer, type ServeOptions, startServer } from '../../packages/server/src/index.ts'
import { type StorePlace, sqlitePlace } from '../stores.ts'
import { talk } from './client.ts'
import { EventReader } from './event-reader.ts'

const JSON_HEADERS = { 'content-type': 'application/json' }
const PROMPT_MS = 5_000

describe('nobody else notices a client that', () => {
  let place: StorePlace
  let server: RunningServer
  let log: MockInstance[]
  const errors: unknown[] = []
  const sockets: Socket[] = []

  beforeEach(() => {
    place = sqlitePlace()
    log = [vi.spyOn(console, 'error'), vi.spyOn(console, 'info'), vi.spyOn(process, 'emitWarning')]
  })

  /** In each case the clients are still there when it closes, and nothing of them is in a log. */
  afterEach(async () => {
    const began = performance.now()
    await server.close()
    const closingMs = performance.now() - began
    for (const socket of sockets.splice(0)) socket.destroy()
    await place.remove()
    const logged = log.flatMap(spy => spy.mock.calls)
    vi.restoreAllMocks()
    expect([...errors.splice(0), ...logged]).toEqual([])
    expect(closingMs).toBeLessThan(PROMPT_MS)
  })

  const start = async (options: Pick<ServeOptions, 'limits' | 'environment'> = {}) => {
    const store = await place.open()
    server = await startServer({ store, port: 0, onError: error => errors.push(error), ...options })
  }

  /** A socket that says something, and reads only if the test does. */
  const say = async (text: string): Promise<Socket> => {
    const socket = connect(server.port, '127.0.0.1')
    sockets.push(socket)
    // It is cut off, in whichever way.
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(text)
    return socket
  }

  const post = (path: string, body: unknown) =>
    fetch(`${server.url}${path}`, { method: 'POST', headers: JSON_HEADERS, body: JSON.stringify(body) })

  const head = (path: string, bodyLength: number) =>
    `POST ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-type: application/json\r\ncontent-length: ${bodyLength}\r\n\r\n`

  /** Somebody else, who must be answered, and rightly, each time. */
  const goesOn = async (session: string, rounds = 20) => {
    for (let round = 1; round <= rounds; round += 1) {
      const text = `lemon ${round}`
      const appended = await post(`/v1/sessions/${session}/messages`, { role: 'user', text })
      expect(appended.status).toBe(201)
      expect(await appended.json()).toMatchObject({ messages: [{ seq: round, duplicate: false }] })
      const context = await post(`/v1/sessions/${session}/context`, {})
      expect(context.status).toBe(200)
      expect(JSON.stringify(await context.json())).toContain(text)
    }
  }

  test('sends its headers byte by byte, and stops', async () => {
    await start({ limits: { headersMs: 500, requestMs: 1_000, checkMs: 50 } })
    const slow = await say('')
    for (const byte of 'GET /healthz HTTP/1.1\r\nhost: 127.0.') {
      slow.write(byte)
      await new Promise(resolve => setImmediate(resolve))
    }
    const closed = once(slow.resume(), 'close')
    await goesOn('other')
    await closed
    await say('GET /healthz HT')
    await goesOn('another')
  })

  test('sends a body a byte at a time', async () => {
    await start({ limits: { headersMs: 500, requestMs: 1_000, checkMs: 50 } })
    const slow = await say(`${head('/v1/sessions/slow/messages', 10_000)}{"role":"user","text":"`)
    const trickle = setInterval(() => slow.writable && slow.write('x'), 20)
    const closed = once(slow.resume(), 'close')
    await goesOn('other')
    await closed
    clearInterval(trickle)
    expect((await fetch(`${server.url}/v1/sessions/slow`)).status).toBe(404)
    await say(head('/v1/sessions/slow/messages', 10_000))
  })

  test('opens 200 connections and says nothing', async () => {
    await start({ limits: { headersMs: 1_000, requestMs: 2_000, checkMs: 50 } })
    const silent = await Promise.all(Array.from({ length: 200 }, () => say('')))
    const closed = Promise.all(silent.map(socket => once(socket.resume(), 'close')))
    await goesOn('other')
    await closed
    await Promise.all(Array.from({ length: 200 }, () => say('')))
    await goesOn('another')
  })

  test('goes away in the middle of a body', async () => {
    await start()
    const announced = `${head('/v1/sessions/gone/messages', 10_000)}{"role":"user","text":"half`
    const inChunks = announced.replace(
      /content-length: .*\r\n\r\n/,
      'transfer-encoding: chunked\r\n\r\n5\r\n',
    )
    for (const text of [announced, inChunks])
      for (let round = 0; round < 10; round += 1) {
        const gone = await say(text)
        if (round % 2 === 0) gone.resetAndDestroy()
        else gone.end()
      }
    await goesOn('other')
    expect((await fetch(`${server.url}/v1/sessions/gone`)).status).toBe(404)
  })

  test('goes away in the middle of an answer, or takes none of it', async () => {
    await start()
    const messages = talk(1_000, 200)
    expect((await post('/v1/sessions/long/messages', { messages })).status).toBe(201)
    const ask = () => say('GET /v1/sessions/long/messages?limit=1000 HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')
    for (let round = 0; round < 10; round += 1) {
      const gone = await ask()
      await once(gone, 'data')
      gone.resetAndDestroy()
    }
    for (let round = 0; round < 10; round += 1) await once(await ask(), 'readable')
    await goesOn('other')
    const { messages: all } = (await (
      await fetch(`${server.url}/v1/sessions/long/messages?limit=1000`)
    ).json()) as { messages: unknown[] }
    expect(all).toHaveLength(1_000)
  })

  test('goes away while a fold waits for a summariser that hangs', async () => {
    await using model = await startModelServer({ reply: { fault: 'hang' } })
    await start({
      environment: { budget: 1_000_000, model: 'openai-compatible:x', modelBaseUrl: model.url },
    })
    for (const session of ['left', 'waiting'])
      await post(`/v1/sessions/${session}/messages`, { messages: talk(60, 60) })
    const body = JSON.stringify({ force: true })
    const compact = (session: string) => say(head(`/v1/sessions/${session}/compact`, body.length) + body)
    const left = await compact('left')
    await vi.waitFor(() => expect(model.requests).toHaveLength(1))
    left.resetAndDestroy()
    await compact('waiting')
    await vi.waitFor(() => expect(model.requests).toHaveLength(2))
    await goesOn('other')
  })

  test('listens to events, and goes away', async () => {
    await start()
    const listeners = async () =>
      /^palimpsest_event_listeners (\d+)$/m.exec(await (await fetch(`${server.url}/metrics`)).text())?.[1]
    const left = await Promise.all(
      Array.from({ length: 50 }, () => say('GET /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')),
    )
    await vi.waitFor(async () => expect(await listeners()).toBe('50'))
    for (const [index, socket] of left.entries()) {
      if (index % 2 === 0) socket.resetAndDestroy()
      else socket.destroy()
    }
    await goesOn('other')
    await vi.waitFor(async () => expect(await listeners()).toBe('0'))
  })

  test('never reads its events, while 20,000 happen', { timeout: 120_000 }, async () => {
    const MANY = 20_000
    const LISTENERS = 100
    await start()
    const listeners = await Promise.all(
      Array.from({ length: LISTENERS }, () => say('GET /v1/events HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n')),
    )
    await Promise.all(listeners.map(socket => once(socket, 'readable')))
    const reading = await fetch(`${server.url}/v1/events`)
    const reader = new EventReader(reading.body)
    await reader.block()
    globalThis.gc?.()
    const before = process.memoryUsage()
    const heard = reader.take(MANY + 2)
    const others = goesOn('other', 100)
    await using palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual' })
    const busy = palimpsest.session(`busy-${'x'.repeat(200)}`)
    for (let written = 0; written < MANY; written += 200)
      await Promise.all(Array.from({ length: 200 }, () => busy.append({ role: 'user', text: 'hi' })))
    await others
    const events = await heard
    expect(new Set(events.map(({ id }) => id)).size).toBe(MANY + 2)
    globalThis.gc?.()
    const after = process.memoryUsage()
    const MEGABYTE = 1_048_576
    // What they were given last, and what nobody collected yet. All that they left unread would be several times that.
    expect((after.arrayBuffers - before.arrayBuffers) / MEGABYTE).toBeLessThan(150)
    expect((after.heapUsed - before.heapUsed) / MEGABYTE).toBeLessThan(300)
    await goesOn('another')
  })
})
