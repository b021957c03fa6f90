import { afterAll, describe, expect, test } from 'vitest'
import { startServer } from '../../src/server/index.ts'
import { sqlitePlace } from '../stores.ts'

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
    await store.writeSettings('default', { threshold: 'lots', retired: 1, keepLast: 3 })
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
})
