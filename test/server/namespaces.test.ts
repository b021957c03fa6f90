import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { longest } from '../runs.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { EventReader } from './event-reader.ts'
import { CALLS } from './namespaces-calls.ts'
import { fill, SAME, saidBy } from './namespaces-fill.ts'
import { type House, openHouse, type Tenant } from './namespaces-house.ts'
import { rowsOf } from './namespaces-rows.ts'
import { TOOL_CALLS } from './namespaces-tools.ts'

/** Reads come first, and what takes most away last. */
const NAMES = Object.keys(CALLS)
const CHANGING = NAMES.filter(name => !name.startsWith('GET'))

/** The tables that hold what people said, or how they want it. */
const FILLED = [
  ...['api_keys', 'document_versions', 'documents', 'erasures', 'events', 'facts', 'index_blocks', 'memos'],
  ...['message_versions', 'messages', 'operations', 'pins', 'postings', 'requests', 'segments', 'senders'],
  ...['sessions', 'settings'],
]

describe.each(Object.entries(PLACES))('two namespaces with the same ids on %s', (_, newPlace) => {
  let place: StorePlace
  let house: House
  const erasures = new Map<Tenant, number>()
  const pairs = (): readonly (readonly [Tenant, Tenant])[] => {
    const [a, b] = house.tenants
    return [
      [a, b],
      [b, a],
    ]
  }

  beforeAll(async () => {
    place = newPlace()
    house = await openHouse(place)
    // In turn, so that the ids of the database lie between one another's.
    for (const tenant of house.tenants) erasures.set(tenant, await fill(tenant, house))
    for (const tenant of house.tenants)
      await tenant.call('POST', `/v1/sessions/only-${tenant.namespace}/messages`, {
        messages: saidBy(tenant, 2),
      })
    await settled()
  }, longest(60_000))
  afterAll(async () => {
    expect(house.errors).toEqual([])
    await house[Symbol.asyncDispose]()
    await place.remove()
  })

  const settled = async () => {
    for (const tenant of house.tenants) await tenant.settled()
  }

  /** Everything of the table under these names; the answers hold nothing of the other. */
  async function callAll(names: readonly string[], caller: Tenant, other: Tenant): Promise<void> {
    for (const name of names)
      for (const { path, body, headers, shows } of CALLS[name]!({
        caller,
        other,
        erasure: erasures.get(caller)!,
      })) {
        const method = body === undefined && name.startsWith('POST') ? 'GET' : name.split(' ')[0]!
        const answer = await caller.call(method, path, body, headers)
        expect(answer.status, `${name} ${path} ${answer.seen.slice(0, 500)}`).toBeLessThan(500)
        expect(answer.seen, `${name} ${path}`).not.toContain(other.canary)
        // Who names it is told that it is not there.
        if (!`${path} ${JSON.stringify(body)}`.includes('only-'))
          expect(answer.seen, `${name} ${path}`).not.toContain(`only-${other.namespace}`)
        if (!shows) continue
        expect(answer.status, `${name} ${path} ${answer.seen.slice(0, 500)}`).toBeLessThan(300)
        expect(answer.seen, `${name} ${path}`).toContain(caller.canary)
      }
  }

  test('no route is left out', () => {
    expect([...NAMES].sort()).toEqual(house.operations.map(({ name }) => name).sort())
  })

  test('each has one of everything', async () => {
    for (const { namespace } of house.tenants) {
      const tables = (await rowsOf(place.address, namespace)).map(line => line.split(' ')[0])
      expect([...new Set(tables)]).toEqual(expect.arrayContaining(FILLED))
    }
  })

  test('no read shows anything of the other', async () => {
    for (const [caller, other] of pairs()) {
      const before = await rowsOf(place.address, other.namespace)
      await callAll(
        NAMES.filter(name => name.startsWith('GET') || /\/(context|replay)$/.test(name)),
        caller,
        other,
      )
      await settled()
      expect(await rowsOf(place.address, other.namespace)).toEqual(before)
    }
  })

  test('what one has for an id, a cursor, a tag or a key, is nothing to the other', async () => {
    for (const [caller, other] of pairs()) {
      const status = async (...call: Parameters<Tenant['call']>) => (await caller.call(...call)).status
      expect(await status('GET', `/v1/erasures/${erasures.get(other)}`)).toBe(404)
      expect(await status('GET', `/v1/sessions/only-${other.namespace}`)).toBe(404)
      for (const part of ['/segments/1', '/folds', '/growth'])
        expect(await status('GET', `/v1/sessions/only-${other.namespace}${part}`)).toBe(404)
      expect(await status('POST', '/v1/replay', { session: `only-${other.namespace}` })).toBe(404)
      for (const order of ['id', 'recent']) {
        const found = await caller.call('GET', `/v1/sessions?q=only-${other.namespace}&order=${order}`)
        expect(found.json.sessions).toEqual([])
      }
      const { id } = (await other.call('GET', `/v1/sessions/${SAME.session}/folds?limit=1`)).json.folds[0]
      const folds = await caller.call('GET', `/v1/sessions/${SAME.session}/folds?before=${Number(id) + 1}`)
      const own = await caller.call('GET', `/v1/sessions/${SAME.session}/folds`)
      expect(own.json.folds).toEqual(expect.arrayContaining(folds.json.folds))
      const authorization = `Bearer ${caller.key.replace(caller.keyId, other.keyId)}`
      expect(await status('GET', '/v1/sessions', undefined, { authorization })).toBe(401)
      const tag = (await other.call('GET', '/v1/settings')).headers.get('etag') ?? ''
      expect(await status('GET', '/v1/settings', undefined, { 'if-none-match': tag })).toBe(200)
      expect(await status('PUT', '/v1/settings', { threshold: 9 }, { 'if-match': tag })).toBe(412)
      for (const [path, cursor] of [
        ['/v1/sessions?limit=2', 'after'],
        ['/v1/memory?limit=2', 'after'],
        [`/v1/search?q=lemons&limit=2`, 'cursor'],
        [`/v1/sessions/${SAME.session}/messages?limit=2`, 'after'],
        [`/v1/sessions/${SAME.session}/messages?limit=2&from=newest`, 'before'],
        [`/v1/memory/global/versions?limit=1`, 'before'],
      ] as const) {
        const { next } = (await other.call('GET', path)).json
        expect(next, path).not.toBeNull()
        const page = await caller.call('GET', `${path}&${cursor}=${encodeURIComponent(next)}`)
        expect(page.status, path).toBe(200)
        expect(page.seen).not.toContain(other.canary)
      }
    }
  })

  test('a listener hears all that happens in its own, and nothing else, while both are busy', async () => {
    const readers = await Promise.all(
      house.tenants.map(async (tenant, index) => {
        const lastOfOther = await lastPosition(house.tenants[1 - index]!)
        return {
          tenant,
          live: new EventReader((await tenant.listen()).body),
          ofSession: new EventReader((await tenant.listen(`?session=${SAME.session}`)).body),
          resumed: new EventReader((await tenant.listen('', { 'last-event-id': lastOfOther })).body),
        }
      }),
    )
    for (const { live, ofSession, resumed } of readers)
      for (const reader of [live, ofSession, resumed]) await reader.block()
    const before = await Promise.all(house.tenants.map(({ namespace }) => eventsOf(namespace)))
    await Promise.all(
      house.tenants.flatMap((tenant, index) =>
        Array.from({ length: 20 + index * 7 }, (_, turn) =>
          tenant.call(
            'POST',
            `/v1/sessions/${turn % 2 ? SAME.session : `only-${tenant.namespace}`}/messages`,
            {
              role: 'user',
              text: `${tenant.canary} ${turn}`,
            },
          ),
        ),
      ),
    )
    await settled()
    for (const [index, { tenant, live, ofSession, resumed }] of readers.entries()) {
      const count = (await eventsOf(tenant.namespace)) - before[index]!
      await tenant.call('PUT', '/v1/memory/user/marker', { content: '# The end' })
      const other = house.tenants[1 - index]!
      for (const reader of [live, resumed]) {
        const heard = await reader.take(count + 1)
        expect(JSON.stringify(heard)).not.toContain(`only-${other.namespace}`)
        expect(heard.filter(({ event }) => event === 'message-appended')).toHaveLength(20 + index * 7)
        // The last is the marker, so there was not one more in between.
        expect(heard.at(-1)).toMatchObject({ event: 'memory-changed', data: { data: { key: 'marker' } } })
        await reader.cancel()
      }
      const said = (await ofSession.take(10)).filter(({ event }) => event === 'message-appended')
      expect(new Set(said.map(({ data }) => data.sessionId))).toEqual(new Set([SAME.session]))
      await ofSession.cancel()
    }
  }, 60_000)

  const eventsOf = async (namespace: string) =>
    (await rowsOf(place.address, namespace)).filter(line => line.startsWith('events ')).length

  async function lastPosition(tenant: Tenant): Promise<string> {
    const reader = new EventReader((await tenant.listen()).body)
    await reader.block()
    await reader.cancel()
    return reader.lastId
  }

  test('every tool of MCP shows and changes what is of the caller, and nothing of the other', async () => {
    for (const [caller, other] of pairs()) {
      const before = await rowsOf(place.address, other.namespace)
      await using speaker = await caller.speak()
      expect(Object.keys(TOOL_CALLS).sort()).toEqual((await speaker.tools()).sort())
      for (const [tool, calls] of Object.entries(TOOL_CALLS))
        for (const { args, shows } of calls(caller, other)) {
          const called = JSON.stringify(await speaker.call(tool, args))
          expect(called, tool).not.toContain(other.canary)
          if (shows) expect(called, tool).toContain(caller.canary)
        }
      await settled()
      expect(await rowsOf(place.address, other.namespace)).toEqual(before)
    }
  })

  test('an Idempotency-Key is of whoever sent it', async () => {
    const [a, b] = house.tenants
    const headers = { 'idempotency-key': 'of-both' }
    const S = `/v1/sessions/${SAME.session}`
    for (const [method, path, body] of [
      ['POST', `${S}/messages`, { role: 'user', text: 'x' }],
      ['POST', `${S}/compact`, { force: 'lite' }],
      ['POST', `${S}/fork`, { id: 'fork-of-both' }],
      ['POST', `${S}/rollback`, { toSeq: 13 }],
      ['PATCH', '/v1/memory/global', { append: '- x' }],
      ['POST', '/v1/memory/global/undo', {}],
    ] as const) {
      expect((await a.call(method, path, body, headers)).status).toBeLessThan(300)
      const others = await b.call(method, path, body, headers)
      expect(others.status, path).toBeLessThan(300)
      expect(others.headers.get('idempotency-replayed')).toBeNull()
      if (path.endsWith('/messages')) expect(others.json.messages).toMatchObject([{ duplicate: false }])
    }
  })

  test('the figures of one do not move by what the other does', async () => {
    for (const [caller, other] of pairs()) {
      await settled()
      const before = await figuresOf(caller)
      expect(before).toContain('palimpsest_')
      await other.call('POST', `/v1/sessions/${SAME.session}/messages`, { messages: saidBy(other, 14) })
      await other.call('POST', `/v1/sessions/${SAME.session}/compact`, { force: true })
      await other.call('GET', '/v1/search?q=lemons')
      await other.call('GET', '/v1/nothing')
      await other.call('POST', '/v1/chat/completions', { user: 'openai', messages: [] })
      await settled()
      expect(await figuresOf(caller)).toBe(before)
    }
  })

  /** Without what is of the process, and the asking itself. */
  async function figuresOf(tenant: Tenant): Promise<string> {
    const { seen } = await tenant.call('GET', '/metrics')
    return seen
      .split('\n')
      .filter(line => line.startsWith('palimpsest_') && !line.includes('/metrics'))
      .join('\n')
  }

  async function shownTo(tenant: Tenant): Promise<readonly unknown[]> {
    const S = `/v1/sessions/${SAME.session}`
    const paths = [`${S}/messages`, `${S}/segments?all=true`, S, '/v1/memory', '/v1/sessions', '/v1/settings']
    return Promise.all(paths.map(async path => (await tenant.call('GET', path)).json))
  }

  test('whatever one writes, folds, sets, rolls back or erases, the other stays as it is to the byte', async () => {
    for (const [caller, other] of pairs()) {
      await settled()
      const [others, shown] = [await rowsOf(place.address, other.namespace), await shownTo(other)]
      const own = await rowsOf(place.address, caller.namespace)
      await callAll(CHANGING, caller, other)
      await settled()
      expect(await rowsOf(place.address, other.namespace)).toEqual(others)
      expect(await shownTo(other)).toEqual(shown)
      expect(await rowsOf(place.address, caller.namespace)).not.toEqual(own)
      erasures.set(caller, await fill(caller, house))
    }
  }, 60_000)

  test('a model is told what is of one with the key of that one', () => {
    const { requests } = house.model
    expect(requests.length).toBeGreaterThan(4)
    for (const { headers, body } of requests) {
      const owner = house.tenants.find(({ canary }) => headers['authorization'] === `Bearer sk-${canary}`)
      const other = house.tenants.find(tenant => tenant !== owner)!
      expect(owner).toBeDefined()
      expect(JSON.stringify(body)).not.toContain(other.canary)
    }
  })

  test('in the database, no row of one holds a word of the other', async () => {
    for (const [{ namespace }, other] of pairs())
      expect((await rowsOf(place.address, namespace)).filter(line => line.includes(other.canary))).toEqual([])
  })
})
