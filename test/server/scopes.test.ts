import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { SCOPES, type Scope } from '../../packages/palimpsest/src/store/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { longest } from '../runs.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { CALLS } from './namespaces-calls.ts'
import { fill, SAME } from './namespaces-fill.ts'
import { type House, openHouse, type Tenant } from './namespaces-house.ts'
import { TOOL_CALLS } from './namespaces-tools.ts'

/**
 * What each call takes: these scopes, all of them; `none`: no key at all; `any`: a key of whatever scope. A new route
 * states itself here and in `CALLS`, or the first test fails.
 */
const NEEDS: Readonly<Record<string, readonly Scope[] | 'any' | 'none'>> = {
  'GET /healthz': 'none',
  'GET /openapi.json': 'none',
  'GET /metrics': ['read'],
  'GET /v1/models': ['read'],
  'GET /v1/models/{model}': ['read'],
  'GET /v1/sessions': ['read'],
  'GET /v1/sessions/{id}': ['read'],
  'GET /v1/sessions/{id}/messages': ['read'],
  'GET /v1/sessions/{id}/folds': ['read'],
  'GET /v1/sessions/{id}/growth': ['read'],
  'GET /v1/sessions/{id}/segments': ['read'],
  'GET /v1/sessions/{id}/segments/{segment}': ['read'],
  'GET /v1/sessions/{id}/settings': ['read'],
  'GET /v1/settings': ['read'],
  'GET /v1/sessions/{id}/search': ['read'],
  'GET /v1/search': ['read'],
  'GET /v1/memory': ['read'],
  'GET /v1/memory/daily/{day}': ['read'],
  'GET /v1/erasures/{id}': ['read'],
  'GET /v1/events': ['read'],
  'POST /v1/sessions/{id}/context': ['read'],
  'POST /v1/replay': ['read'],
  'POST /v1/sessions/{id}/messages': ['write'],
  'POST /v1/chat/completions': ['read', 'write'],
  'PATCH /v1/sessions/{id}': ['write'],
  'PATCH /v1/sessions/{id}/messages/{seq}': ['write'],
  'PUT /v1/sessions/{id}/settings': ['write'],
  'PUT /v1/settings': ['admin'],
  'POST /v1/sessions/{id}/compact': ['write'],
  ...Object.fromEntries(
    ['/v1/memory/persona', '/v1/memory/global', '/v1/memory/{layer}/{key}'].flatMap(path => [
      [`GET ${path}`, ['read']],
      [`GET ${path}/versions`, ['read']],
      [`PUT ${path}`, ['write']],
      [`PATCH ${path}`, ['write']],
      [`POST ${path}/undo`, ['write']],
    ]),
  ),
  'POST /mcp': 'any',
  'GET /mcp': 'any',
  'DELETE /mcp': 'any',
  'POST /v1/sessions/{id}/fork': ['write'],
  'POST /v1/sessions/{id}/rollback': ['write'],
  'POST /v1/sessions/{id}/new-beginning': ['write'],
  'DELETE /v1/sessions/{id}/new-beginning': ['write'],
  'DELETE /v1/sessions/{id}/messages/{seq}': ['write'],
  'DELETE /v1/sessions/{id}': ['admin'],
  'DELETE /v1/users/{id}': ['admin'],
}

const TOOLS: Readonly<Record<string, Scope>> = {
  get_context: 'read',
  query_history: 'read',
  expand_history: 'read',
  append_messages: 'write',
  write_memory: 'write',
  write_user_memory: 'write',
  write_chat_memory: 'write',
}

