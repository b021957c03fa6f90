import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Scope } from '../../packages/palimpsest/src/store/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { longest, runs } from '../runs.ts'
import { checkAnswer, isRefusal, type Sent, send } from './fuzz-answers.ts'
import { type Operation, operationsOf } from './fuzz-operations.ts'
import { type FuzzedRequest, requestsToKnown, written } from './fuzz-requests.ts'
import { createWorlds, type World } from './fuzz-world.ts'

const worlds = await createWorlds()
const world = await worlds.open()
const operations = await operationsOf(world.app)
afterAll(async () => {
  await world[Symbol.asyncDispose]()
  worlds[Symbol.dispose]()
})

/** As it is written, known to the server. */
async function addKey({ store }: World, name: string, scopes: readonly Scope[], namespace = 'default') {
  const made = newKey({ name, namespace, scopes, now: new Date(0) })
  await store.keys.addKey(made.key)
  return { id: made.key.id, written: made.written }
}

const bearer = (key: string) => ({ authorization: `Bearer ${key}` })

/** What there is before anybody of another namespace has called. */
let kept: readonly string[] = []

/** Nobody of them is let in. */
const strangers: [string, Record<string, string>][] = []
const holders: Record<'reader' | 'writer' | 'stranger', Record<string, string>> = {
  reader: {},
  writer: {},
  stranger: {},
}

beforeAll(async () => {
  const admin = await addKey(world, 'admin', ['admin'])
  const reader = await addKey(world, 'reader', ['read'])
  const writer = await addKey(world, 'writer', ['write'])
  const revoked = await addKey(world, 'revoked', ['admin'])
  await world.store.keys.removeKey(revoked.id)
  const unknown = newKey({ name: 'x', namespace: 'default', scopes: ['admin'], now: new Date(0) })
  const other = await addKey(world, 'admin', ['admin'], 'other')
  holders.reader = bearer(reader.written)
  holders.writer = bearer(writer.written)
  holders.stranger = bearer(other.written)
  const isShared = (line: string) => /^(revision|sqlite_sequence) /.test(line)
  kept = world.database.dump().filter(line => !isShared(line))
  strangers.push(
    ['no key', {}],
    ['no more than a word', bearer('x')],
    ['an empty one', { authorization: 'Bearer ' }],
    ['another way of asking', { authorization: `Basic ${btoa(`admin:${admin.written}`)}` }],
    ['a key that was never made', bearer(unknown.written)],
    ['a revoked one', bearer(revoked.written)],
    ['the id of one with the secret of another', bearer(admin.written.replace(admin.id, reader.id))],
    ['a secret that is too long', bearer(`${admin.written}A`)],
    ['a secret in capitals', { 'x-api-key': admin.written.toUpperCase() }],
    ['two that differ', { ...bearer(admin.written), 'x-api-key': reader.written }],
    ['one in a cookie', { cookie: `key=${admin.written}` }],
    ['a megabyte', { 'x-api-key': 'x'.repeat(1_048_576) }],
  )
})

const KEYLESS = ['GET /healthz', 'GET /openapi.json']
/** Though it is no GET. */
const READING = ['POST /v1/sessions/{id}/context', 'POST /v1/replay']
/** For which to write is not enough. */
const NEEDS_MORE = [
  'DELETE /v1/sessions/{id}',
  'DELETE /v1/users/{id}',
  'PUT /v1/settings',
  'POST /v1/chat/completions',
]

async function ask(request: FuzzedRequest, headers: Record<string, string>): Promise<Sent> {
  const { url, init } = written({ ...request, headers: { ...request.headers, ...headers } })
  const earlier = world.errors.length
  const answer = await send(world.app, url, init)
  checkAnswer(answer, request.method, new URL(url).pathname)
  expect(world.errors.slice(earlier)).toEqual([])
  return answer
}

/** A property of every request to a route, whoever sends it. */
const check = (operation: Operation, numRuns: number, of: (request: FuzzedRequest) => Promise<void>) =>
  fc.assert(fc.asyncProperty(requestsToKnown(operation), of), { numRuns: runs(numRuns) })

describe('where there are keys', () => {
  test.each(operations)(
    '$name is for nobody without one, and changes nothing',
    async operation => {
      const before = world.database.fingerprint()
      for (const [who, headers] of strangers)
        await check(operation, 2, async request => {
          const { status } = await ask(request, headers)
          if (KEYLESS.includes(operation.name)) expect(status, who).not.toBe(401)
          else expect(status, who).toBe(401)
        })
      expect(world.database.fingerprint()).toBe(before)
    },
    longest(60_000),
  )

  test.each(operations.filter(({ name, path }) => !KEYLESS.includes(name) && path !== '/mcp'))(
    '$name is for nobody whose key does not allow it, and changes nothing',
    async operation => {
      const { name, method } = operation
      const before = world.database.fingerprint()
      const isReading = method === 'GET' || READING.includes(name)
      const wrong = [isReading ? holders.writer : holders.reader]
      if (NEEDS_MORE.includes(name)) wrong.push(holders.writer)
      for (const headers of wrong)
        await check(operation, 3, async request => {
          expect((await ask(request, headers)).status).toBe(403)
        })
      expect(world.database.fingerprint()).toBe(before)
    },
    longest(60_000),
  )

  test('a tool of MCP is for nobody whose key does not allow it', async () => {
    const before = world.database.fingerprint()
    const { method, path } = operations.find(({ name }) => name === 'POST /mcp')!
    const call = (tool: string) => ({
      ...{ method, path, query: [], headers: { accept: 'application/json, text/event-stream' } },
      body: {
        kind: 'good' as const,
        sample: {
          ...{ jsonrpc: '2.0', id: 1, method: 'tools/call' },
          params: { name: tool, arguments: { session: 's', role: 'user', text: 'x' } },
        },
      },
    })
    for (const [tool, headers] of [
      ['append_messages', holders.reader],
      ['write_memory', holders.reader],
      ['query_history', holders.writer],
      ['get_context', holders.writer],
    ] as const)
      expect(isRefusal(await ask(call(tool), headers))).toBe(true)
    expect(world.database.fingerprint()).toBe(before)
  })

  test.each(operations)(
    '$name takes nothing from whom it is kept, with a key of another namespace',
    async operation => {
      await check(operation, 4, async request => {
        await ask(request, holders.stranger)
      })
      const after = new Set(world.database.dump())
      expect(kept.filter(line => !after.has(line))).toEqual([])
    },
    longest(60_000),
  )
})
