import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Layer } from '../../packages/palimpsest/src/config/index.ts'
import type { Store } from '../../packages/palimpsest/src/store/index.ts'
import { type ModelServer, startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { LiveSettings } from '../../packages/server/src/index.ts'
import { sqlitePlace } from '../stores.ts'
import { openClient, talk } from './client.ts'

const KEY = 'sk-canary-4711'
const MODEL = 'openai-compatible:x'
const place = sqlitePlace()
let store: Store
let good: ModelServer
let evil: ModelServer
const reply = JSON.stringify({ summary: 'They spoke of lemons for Porto.', events: [], details: [] })

beforeAll(async () => {
  store = await place.open()
  good = await startModelServer({ reply })
  evil = await startModelServer({ reply })
})
afterAll(async () => {
  await store.close()
  await place.remove()
  await good.close()
  await evil.close()
})
afterEach(() => expect(JSON.stringify(evil.requests.map(({ headers }) => headers))).not.toContain(KEY))

/** The settings of a namespace of its own. */
async function settingsWith(
  stored: Record<string, unknown>,
  options: { environment?: Layer; over?: Layer } = {},
) {
  const namespace = crypto.randomUUID()
  await store.settings.writeSettings(namespace, stored as never)
  const warnings: string[] = []
  const open = async (more: { environment?: Layer; over?: Layer } = options) => {
    const settings = new LiveSettings({ store, namespace, ...more, onWarning: text => warnings.push(text) })
    await settings.load()
    return settings
  }
  return { settings: await open(), open, warnings, stored: () => store.settings.readSettings(namespace) }
}

describe('a stored key', () => {
  const bound = () => ({ model: MODEL, modelBaseUrl: good.url, modelApiKey: KEY })

  test.each<[string, () => Record<string, unknown>]>([
    ['another address', () => ({ modelBaseUrl: evil.url })],
    ['another provider', () => ({ model: 'openai:x' })],
    ['no address', () => ({ model: 'openai:x', modelBaseUrl: null })],
    ['the address and the model', () => ({ model: 'anthropic:x', modelBaseUrl: evil.url })],
  ])('goes with a change to %s, which says so', async (_, change) => {
    for (const isOld of [false, true]) {
      const { settings, stored } = await settingsWith(isOld ? bound() : {})
      if (!isOld) await settings.change(bound())
      expect(settings.current.values.modelApiKey).toBe(KEY)
      // Some models need a key: then nothing is changed, and the refusal says why.
      const answer = await settings.change(change()).catch(error => error)
      const said = JSON.stringify([answer.messages, answer.message])
      expect(said).toContain('was given for openai-compatible at http')
      expect(said).not.toContain(KEY)
      if (answer instanceof Error) expect(await stored()).toMatchObject(bound())
      else {
        expect(settings.current.values.modelApiKey).toBeNull()
        expect(await stored()).not.toHaveProperty('modelApiKey')
        // And it is not back with the old address.
        await settings.change({ model: MODEL, modelBaseUrl: good.url })
        expect(settings.current.values.modelApiKey).toBeNull()
      }
    }
  })

  test('stays where it is given again, and with whatever else is changed', async () => {
    const { settings } = await settingsWith(bound())
    expect((await settings.change({ zone: 'Asia/Shanghai' })).messages).toEqual([])
    expect((await settings.change({ model: 'openai-compatible:y' })).messages).toEqual([])
    expect((await settings.change({ model: null })).messages).toEqual([])
    expect((await settings.change({ model: MODEL, modelBaseUrl: good.url })).messages).toEqual([])
    expect(settings.current.values.modelApiKey).toBe(KEY)
    const moved = await settings.change({ modelBaseUrl: evil.url, modelApiKey: 'sk-other' })
    expect([moved.messages, moved.values.modelApiKey]).toEqual([[], 'sk-other'])
    // What was taken off with the model is not sent to another provider's.
    await settings.change({ model: null })
    expect((await settings.change({ model: 'openai:x' }).catch(error => error)).message).toContain(
      'was given for',
    )
  })

  test('that was given before a model belongs to the first one', async () => {
    const { settings } = await settingsWith({})
    await settings.change({ modelApiKey: KEY })
    await settings.change({ model: 'anthropic:x' })
    expect(settings.current.values.modelApiKey).toBe(KEY)
    await expect(settings.change({ model: 'openai:x' })).rejects.toThrow('was given for anthropic')
    await expect(settings.change({ modelBaseUrl: evil.url })).rejects.toThrow(
      'is not sent to anthropic at http',
    )
  })

  test('is not sent elsewhere because the environment or a file changed under it', async () => {
    const environment = { model: MODEL, modelBaseUrl: good.url }
    const { settings, open, warnings } = await settingsWith({}, { environment })
    await settings.change({ modelApiKey: KEY })
    expect(settings.current.values.modelApiKey).toBe(KEY)
    for (const options of [
      { environment: { ...environment, modelBaseUrl: evil.url } },
      { environment, over: { modelBaseUrl: evil.url } },
    ]) {
      const other = await open(options)
      expect(other.current.values).toMatchObject({ modelBaseUrl: evil.url, modelApiKey: null })
      expect(other.current.messages.join()).toContain('is not sent to openai-compatible at')
      expect(warnings.join()).toContain('is not sent to')
    }
    expect((await open({ environment })).current.values.modelApiKey).toBe(KEY)
  })

  test('a key of the environment is for its own address and provider', async () => {
    const environment = { model: MODEL, modelBaseUrl: good.url, modelApiKey: KEY }
    for (const stored of [{ modelBaseUrl: evil.url }, { model: 'openai:x' }]) {
      const { settings } = await settingsWith(stored, { environment })
      expect(settings.current.values).not.toMatchObject({ ...stored, modelApiKey: KEY })
    }
    const { settings } = await settingsWith({ model: 'openai-compatible:y' }, { environment })
    expect(settings.current.values).toMatchObject({ model: 'openai-compatible:y', modelApiKey: KEY })
  })

  test('a fallback of another provider is not given it, unless both are at one address', async () => {
    const { settings } = await settingsWith({})
    const given = { model: 'anthropic:x', modelApiKey: KEY, fallbackModel: 'openai:y' }
    await expect(settings.change(given)).rejects.toThrow('whose key modelApiKey is')
    await settings.change({ ...given, modelBaseUrl: good.url })
    expect(settings.current.values.fallbackModel).toBe('openai:y')
  })

  test('PUT says what was taken away, GET that it is gone, and nothing more arrives there', async () => {
    const own = sqlitePlace()
    {
      await using client = await openClient(own, { environment: { policy: 'count', keepLast: 2 } })
      const fold = async () => {
        await client.call('POST', '/v1/sessions/s/messages', { messages: talk(12, 30) })
        return client.call('POST', '/v1/sessions/s/compact', { force: 'lite' })
      }
      const set = await client.call('PUT', '/v1/settings', bound())
      expect(set.json.messages).toBeUndefined()
      await fold()
      expect(good.requests.at(-1)?.headers.authorization).toBe(`Bearer ${KEY}`)
      const { json } = await client.call('PUT', '/v1/settings', { modelBaseUrl: evil.url })
      expect(json).toMatchObject({
        settings: { modelApiKey: false },
        messages: [expect.stringContaining('was taken away')],
      })
      expect((await client.call('GET', '/v1/settings')).json.settings.modelApiKey).toBe(false)
      const { length } = evil.requests
      await fold()
      expect(evil.requests.length).toBeGreaterThan(length)
    }
    await own.remove()
  })
})

describe('a redirect of a model', () => {
  const servers: Server[] = []
  afterEach(() => {
    for (const server of servers.splice(0)) server.close()
  })

  async function redirecting(status: number, to: string): Promise<string> {
    const server = createServer((request, response) => {
      request.resume()
      response.writeHead(status, { location: to }).end()
    })
    servers.push(server)
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`
  }

  test.each([301, 302, 303, 307, 308])('with %i is not followed, and is told with its host', async status => {
    const own = sqlitePlace()
    const { length } = evil.requests
    for (const [provider, path] of [
      ['openai-compatible', '/chat/completions'],
      ['anthropic', '/messages'],
      ['openai', '/responses'],
    ] as const) {
      const target = `${evil.url}${path}`
      const modelBaseUrl = await redirecting(status, `${target}?token=secret`)
      const environment = { model: `${provider}:x`, modelBaseUrl, modelApiKey: KEY }
      await using client = await openClient(own, { environment })
      const { status: answered, json } = await client.call('POST', '/v1/chat/completions', {
        ...{ model: 'x', user: provider },
        messages: [{ role: 'user', content: 'Hello' }],
      })
      expect(answered).toBe(502)
      expect(json.error).toMatchObject({
        code: 'model_redirected',
        message: expect.stringContaining(`to ${new URL(target).origin}. It is not followed`),
      })
      expect(JSON.stringify(json)).not.toMatch(/secret|sk-canary/)
      const folded = await client.call('POST', '/v1/sessions/s/messages', { messages: talk(12, 30) })
      expect(folded.status).toBe(201)
      await client.call('POST', '/v1/sessions/s/compact', { force: 'deep', policy: 'count', keepLast: 2 })
    }
    expect(evil.requests).toHaveLength(length)
    await own.remove()
  })
})