describe.each(Object.entries(PLACES))('a key with one scope on %s', (_, newPlace) => {
  let place: StorePlace
  let house: House
  let stored: Tenant
  let erasure: number
  const keys = new Map<Scope, string>()

  beforeAll(async () => {
    place = newPlace()
    house = await openHouse(place)
    stored = house.tenants[0]
    erasure = await fill(stored, house)
    const store = await place.open()
    for (const scope of SCOPES) {
      const { namespace } = stored
      const { key, written } = newKey({ name: scope, namespace, scopes: [scope], now: new Date(0) })
      await store.keys.addKey(key)
      keys.set(scope, written)
    }
    await store.close()
  }, longest(60_000))
  afterAll(async () => {
    expect(house.errors).toEqual([])
    await house[Symbol.asyncDispose]()
    await place.remove()
  })

  const authorization = (scope: Scope) => ({ authorization: `Bearer ${keys.get(scope)}` })
  /** What the caller sends has words of its own: the canary is only in what is stored. */
  const caller = () => ({ ...stored, canary: 'ownwords' })
  const callsOf = (name: string) =>
    CALLS[name]!({ caller: caller(), other: house.tenants[1], erasure }).filter(
      ({ body }) => body !== undefined || !name.startsWith('POST'),
    )
  const isAllowed = (name: string, scope: Scope) => {
    const needs = NEEDS[name]!
    return typeof needs === 'string' || scope === 'admin' || needs.every(needed => needed === scope)
  }

  /** Puts the canary into a document, over another text that has it, too. */
  const note = async (path: string) => {
    for (const line of ['tea', 'lemons'])
      await stored.call('PUT', path, { content: `# It\n- ${line} ${stored.canary}\n` })
  }

  test('every route states what it takes', () => {
    expect(Object.keys(NEEDS).sort()).toEqual(house.operations.map(({ name }) => name).sort())
    expect(Object.keys(TOOLS).sort()).toEqual(Object.keys(TOOL_CALLS).sort())
  })

  test.each(SCOPES.filter(scope => scope !== 'admin'))(
    '%s alone shows nothing beyond it, twice, and what else is asked is refused',
    async scope => {
      const { seen } = await stored.call('GET', `/v1/sessions/${SAME.session}`)
      expect(seen).toContain(stored.canary)
      let shown = 0
      // Twice: a repeat with an Idempotency-Key is answered anew.
      for (const name of Object.keys(CALLS))
        for (const { path, body, headers } of [...callsOf(name), ...callsOf(name)]) {
          const [method = ''] = name.split(' ')
          // Whatever the call before left of it.
          if (method !== 'GET' && path.startsWith('/v1/memory/')) await note(path.replace(/\/undo$/, ''))
          const answer = await stored.call(method, path, body, {
            ...headers,
            ...(headers?.['idempotency-key'] && {
              'idempotency-key': `${scope} ${name} ${path}`.replaceAll(' ', '_'),
            }),
            ...authorization(scope),
          })
          const what = `${name} ${path} ${answer.seen.slice(0, 1_000)}`
          if (!isAllowed(name, scope)) expect(answer.status, what).toBe(403)
          else expect(answer.status, what).not.toBe(403)
          if (scope === 'read' && isAllowed(name, scope)) shown += answer.seen.includes(stored.canary) ? 1 : 0
          else expect(answer.seen, what).not.toContain(stored.canary)
        }
      expect(shown > 0).toBe(scope === 'read')
    },
    longest(60_000),
  )

  test('what is wrong with a write, and what does not fit, quotes nothing of what is stored', async () => {
    const S = `/v1/sessions/${SAME.session}`
    const document = '/v1/memory/global'
    await note(document)
    const { json } = await stored.call('GET', document)
    for (const [method, path, body, headers] of [
      ['PATCH', document, { section: 'Nowhere', append: 'x' }],
      ['PATCH', document, { append: 'x' }, { 'if-match': '"99"' }],
      ['PATCH', document, { append: 'x' }, { 'if-match': '"a", "b"' }],
      ['PUT', document, { content: 'x' }, { 'if-none-match': '*' }],
      ['PUT', document, { content: 'x' }, { 'if-match': '"1"' }],
      ['PUT', document, { content: json.content, author: 'x' }, { 'if-match': `"${json.version}"` }],
      ['POST', `${document}/undo`, { version: 1 }],
      ['POST', `${document}/undo`, { version: 99 }],
      ['POST', `${S}/messages`, { role: 'user', text: 'other words', externalId: 'm-1' }],
      ['POST', `${S}/messages`, { role: 'user', text: 'x', replyTo: 'nobody' }],
      ['POST', `${S}/messages`, { role: 'user', text: 'x', user: 'someone else' }],
      ['PATCH', `${S}/messages/999`, { text: 'x' }],
      ['POST', `${S}/rollback`, { toSeq: 999 }],
      ['POST', `${S}/fork`, { id: 'forked' }],
      ['PUT', `${S}/settings`, { threshold: 1, keepLast: 9 }],
      ['PUT', `${S}/settings`, { threshold: 20 }, { 'if-match': '"other"' }],
      ['POST', `${S}/compact`, { force: 'nothing' }],
      ['PUT', '/v1/memory/user/nobody', { content: '' }],
    ] as const) {
      const answer = await stored.call(method, path, body, { ...headers, ...authorization('write') })
      const what = `${method} ${path} ${answer.seen.slice(0, 1_000)}`
      expect(answer.status, what).toBeLessThan(500)
      expect(answer.seen, what).not.toContain(stored.canary)
    }
  })

  test('a write of memory answers with the version and the tag alone', async () => {
    const [path, own] = ['/v1/memory/chat/own', authorization('write')]
    await stored.call('POST', '/v1/sessions/own/messages', { role: 'user', text: 'x' }, own)
    const put = await stored.call('PUT', path, { content: 'one' }, own)
    expect([put.status, put.json, put.headers.get('etag')]).toEqual([201, { version: 1, etag: '"1"' }, '"1"'])
    const patched = await stored.call('PATCH', path, { append: 'two' }, { ...own, 'idempotency-key': 'k' })
    expect(patched.json).toEqual({ version: 2, etag: '"2"' })
    const again = await stored.call('PATCH', path, { append: 'two' }, { ...own, 'idempotency-key': 'k' })
    expect([again.json, again.headers.get('idempotency-replayed')]).toEqual([patched.json, 'true'])
    expect((await stored.call('POST', `${path}/undo`, {}, own)).json).toEqual({ version: 3, etag: '"3"' })
    // Who may read as well sees the document, also where the first answer went to who may not.
    const both = await stored.call('PATCH', path, { append: 'two' }, { 'idempotency-key': 'k' })
    expect(both.json).toMatchObject({ version: 3, content: expect.stringContaining('one') })
  })

  test('a rollback and a fork answer with the id alone', async () => {
    const [path, own] = ['/v1/sessions/own', authorization('write')]
    const messages = ['one', 'two'].map(text => ({ role: 'user', text }))
    await stored.call('POST', `${path}/messages`, { messages }, own)
    // The second time it is answered anew.
    for (const [call, body, id] of [
      ['rollback', { toSeq: 1 }, 'own'],
      ['fork', { id: 'own-fork' }, 'own-fork'],
    ] as const)
      for (const headers of [own, own].map(each => ({ ...each, 'idempotency-key': call })))
        expect((await stored.call('POST', `${path}/${call}`, body, headers)).json).toEqual({ id })
    const both = await stored.call('POST', `${path}/rollback`, { toSeq: 1 })
    expect(both.json).toMatchObject({ id: 'own', memo: null })
  })

  test.each(SCOPES.filter(scope => scope !== 'admin'))('%s alone calls its own tools of MCP', async scope => {
    for (const [tool, calls] of Object.entries(TOOL_CALLS))
      for (const { args } of calls(caller(), house.tenants[1])) {
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: tool, arguments: args } }
        const accept = 'application/json, text/event-stream'
        const { status, seen } = await stored.call('POST', '/mcp', body, { accept, ...authorization(scope) })
        expect(status, seen).toBe(200)
        if (TOOLS[tool] !== scope) expect(seen).toContain('needs the scope')
        if (scope !== 'read') expect(seen, tool).not.toContain(stored.canary)
      }
  })
})
