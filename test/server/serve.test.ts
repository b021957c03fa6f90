import { afterAll, describe, expect, test, vi } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { count } from '../../packages/palimpsest/src/policy/index.ts'
import { startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { startServer } from '../../packages/server/src/index.ts'
import { sqlitePlace } from '../stores.ts'
import { talk } from './client.ts'

const place = sqlitePlace()
afterAll(() => place.remove())

const json = { 'content-type': 'application/json' }

describe('a listening server', () => {
  test('answers a body that is too large, and goes on', async () => {
    const server = await startServer({
      store: await place.open(),
      port: 0,
      environment: { maxBodyBytes: 100_000 },
    })
    const url = `${server.url}/v1/sessions/s/messages`
    const body = JSON.stringify({ role: 'user', text: 'x'.repeat(2_000_000) })
    for (let round = 0; round < 3; round += 1)
      expect((await fetch(url, { method: 'POST', headers: json, body })).status).toBe(413)
    // Without an announced length.
    const chunks = Array.from({ length: 40 }, () => new Uint8Array(50_000).fill(0x20))
    const stream = ReadableStream.from(chunks)
    const response = await fetch(url, {
      method: 'POST',
      headers: json,
      body: stream,
      duplex: 'half',
    } as RequestInit)
    expect(response.status).toBe(413)
    expect((await fetch(`${server.url}/v1/sessions/s`)).status).toBe(404)
    await server.close()
  })

  test('finishes what is under way when it closes, and takes nothing new', async () => {
    const server = await startServer({ store: await place.open(), port: 0 })
    const url = `${server.url}/v1/sessions/late/messages`
    const { promise: more, resolve: sendRest } = Promise.withResolvers<void>()
    const encoder = new TextEncoder()
    const body = ReadableStream.from(
      (async function* () {
        yield encoder.encode('{"role":"user",')
        await more
        yield encoder.encode('"text":"late"}')
      })(),
    )
    const slow = fetch(url, { method: 'POST', headers: json, body, duplex: 'half' } as RequestInit)
    await fetch(`${server.url}/healthz`)
    const closing = server.close()
    await new Promise(resolve => setImmediate(resolve))
    await expect(fetch(`${server.url}/healthz`)).rejects.toThrow()
    sendRest()
    expect((await slow).status).toBe(201)
    await closing
    await server.close()
    const again = await startServer({ store: await place.open(), port: 0 })
    const { messages } = (await (await fetch(`${again.url}/v1/sessions/late`)).json()) as { messages: number }
    expect(messages).toBe(1)
    await again.close()
  })

  test('what another version stored and this one cannot take has its default, with a warning', async () => {
    const store = await place.open()
    await store.settings.writeSettings('default', { threshold: 'lots', retired: 1, keepLast: 3 })
    const warnings: string[] = []
    const server = await startServer({ store, port: 0, onWarning: warning => warnings.push(warning) })
    const { settings } = (await (await fetch(`${server.url}/v1/settings`)).json()) as {
      settings: Record<string, unknown>
    }
    expect(settings).toMatchObject({ threshold: 20, keepLast: 3 })
    expect(warnings.toSorted()).toEqual([
      expect.stringContaining('The stored setting retired is not used'),
      expect.stringContaining('The stored setting threshold is not used'),
    ])
    await server.close()
  })

  test('on a port that is taken nothing is folded', async () => {
    await using model = await startModelServer({ reply: { fault: 'hang' } })
    const store = await place.open()
    const environment = {
      policy: 'count',
      threshold: 4,
      keepLast: 2,
      model: 'openai-compatible:x',
      modelBaseUrl: model.url,
    }
    {
      await using palimpsest = await createPalimpsest({
        store: await place.open(),
        folding: 'manual',
        policy: count({ threshold: 4, keepLast: 2 }),
      })
      await palimpsest.session('due').append(talk(20, 40) as never)
    }
    const own = sqlitePlace()
    const other = await startServer({ store: await own.open(), port: 0 })
    const looked = vi.spyOn(store.schedule, 'listPending')
    await expect(startServer({ store, port: other.port, environment })).rejects.toThrow('Cannot listen')
    await new Promise(resolve => setTimeout(resolve, 300))
    expect(looked).not.toHaveBeenCalled()
    expect(model.requests).toEqual([])
    await other.close()
    await own.remove()
  })

  test('a fold that hangs is answered when it closes', async () => {
    await using model = await startModelServer({ reply: { fault: 'hang' } })
    const own = sqlitePlace()
    const server = await startServer({
      store: await own.open(),
      port: 0,
      environment: { budget: 1_000_000, model: 'openai-compatible:x', modelBaseUrl: model.url },
    })
    const post = (path: string, body: unknown) =>
      fetch(`${server.url}/v1/sessions/s/${path}`, {
        method: 'POST',
        headers: json,
        body: JSON.stringify(body),
      })
    await post('messages', { messages: talk(30, 40) })
    const folding = post('compact', { force: 'lite', policy: 'count', keepLast: 2 })
    await expect.poll(() => model.requests.length).toBeGreaterThan(0)
    const started = performance.now()
    const closing = server.close()
    expect(await (await folding).json()).toMatchObject({ outcome: 'skipped', reason: 'aborted' })
    await closing
    expect(performance.now() - started).toBeLessThan(30_000)
    await own.remove()
  })

  test('compact right after an append says what the fold that it waited for did', async () => {
    await using model = await startModelServer({
      reply: {
        text: JSON.stringify({ summary: 'They spoke of lemons for Porto.', events: [], details: [] }),
        delayMs: 300,
      },
    })
    const own = sqlitePlace()
    const environment = {
      policy: 'count',
      threshold: 10,
      keepLast: 4,
      model: 'openai-compatible:x',
      modelBaseUrl: model.url,
    }
    const server = await startServer({ store: await own.open(), port: 0, environment })
    const post = async (path: string, body: unknown) => {
      const init = { method: 'POST', headers: json, body: JSON.stringify(body) }
      return (await fetch(`${server.url}/v1/sessions/s/${path}`, init)).json()
    }
    await post('messages', { messages: talk(20, 40) })
    await expect.poll(() => model.requests.length).toBeGreaterThan(0)
    expect(await post('compact', {})).toMatchObject({
      outcome: 'applied',
      reason: 'count',
      fromSeq: 1,
      toSeq: 16,
      segmentId: 1,
    })
    expect(await post('compact', {})).toMatchObject({ outcome: 'skipped', reason: 'nothing_to_do' })
    // That it failed is an answer too.
    model.setReply({ status: 400, delayMs: 300 })
    const { length } = model.requests
    await post('messages', { messages: talk(20, 40) })
    await expect.poll(() => model.requests.length).toBeGreaterThan(length)
    expect(await post('compact', {})).toMatchObject({ outcome: 'failed', fromSeq: 17 })
    await server.close()
    await own.remove()
  })
})
