import { afterAll, describe, expect, test } from 'vitest'
import type { Layer } from '../../packages/palimpsest/src/config/index.ts'
import { LiveSettings } from '../../packages/server/src/index.ts'
import { sqlitePlace } from '../stores.ts'

const place = sqlitePlace()
afterAll(() => place.remove())

/** The settings of one server after another on the same store. */
async function withStored(stored: Record<string, unknown>) {
  const store = await place.open()
  await store.open()
  const namespace = crypto.randomUUID()
  await store.settings.writeSettings(namespace, stored as never)
  const start = async (environment: Layer = {}) => {
    const warnings: string[] = []
    const settings = new LiveSettings({
      store,
      namespace,
      environment,
      onWarning: warning => warnings.push(warning),
    })
    const configuration = await settings.load()
    return { settings, warnings, configuration }
  }
  return { start, [Symbol.asyncDispose]: () => store.close() }
}

const URL = 'http://127.0.0.1:1/v1'

describe('stored settings never keep a server from starting', () => {
  test('a model whose address is gone is left out, and is back with the address', async () => {
    await using server = await withStored({ model: 'openai-compatible:qwen3', fallbackModel: 'none' })
    const { settings, warnings, configuration } = await server.start()
    expect(configuration.summarizer).toMatchObject({ name: 'extractive' })
    expect(settings.current.values.model).toBeNull()
    expect(warnings).toEqual([expect.stringContaining('The stored setting model is not used')])
    // Something else can be changed meanwhile.
    await settings.change({ zone: 'Asia/Shanghai' })
    expect(settings.current.values).toMatchObject({ model: null, zone: 'Asia/Shanghai' })
    await settings.change({ modelBaseUrl: URL })
    expect(settings.current.values.model).toBe('openai-compatible:qwen3')
    expect((await server.start()).warnings).toEqual([])
  })

  test('of two models only the one that cannot be loaded', async () => {
    await using server = await withStored({
      model: 'openai-compatible:qwen3',
      modelBaseUrl: URL,
      fallbackModel: 'anthropic:claude-haiku-4-5',
    })
    const { settings, warnings } = await server.start()
    expect(settings.current.values).toMatchObject({ model: 'openai-compatible:qwen3', fallbackModel: null })
    expect(warnings).toEqual([expect.stringContaining('The stored setting fallbackModel is not used')])
  })

  test.each([
    [{ policy: 'count', threshold: 5, keepLast: 8 }, {}, ['keepLast'], { policy: 'count', threshold: 5 }],
    [{ policy: 'window', contextSize: 30 }, {}, ['contextSize'], { policy: 'window', contextSize: 75 }],
    [{ policy: 'window' }, { policy: 'tokens', contextSize: 30 }, ['policy'], { policy: 'tokens' }],
    [{ policy: 'tokens', budget: 'none' }, {}, ['budget'], { budget: 16_000 }],
    [{ threshold: 5 }, { policy: 'count', keepLast: 8 }, ['threshold'], { threshold: 20, keepLast: 8 }],
    [{ modelBaseUrl: 'none' }, { model: 'openai-compatible:x', modelBaseUrl: URL }, ['modelBaseUrl'], {}],
  ])('%j over %j', async (stored, environment, left, values) => {
    await using server = await withStored(stored)
    const { settings, warnings } = await server.start(environment as Layer)
    expect(warnings).toEqual(
      left.map(name => expect.stringContaining(`The stored setting ${name} is not used`)),
    )
    expect(settings.current.values).toMatchObject(values)
  })

  test('an environment that does not fit together still does', async () => {
    await using server = await withStored({ boundary: 'turn' })
    await expect(server.start({ policy: 'count', threshold: 2, keepLast: 5 })).rejects.toThrow(
      'PALIMPSEST_KEEP_LAST',
    )
    // It chooses its policy, which has no room for the tail that is usual there.
    await expect(server.start({ contextSize: 30 })).rejects.toThrow('less than contextSize (30)')
  })

  test('a change is checked against what another server stored meanwhile', async () => {
    await using server = await withStored({ policy: 'count' })
    const one = await server.start()
    const other = await server.start()
    await one.settings.change({ threshold: 5 })
    await expect(other.settings.change({ keepLast: 8 })).rejects.toThrow('at most threshold (5)')
    await other.settings.change({ keepLast: 4 })
    expect(other.settings.current.values).toMatchObject({ threshold: 5, keepLast: 4 })
  })
})

test('what was read can be written back', async () => {
  await using server = await withStored({ policy: 'count', threshold: 5, modelApiKey: 'sk-secret' })
  const { settings } = await server.start()
  const { shownSettings } = await import('../../packages/palimpsest/src/config/index.ts')
  const shown = shownSettings(settings.current).settings
  expect(shown).toMatchObject({ modelApiKey: true, keepLast: 5 })
  await settings.change(shown)
  expect(settings.current.values.modelApiKey).toBe('sk-secret')
  await settings.change({ modelApiKey: false })
  expect(settings.current.values.modelApiKey).toBe('sk-secret')
})

test('a timeout is a whole number of milliseconds', async () => {
  await using server = await withStored({ modelTimeoutSec: 0.0005 })
  expect((await server.start()).configuration.summarizerTimeoutMs).toBe(1)
})
