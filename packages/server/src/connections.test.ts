import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { CONNECTION_LIMITS, type ConnectionLimits, Connections } from './connections.ts'

const LARGE = Buffer.alloc(50_000_000)

describe('connections', () => {
  let server: Server
  let connections: Connections
  const sockets: Socket[] = []

  afterEach(async () => {
    for (const socket of sockets.splice(0)) socket.destroy()
    await connections.drain()
  })

  const listen = async (listener: RequestListener, limits: Partial<ConnectionLimits> = {}) => {
    server = createServer({ connectionsCheckingInterval: 20 }, listener)
    connections = new Connections(server, { ...CONNECTION_LIMITS, ...limits })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
  }

  const say = async (text: string): Promise<Socket> => {
    const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
    sockets.push(socket)
    socket.on('error', () => {})
    await once(socket, 'connect')
    socket.write(text)
    return socket
  }

  const request = (path: string) => `GET ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\n\r\n`
  const count = () => promisify(server.getConnections.bind(server))()
  const left = (expected: number) =>
    vi.waitFor(async () => expect(await count()).toBe(expected), { timeout: 5_000 })

  test('whoever takes nothing of an answer is cut off; whoever waits for one is not', async () => {
    const { promise: worked, resolve: finishWork } = Promise.withResolvers<void>()
    await listen(
      (request, response) => {
        if (request.url === '/large') response.end(LARGE)
        else void worked.then(() => response.end('done'))
      },
      { answerMs: 300 },
    )
    const waiting = await say(request('/work'))
    await once(await say(request('/large')), 'readable')
    expect(await count()).toBe(2)
    await left(1)
    finishWork()
    const [answer] = await once(waiting, 'data')
    expect(String(answer)).toContain('done')
  })

  test('a connection that is kept and not used again ends', async () => {
    await listen((_, response) => response.end('done'), { keepAliveMs: 100 })
    const kept = await say(request('/'))
    await once(kept, 'data')
    kept.resume()
    await left(0)
  })

  test('when they drain, those with nothing under way end soon, the others after their answer', async () => {
    const { promise: worked, resolve: finishWork } = Promise.withResolvers<void>()
    await listen((_, response) => void worked.then(() => response.end('done')))
    const under = await say(request('/work'))
    await once(server, 'request')
    await say('')
    await say('GET / HT')
    await left(3)
    const draining = connections.drain()
    await left(1)
    const answer = once(under, 'data')
    finishWork()
    expect(String(await answer)).toContain('done')
    await draining
    expect(await count()).toBe(0)
  })

  test('when they drain, whoever neither sends nor takes the rest is not waited for', async () => {
    await listen((request, response) => {
      if (request.url === '/large') response.end(LARGE)
      else request.resume()
    })
    await once(await say(request('/large')), 'readable')
    await say('POST / HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: 100\r\n\r\nhalf')
    await once(server, 'request')
    const began = performance.now()
    await connections.drain()
    expect(performance.now() - began).toBeLessThan(5_000)
  })
})
