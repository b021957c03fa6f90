import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Layer, SETTINGS } from '../../packages/palimpsest/src/config/index.ts'
import type { Store } from '../../packages/palimpsest/src/store/index.ts'
import { type ModelServer, startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { type OpenedApp, openApp } from '../../packages/server/src/index.ts'
import { newKey } from '../../packages/server/src/keys/new-key.ts'
import { PLACES, sqlitePlace } from '../stores.ts'
import { talk } from './client.ts'

/** Numbers that the operator has set, with one that is lower and those that are above it. */
const LIMITS: Readonly<Record<string, { set: number; lower: number; above: readonly unknown[] }>> = {
  summaryCallsPerHour: { set: 5, lower: 4, above: [6, 'none', 0, '0', '6'] },
  summaryTokensPerHour: { set: 9_000, lower: 1, above: [9_001, 'none', 0] },
  sessionSummaryCallsPerHour: { set: 3, lower: 2, above: [4, 'none', 0] },
  sessionSummaryTokensPerHour: { set: 500, lower: 20, above: [501, 'none', 0] },
  modelTimeoutSec: { set: 20, lower: 0.5, above: [20.5, 3_600] },
  maxBodyBytes: { set: 65_536, lower: 2_048, above: [65_537, 512 * 1024 * 1024] },
  rateLimit: { set: 60_000, lower: 30_000, above: [60_001, 'none', 0] },
}
const OPERATORS: Layer = Object.fromEntries(Object.entries(LIMITS).map(([name, { set }]) => [name, set]))

interface Answered {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects
  readonly json: any
}
type Call = (method: string, path: string, body?: unknown) => Promise<Answered>

interface Served extends AsyncDisposable {
  readonly store: Store
  readonly opened: OpenedApp
  readonly home: Call
  readonly tenant: Call
}

async function serve(
  environment: Layer,
  {
    place = sqlitePlace(),
    keepsPlace = false,
  }: { place?: ReturnType<typeof sqlitePlace>; keepsPlace?: boolean } = {},
): Promise<Served> {
  const store = await place.open()
  const callOf = async (opened: OpenedApp, namespace: string): Promise<Call> => {
    const name = crypto.randomUUID()
    const { key, written } = newKey({ name, namespace, scopes: ['admin'], now: new Date(0) })
    await store.keys.addKey(key)
    return async (method, path, body) => {
      const response = await opened.app.request(path, {
        method,
        headers: { authorization: `Bearer ${written}`, 'content-type': 'application/json' },
        ...(body !== undefined && { body: JSON.stringify(body) }),
      })
      return { status: response.status, json: await response.json() }
    }
  }
  const opened = await openApp({ store, environment })
  return {
    store,
    opened,
    home: await callOf(opened, 'default'),
    tenant: await callOf(opened, 'tenant'),
    [Symbol.asyncDispose]: async () => {
      await opened.close()
      if (!keepsPlace) await place.remove()
    },
  }
}

const settingsOf = async (call: Call) => (await call('GET', '/v1/settings?schema=true')).json

test('every setting says what a namespace may do with it', async () => {
  const named = (right: string) =>
    SETTINGS.filter(({ namespace }) => namespace === right).map(({ name }) => name)
  expect(named('max').toSorted()).toEqual(Object.keys(LIMITS).toSorted())
  const running = SETTINGS.filter(({ reach }) => reach !== 'start').map(({ name }) => name)
  expect(
    named('fixed')
      .filter(name => running.includes(name))
      .toSorted(),
  ).toEqual(
    ['model', 'modelBaseUrl', 'modelApiKey', 'fallbackModel', 'modelWindow', 'allowedModels'].toSorted(),
  )
  for (const { name, reach, namespace } of SETTINGS)
    if (reach === 'start') expect([name, namespace]).toEqual([name, 'fixed'])
  for (const name of ['policy', 'zone', 'budget', 'memoryOwner', 'globalMemoryTokens', 'memoInstructions'])
    expect(named('free')).toContain(name)
  await using server = await serve({})
  const { schema } = await settingsOf(server.tenant)
  expect(schema.find(({ name }: { name: string }) => name === 'rateLimit').namespace).toBe('max')
})

describe.each(Object.entries(PLACES))('a limit of the operator on %s', (_, newPlace) => {
  let server: Served
  beforeAll(async () => {
    server = await serve(OPERATORS, { place: newPlace() })
  })
  afterAll(() => server[Symbol.asyncDispose]())

  test.each(Object.keys(LIMITS))('%s is lowered by a namespace, and not raised', async name => {
    const { set, lower, above } = LIMITS[name]!
    for (const value of above) {
      const { status, json } = await server.tenant('PUT', '/v1/settings', {
        [name]: value,
        zone: 'Asia/Shanghai',
      })
      expect([value, status, json.error?.code]).toEqual([value, 422, 'invalid_settings'])
      expect(json.error.details.problems).toEqual([
        expect.objectContaining({ setting: name, allowed: expect.stringContaining(`at most ${set}`) }),
      ])
    }
    const before = await settingsOf(server.tenant)
    expect([before.settings[name], before.sources[name], before.settings.zone]).toEqual([
      set,
      'environment',
      'UTC',
    ])
    expect(before.ceilings[name]).toBe(set)
    const lowered = await server.tenant('PUT', '/v1/settings', { [name]: lower })
    expect([lowered.json.settings[name], lowered.json.sources[name]]).toEqual([lower, 'stored'])
    expect((await server.tenant('PUT', '/v1/settings', { [name]: set })).status).toBe(200)
    expect((await server.tenant('PUT', '/v1/settings', { [name]: null })).json.settings[name]).toBe(set)
  })

  test('what is free is free, and what was read can be written back', async () => {
    const free = {
      policy: 'count',
      threshold: 9,
      keepLast: 2,
      zone: 'Asia/Shanghai',
      memoryOwner: 'u-7',
      extract: 'off',
    }
    const { status, json } = await server.tenant('PUT', '/v1/settings', free)
    expect([status, json.settings]).toEqual([200, expect.objectContaining(free)])
    expect((await server.tenant('PUT', '/v1/settings', json.settings)).status).toBe(200)
  })

  test('in its own namespace the operator sets what it likes', async () => {
    const { status, json } = await server.home('PUT', '/v1/settings', { summaryCallsPerHour: 'none' })
    expect([status, json.settings.summaryCallsPerHour, json.ceilings]).toEqual([200, null, undefined])
    // What it sets there is the ceiling of the others, who have still what the environment says.
    expect((await settingsOf(server.tenant)).settings.summaryCallsPerHour).toBe(5)
    expect((await server.tenant('PUT', '/v1/settings', { summaryCallsPerHour: 50 })).status).toBe(200)
    await server.home('PUT', '/v1/settings', { summaryCallsPerHour: 10 })
    const clamped = await settingsOf(server.tenant)
    expect([clamped.settings.summaryCallsPerHour, clamped.sources.summaryCallsPerHour]).toEqual([
      10,
      'operator',
    ])
    expect(clamped.messages.join()).toContain('summaryCallsPerHour 50 is not in force')
    // Lowered below the environment's, it holds for all.
    await server.home('PUT', '/v1/settings', { summaryCallsPerHour: 2 })
    await server.tenant('PUT', '/v1/settings', { summaryCallsPerHour: null })
    const lowest = await settingsOf(server.tenant)
    expect([lowest.settings.summaryCallsPerHour, lowest.sources.summaryCallsPerHour]).toEqual([2, 'operator'])
    expect(lowest.messages).toBeUndefined()
    await server.home('PUT', '/v1/settings', { summaryCallsPerHour: null })
    expect((await settingsOf(server.tenant)).settings.summaryCallsPerHour).toBe(5)
  })
})

test('what is stored above a ceiling is clamped when it is read, also for sessions and requests', async () => {
  const place = sqlitePlace()
  const store = await place.open()
  await store.settings.writeSettings('tenant', {
    summaryCallsPerHour: 'none',
    maxBodyBytes: 1_000_000,
    modelTimeoutSec: 900,
  })
  await store.close()
  await using server = await serve(
    { summaryCallsPerHour: 5, maxBodyBytes: 2_000, modelTimeoutSec: 7 },
    { place },
  )
  const { settings, sources, messages } = await settingsOf(server.tenant)
  expect(settings).toMatchObject({ summaryCallsPerHour: 5, maxBodyBytes: 2_000, modelTimeoutSec: 7 })
  expect(sources).toMatchObject({ summaryCallsPerHour: 'operator', maxBodyBytes: 'operator' })
  expect(messages).toHaveLength(3)
  const { palimpsest } = await server.opened.tenant('tenant')
  const large = { role: 'user', text: 'x'.repeat(3_000) }
  expect((await server.tenant('POST', '/v1/sessions/s/messages', large)).status).toBe(413)
  expect((await server.tenant('POST', '/v1/sessions/s/messages', { role: 'user', text: 'x' })).status).toBe(
    201,
  )
  const own = await server.tenant('PUT', '/v1/sessions/s/settings', { threshold: 30 })
  expect(own.json.settings).toMatchObject({ threshold: 30, summaryCallsPerHour: 5 })
  for (const path of ['/v1/sessions/s/settings', '/v1/sessions/s/compact'])
    expect(
      (await server.tenant(path.endsWith('compact') ? 'POST' : 'PUT', path, { summaryCallsPerHour: 99 }))
        .status,
    ).toBe(422)
  expect(palimpsest).toBeDefined()
})

test('what another process sets for the operator bounds a namespace at its next call', async () => {
  const place = sqlitePlace()
  await using server = await serve({ summaryCallsPerHour: 50 }, { place })
  await server.tenant('PUT', '/v1/settings', { summaryCallsPerHour: 40 })
  const store = await place.open()
  const other = await openApp({ store, environment: { summaryCallsPerHour: 50 } })
  await (await other.tenant('default')).settings.change({ summaryCallsPerHour: 3 })
  const { settings, sources } = await settingsOf(server.tenant)
  expect([settings.summaryCallsPerHour, sources.summaryCallsPerHour]).toEqual([3, 'operator'])
  expect((await server.tenant('PUT', '/v1/settings', { summaryCallsPerHour: 4 })).status).toBe(422)
  await other.close()
})

test('what only the operator sets is as the operator set it, whatever a namespace has stored', async () => {
  const place = sqlitePlace()
  const store = await place.open()
  await store.settings.writeSettings('tenant', { allowedModels: 'openai-compatible:huge', redact: 'off' })
  await store.close()
  await using server = await serve({ allowedModels: ['openai-compatible:small'] }, { place })
  const { settings, sources } = await settingsOf(server.tenant)
  expect([settings.allowedModels, sources.allowedModels]).toEqual([['openai-compatible:small'], 'operator'])
  for (const change of [{ redact: 'off' }, { allowedModels: 'openai-compatible:huge' }])
    expect((await server.tenant('PUT', '/v1/settings', change)).status).toBe(422)
  const text = 'my key is ghp_16C7e42F292c6912E7710c838347Ae178B4a'
  await server.tenant('POST', '/v1/sessions/s/messages', { role: 'user', text })
  const { json } = await server.tenant('GET', '/v1/sessions/s/messages')
  expect(JSON.stringify(json)).toContain('my key is')
  expect(JSON.stringify(json)).not.toContain('ghp_16C7')
})

test('a spend limit holds although a namespace had taken it away', async () => {
  await using model = await startModelServer({
    reply: JSON.stringify({ summary: 'They spoke of lemons for Porto.', events: [], details: [] }),
  })
  const place = sqlitePlace()
  const store = await place.open()
  await store.settings.writeSettings('tenant', {
    summaryCallsPerHour: 'none',
    policy: 'count',
    threshold: 4,
    keepLast: 2,
  })
  await store.close()
  const operators = {
    model: 'openai-compatible:x',
    modelBaseUrl: model.url,
    modelApiKey: 'k',
    extract: 'off',
  }
  await using server = await serve({ ...operators, summaryCallsPerHour: 2 }, { place })
  for (let session = 0; session < 5; session += 1) {
    await server.tenant('POST', `/v1/sessions/s${session}/messages`, { messages: talk(6, 30) })
    await server.tenant('POST', `/v1/sessions/s${session}/compact`, { force: true })
  }
  expect(model.requests.length).toBeLessThanOrEqual(2)
})

describe("a model on the operator's key", () => {
  const KEY = 'sk-operators-own'
  let good: ModelServer
  let evil: ModelServer
  let environment: Layer
  beforeAll(async () => {
    const reply = JSON.stringify({ summary: 'They spoke of lemons for Porto.', events: [], details: [] })
    good = await startModelServer({ reply })
    evil = await startModelServer({ reply })
    environment = { model: 'openai-compatible:small', modelBaseUrl: good.url, modelApiKey: KEY }
  })
  afterAll(async () => {
    expect(JSON.stringify(evil.requests.map(({ headers }) => headers))).not.toContain(KEY)
    await good.close()
    await evil.close()
  })

  test('is the one that the operator has set: neither it nor its address is changed', async () => {
    await using server = await serve(environment)
    for (const change of [
      { model: 'openai-compatible:large' },
      { fallbackModel: 'openai-compatible:large' },
      { modelBaseUrl: evil.url },
      { modelBaseUrl: 'none' },
      { modelWindow: 1_000_000 },
      { modelApiKey: 'none' },
      { allowedModels: 'openai-compatible:large' },
      { model: 'openai-compatible:large', modelBaseUrl: evil.url },
    ]) {
      const { status, json } = await server.tenant('PUT', '/v1/settings', change)
      expect([change, status]).toEqual([change, 422])
      const named = json.error.details.problems.map(({ setting }: { setting: string }) => setting)
      expect(named).toEqual(Object.keys(change))
    }
    const refused = await server.tenant('PUT', '/v1/settings', { model: 'openai-compatible:large' })
    expect(refused.json.error.message).toContain(
      "openai-compatible:small, or any with a modelApiKey of the namespace's own",
    )
    expect((await server.tenant('PUT', '/v1/settings', { model: 'openai-compatible:small' })).status).toBe(
      200,
    )
    // To do without costs the operator nothing.
    const { json } = await server.tenant('PUT', '/v1/settings', { model: 'none' })
    expect(json).toMatchObject({ settings: { model: null }, sources: { model: 'stored' } })
  })

  test('may be another of the list, which only the operator writes', async () => {
    await using server = await serve({ ...environment, allowedModels: ['openai-compatible:Large'] })
    const chosen = await server.tenant('PUT', '/v1/settings', { model: 'openai-compatible:Large' })
    expect(chosen.json.settings).toMatchObject({
      model: 'openai-compatible:Large',
      modelApiKey: true,
      allowedModels: ['openai-compatible:Large'],
    })
    const refused = await server.tenant('PUT', '/v1/settings', { model: 'openai-compatible:huge' })
    expect(refused.json.error.message).toContain('openai-compatible:small, openai-compatible:Large, or any')
    await server.home('PUT', '/v1/settings', {
      allowedModels: 'openai-compatible:huge, openai-compatible:tiny',
    })
    expect((await settingsOf(server.home)).settings.allowedModels).toEqual([
      'openai-compatible:huge',
      'openai-compatible:tiny',
    ])
    const now = await settingsOf(server.tenant)
    expect(now).toMatchObject({
      settings: { model: 'openai-compatible:small' },
      sources: { model: 'environment' },
    })
    expect(now.messages.join()).toContain('model "openai-compatible:Large" is not in force')
    expect((await server.tenant('PUT', '/v1/settings', { model: 'openai-compatible:huge' })).status).toBe(200)
    // What GET shows as a list is taken back as one.
    const list = (await settingsOf(server.home)).settings.allowedModels
    expect((await server.home('PUT', '/v1/settings', { allowedModels: list })).status).toBe(200)
  })

  test('a key of its own frees all of it, and without it the operator’s is in force again', async () => {
    await using server = await serve(environment)
    const own = {
      model: 'openai-compatible:own',
      modelBaseUrl: evil.url,
      modelApiKey: 'sk-tenant',
      modelWindow: 64_000,
    }
    const { status, json } = await server.tenant('PUT', '/v1/settings', own)
    expect([status, json.settings.model, json.sources.modelApiKey]).toEqual([200, own.model, 'stored'])
    await server.tenant('POST', '/v1/sessions/s/messages', { messages: talk(12, 30) })
    await server.tenant('POST', '/v1/sessions/s/compact', { force: true, policy: 'count', keepLast: 2 })
    expect(evil.requests.at(-1)?.headers.authorization).toBe('Bearer sk-tenant')
    expect((await server.tenant('PUT', '/v1/settings', { model: 'openai-compatible:two' })).status).toBe(200)
    const back = await server.tenant('PUT', '/v1/settings', { modelApiKey: null })
    expect(back.json.settings).toMatchObject({
      model: 'openai-compatible:small',
      modelBaseUrl: good.url,
      modelWindow: null,
    })
    expect(back.json.messages).toHaveLength(3)
    const { length } = evil.requests
    await server.tenant('POST', '/v1/sessions/t/messages', { messages: talk(12, 30) })
    await server.tenant('POST', '/v1/sessions/t/compact', { force: true, policy: 'count', keepLast: 2 })
    expect(evil.requests).toHaveLength(length)
    expect(good.requests.at(-1)).toMatchObject({
      body: { model: 'small' },
      headers: { authorization: `Bearer ${KEY}` },
    })
  })

  test('a key of its own frees nothing at an address of the operator’s that asks for none', async () => {
    const { modelApiKey: _, ...keyless } = environment
    await using server = await serve(keyless)
    const asked = { model: 'openai-compatible:huge', modelApiKey: 'x' }
    expect((await server.tenant('PUT', '/v1/settings', asked)).status).toBe(422)
    const own = { ...asked, modelBaseUrl: evil.url }
    expect((await server.tenant('PUT', '/v1/settings', own)).status).toBe(200)
  })

  test('a key of its own that is not in force frees nothing', async () => {
    const place = sqlitePlace()
    {
      await using server = await serve(environment, { place, keepsPlace: true })
      const own = { model: 'openai-compatible:own', modelApiKey: 'sk-tenant' }
      expect((await server.tenant('PUT', '/v1/settings', own)).status).toBe(200)
    }
    // The operator goes to another address: the namespace's key was not given for that.
    await using server = await serve(
      { ...environment, modelBaseUrl: evil.url, modelApiKey: 'sk-moved' },
      { place },
    )
    const { settings, sources, messages } = await settingsOf(server.tenant)
    expect(settings).toMatchObject({ model: 'openai-compatible:small', modelBaseUrl: evil.url })
    expect(sources).toMatchObject({ model: 'environment', modelApiKey: 'environment' })
    expect(messages.join()).toContain('model "openai-compatible:own" is not in force')
  })

  test('what an earlier version stored without a key of its own is not in force', async () => {
    const place = sqlitePlace()
    const store = await place.open()
    await store.settings.writeSettings('tenant', { model: 'openai-compatible:large', modelBaseUrl: evil.url })
    await store.close()
    await using server = await serve(environment, { place })
    const { settings, sources } = await settingsOf(server.tenant)
    expect(settings).toMatchObject({
      model: 'openai-compatible:small',
      modelBaseUrl: good.url,
      modelApiKey: true,
    })
    expect(sources).toMatchObject({ model: 'environment', modelBaseUrl: 'environment' })
  })

  test('what the operator stores for its own namespace is not spent by others', async () => {
    await using server = await serve({})
    await server.home('PUT', '/v1/settings', environment)
    expect((await settingsOf(server.tenant)).settings).toMatchObject({ model: null, modelApiKey: false })
  })
})
