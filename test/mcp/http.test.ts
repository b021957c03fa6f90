import { request as httpRequest } from 'node:http'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPalimpsest, type Palimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { handleMcp, type McpAccess } from '../../packages/server/src/mcp/index.ts'
import { sqliteBeside, sqlitePlace } from '../stores.ts'
import { ERAS, listen, type McpServer, overHttp } from './clients.ts'

const place = sqlitePlace()
const errors: unknown[] = []
const open: Palimpsest[] = []
/** Two processes on one file, as far as a server can tell. */
const servers: McpServer[] = []

beforeAll(async () => {
  for (const _ of [1, 2]) {
    const palimpsest = await createPalimpsest({ store: await place.open() })
    const scopes = new Set(['read', 'write'] as const)
    const access: McpAccess = { palimpsest, scopes, version: '1', onError: error => errors.push(error) }
    open.push(palimpsest)
    servers.push(await listen({ key: access }))
  }
})

afterAll(async () => {
  for (const server of servers) await server[Symbol.asyncDispose]()
  for (const palimpsest of open) await palimpsest.close()
  await place.remove()
  expect(errors).toEqual([])
})

const HEADERS = {
  authorization: 'Bearer key',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
}

const post = (body: string, headers: Record<string, string> = {}) =>
  fetch(servers[0]!.url, { method: 'POST', body, headers: { ...HEADERS, ...headers } })

const toolCall = (name: string, args: object) =>
  JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } })

describe('at /mcp', () => {
  test.each<[string, string, number]>([
    ['no JSON', '{"jsonrpc":', 400],
    ['nothing', '', 400],
    ['no JSON-RPC', '{"hello":"world"}', 400],
    ['another version of it', '{"jsonrpc":"1.0","id":1,"method":"ping"}', 400],
    ['a number', '7', 400],
    ['an empty batch', '[]', 400],
  ])('%s is refused, and nobody minds', async (_, body, status) => {
    const response = await post(body)
    expect(response.status).toBe(status)
    expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
  })

  test.each<[string, string]>([
    ['a method that there is not', '{"jsonrpc":"2.0","id":1,"method":"tables/drop"}'],
    ['a call without a name', '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{}}'],
    [
      'arguments that are a list',
      '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_context","arguments":[]}}',
    ],
  ])('%s is an error of the protocol', async (_, body) => {
    const response = await post(body)
    const text = await response.text()
    expect(response.status).toBeLessThan(500)
    expect(text).toMatch(/"code":-32\d{3}/)
  })

  test('arguments that are nested deeply are told so', async () => {
    const content = `${'['.repeat(5_000)}${']'.repeat(5_000)}`
    const args = `{"session":"deep","role":"user","content":${content}}`
    const body = toolCall('append_messages', {}).replace('"arguments":{}', `"arguments":${args}`)
    expect(await (await post(body)).text()).toContain('"isError":true')
  })

  test('GET and DELETE are answered with 405, and what is no JSON with 415', async () => {
    for (const method of ['GET', 'DELETE'])
      expect((await fetch(servers[0]!.url, { method, headers: HEADERS })).status).toBe(405)
    expect((await post('x', { 'content-type': 'text/plain' })).status).toBe(415)
  })

  test('a body over the limit is not read', async () => {
    const args = { session: 's', role: 'user', text: 'x'.repeat(5_000_000) }
    expect((await post(toolCall('append_messages', args))).status).toBe(413)
  })

  test('a body that was read already is taken, and the limit is for whoever serves to say', async () => {
    const access = { palimpsest: open[0]!, scopes: new Set(['read', 'write'] as const), version: '1' }
    const body = toolCall('append_messages', { session: 'parsed', role: 'user', text: 'x'.repeat(2_000) })
    const request = () => new Request('http://localhost/mcp', { method: 'POST', headers: HEADERS, body })
    expect((await handleMcp(request(), access, { maxBodyBytes: 1_024 })).status).toBe(413)
    const parsed = await handleMcp(request(), access, { parsedBody: JSON.parse(body), maxBodyBytes: 1_024 })
    expect(await parsed.text()).toContain('parsed/1')
  })

  test('each request may go to another process', async () => {
    await using first = await overHttp(servers[0]!.url, 'key')
    await using second = await overHttp(servers[1]!.url, 'key')
    for (let turn = 0; turn < 6; turn += 1) {
      const [writer, reader] = turn % 2 === 0 ? [first, second] : [second, first]
      await writer.call('append_messages', { session: 'both', role: 'user', text: `lemon ${turn}` })
      const { data } = await reader.call('query_history', { session: 'both', query: `lemon ${turn}` })
      expect(data.messages[0].seq).toBe(turn + 1)
    }
    // Whoever knows no handshake is served as well.
    const response = await post(toolCall('expand_history', { session: 'both', fromSeq: 1, toSeq: 2 }))
    expect(await response.text()).toContain('lemon 1')
  })

  test.each(ERAS)('20 clients at once are served (%s)', async era => {
    const session = `many-${era}`
    const seqs = await Promise.all(
      Array.from({ length: 20 }, async (_, index) => {
        await using client = await overHttp(servers[index % 2]!.url, 'key', era)
        const { data } = await client.call('append_messages', {
          session,
          role: 'user',
          text: `plum ${index}`,
        })
        const context = await client.call('get_context', { session })
        expect(context.text).toContain(`plum ${index}`)
        return data.messages[0].seq
      }),
    )
    expect(seqs.toSorted((one, other) => one - other)).toEqual(
      Array.from({ length: 20 }, (_, index) => index + 1),
    )
  })

  test.each(ERAS)('a client that goes away in mid-call disturbs nobody (%s)', async era => {
    const session = `gone-${era}`
    await using other = await overHttp(servers[0]!.url, 'key')
    await other.call('append_messages', { session, role: 'user', text: 'Who is there?' })
    const client = await overHttp(servers[0]!.url, 'key', era)
    using database = sqliteBeside(place.address)
    // Appends wait as long as somebody else writes.
    database.exec('BEGIN IMMEDIATE')
    const call = client.call('append_messages', { session, role: 'user', text: 'Wait for me' })
    const ended = call.then(
      () => 'answered',
      () => 'broken off',
    )
    const read = await other.call('expand_history', { session, fromSeq: 1, toSeq: 9 })
    expect(read.data.messages).toHaveLength(1)
    await client.client.close()
    expect(await ended).toBe('broken off')
    database.exec('COMMIT')
    expect((await other.call('get_context', { session })).isError).toBe(false)
  })

  test('a connection that is cut in the middle of its body disturbs nobody', async () => {
    await new Promise<void>(resolve => {
      const request = httpRequest(servers[0]!.url, {
        method: 'POST',
        headers: { ...HEADERS, 'content-length': 1_000 },
      })
      request.on('error', () => resolve())
      request.write('{"jsonrpc":"2.0"', () => request.destroy())
    })
    await using client = await overHttp(servers[0]!.url, 'key')
    expect(await client.tools()).toHaveLength(6)
  })

  test('nobody is kept listening, since nothing is announced', async () => {
    await using client = await overHttp(servers[0]!.url, 'key', 'auto')
    expect(client.client.getServerCapabilities()).toEqual({ tools: {} })
    await expect(client.client.listen({ toolsListChanged: true })).rejects.toThrow(/limit/i)
  })
})
