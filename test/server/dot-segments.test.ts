import { once } from 'node:events'
import { connect } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type RunningServer, startServer } from '../../packages/server/src/index.ts'
import { sqlitePlace } from '../stores.ts'

const place = sqlitePlace()
let server: RunningServer

beforeAll(async () => {
  server = await startServer({ store: await place.open(), port: 0 })
  const { palimpsest } = await server.tenant('default')
  await palimpsest.session('mine').append({ role: 'user', content: 'a canary sings' })
})
afterAll(async () => {
  await server.close()
  await place.remove()
})

/** The target byte for byte: every client of HTTP would put it right first. */
async function ask(method: string, target: string): Promise<{ status: number; body: string }> {
  const socket = connect(server.port, '127.0.0.1')
  const chunks: Buffer[] = []
  socket.on('data', chunk => chunks.push(chunk))
  socket.write(`${method} ${target} HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\nconnection: close\r\n\r\n`)
  await once(socket, 'close')
  const answer = Buffer.concat(chunks).toString()
  return {
    status: Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1]),
    body: answer.slice(answer.indexOf('\r\n\r\n') + 4),
  }
}

const SPELLINGS = ['..', '%2e%2e', '.%2E', '%2E.', '.', '%2e', 'mine\\..', '..\\x', 'mine/../..%2fx']

test.for(SPELLINGS)('%s is no part of a path', async part => {
  for (const [method, target] of [
    ['GET', `/v1/sessions/${part}/search?q=canary`],
    ['GET', `/v1/sessions/${part}/settings`],
    ['GET', `/v1/sessions/${part}`],
    ['GET', `/v1/sessions/mine/messages/${part}/${part}/search?q=canary`],
    ['DELETE', `/v1/sessions/${part}`],
    ['DELETE', `/v1/users/${part}`],
    ['GET', `/v1/memory/user/${part}`],
    ['GET', `http://127.0.0.1:${server.port}/v1/sessions/${part}/settings`],
  ] as const) {
    const { status, body } = await ask(method, target)
    expect([target, status]).toEqual([target, 400])
    expect(body).not.toContain('sings')
    expect(body).toContain('"code":"malformed_request"')
  }
})

test('other dots are, and what is asked for beside the path', async () => {
  expect((await ask('GET', '/v1/sessions/.../messages')).status).toBe(404)
  // An id with slashes of its own is one part: nothing is taken along.
  for (const id of ['..%2Fsettings', '..%2F..%2Fsearch', 'mine%2f..', 'a%5C..%5Cb']) {
    const { status, body } = await ask('GET', `/v1/sessions/${id}/settings`)
    expect([id, status]).toEqual([id, 404])
    expect(body).toContain('session_not_found')
  }
  const { status, body } = await ask('GET', '/v1/search?q=canary&session=..')
  expect([200, 422]).toContain(status)
  expect(body).not.toContain('malformed_request')
  expect((await ask('GET', '/v1/sessions/mine/search?q=canary/../x')).status).toBe(200)
})
