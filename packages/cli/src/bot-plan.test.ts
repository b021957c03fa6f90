import { join, resolve } from 'node:path'
import { resolveSettings } from 'palimpsest/internals/config/index'
import { expect, test } from 'vitest'
import type { BotConfig } from './bot-config.ts'
import { checkBot, placeOf, planBot } from './bot-plan.ts'

const FILE = join('bots', 'bot.json')
const CONFIG: BotConfig = {
  namespace: 'default',
  settings: {},
  channels: [{ type: 'telegram', name: 'telegram', token: '42:AAE-a-token-of-twenty-and-more' }],
}

test('the memory is where the file says, else the environment, else beside the file', () => {
  const url = 'postgres://localhost/bots'
  const place = (config: Partial<BotConfig>, environment = {}) =>
    placeOf({ ...CONFIG, ...config }, FILE, environment)
  expect(place({})).toEqual({ db: resolve('bots', 'palimpsest.db') })
  expect(place({}, { db: 'here.db' })).toEqual({ db: 'here.db' })
  expect(place({}, { store: url })).toMatchObject({ store: url })
  expect(place({ store: url }, { db: 'here.db' })).toMatchObject({ store: url })
  // Who names a file means it.
  expect(place({ db: 'own.db' }, { store: url })).toEqual({ db: 'own.db' })
})

test("the file's settings go over those stored, and these over the environment's", async () => {
  const environment = { policy: 'count', zone: 'Europe/Paris', workspace: './memory' }
  const stored = { policy: 'window', zone: 'Asia/Tokyo' }
  const plan = (settings: BotConfig['settings']) =>
    planBot({ ...CONFIG, settings }, resolveSettings({ session: settings, stored, environment }))
  expect(await plan({ policy: 'rounds' })).toMatchObject({
    workspace: './memory',
    summary: { policy: 'rounds', answers: 'search', model: null },
  })
  expect(await plan({})).toMatchObject({ summary: { policy: 'window' } })
})

test('what answers: a model, a search, or what the file brings', async () => {
  const settings = { model: 'openai-compatible:qwen3', modelBaseUrl: 'http://127.0.0.1:1/v1' }
  const responder = async () => 'yes'
  expect((await checkBot({ ...CONFIG, settings }, {})).summary.answers).toBe('model')
  const own = await checkBot({ ...CONFIG, settings, responder }, {})
  expect(own).toMatchObject({ responder, summary: { answers: 'own', model: 'openai-compatible:qwen3' } })
})
