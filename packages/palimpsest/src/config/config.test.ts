import { describe, expect, test } from 'vitest'
import { InvalidSettingsError } from '../errors.ts'
import { DEFAULT_EVENT_RETENTION_DAYS, MAX_EVENT_RETENTION_DAYS } from '../event-trimmer.ts'
import { LAYER_BUDGETS, layerBudgets } from '../memory/budgets.ts'
import { OLDER_NAMES, olderNames } from '../older-names.ts'
import { PRESETS } from '../policy/index.ts'
import { MIN_WINDOW_TOKENS } from '../summarizer/model/window.ts'
import {
  fillIn,
  findSetting,
  loadModel,
  policyOf,
  readEnvironment,
  readLayer,
  resolveSettings,
  SETTINGS,
  shownSettings,
} from './index.ts'

function problemsOf(action: () => unknown): readonly string[] {
  try {
    action()
  } catch (error) {
    if (error instanceof InvalidSettingsError) return error.details.problems.map(({ setting }) => setting)
    throw error
  }
  return []
}

describe('the schema', () => {
  test('knows every parameter of every preset, and its older names', () => {
    for (const parameters of Object.values(PRESETS))
      for (const name of Object.keys(parameters)) {
        expect(findSetting(name)?.name).toBe(name)
        for (const older of olderNames(name)) expect(findSetting(older)?.name).toBe(name)
      }
    for (const [name, older] of Object.entries(OLDER_NAMES))
      for (const each of [name, ...older]) expect(findSetting(each)?.name).toBe(name)
  })

  test('names each setting once, and takes its own default', () => {
    expect(new Set(SETTINGS.map(({ name }) => name)).size).toBe(SETTINGS.length)
    for (const { read, default: usual } of SETTINGS) expect(read(usual)).toEqual({ value: usual })
    expect(findSetting('fullContextTurns')?.environment).toBe('PALIMPSEST_FULL_CONTEXT_TURNS')
    expect(findSetting('modelBaseUrl')?.environment).toBe('PALIMPSEST_MODEL_BASE_URL')
    expect(findSetting('modelWindow')!.read(MIN_WINDOW_TOKENS)).toHaveProperty('value')
    expect(findSetting('modelWindow')!.read(MIN_WINDOW_TOKENS - 1)).toHaveProperty('allowed')
  })
})

describe('settings of memory', () => {
  const NAMES = {
    persona: 'personaTokens',
    global: 'globalMemoryTokens',
    user: 'userMemoryTokens',
    scope: 'scopeMemoryTokens',
    chat: 'chatMemoryTokens',
    daily: 'dailyLogTokens',
  }

  test('have the budgets that an instance has, and take what it takes', () => {
    expect(Object.keys(NAMES)).toEqual(Object.keys(LAYER_BUDGETS))
    for (const [layer, name] of Object.entries(NAMES)) {
      const setting = findSetting(name)!
      expect(setting.default).toBe(LAYER_BUDGETS[layer as keyof typeof LAYER_BUDGETS])
      for (const value of [99, 100, 1.5]) {
        const isTaken = 'value' in setting.read(value)
        const take = () => layerBudgets({ [layer]: value })
        if (isTaken) expect(take).not.toThrow()
        else expect(take).toThrow('a whole number of at least 100')
      }
    }
    expect(findSetting('dailyLogTokens')?.environment).toBe('PALIMPSEST_DAILY_LOG_TOKENS')
  })

  test('take what is one of theirs, or none', () => {
    const layer = { extract: 'batch', memoryOwner: 'u-7', personaTokens: '400' }
    expect(readLayer(layer, 'server')).toEqual({ ...layer, personaTokens: 400 })
    expect(readLayer({ extract: 'none', memoryOwner: 'none' }, 'server')).toEqual({
      extract: null,
      memoryOwner: null,
    })
    expect(readLayer({ memoryOwner: 'u-7, telegram:8' }, 'server')).toEqual({
      memoryOwner: 'u-7, telegram:8',
    })
    expect(problemsOf(() => readLayer({ memoryOwner: 'u-7,' }, 'server'))).toEqual(['memoryOwner'])
    const wrong = { extract: 'always', memoryOwner: '', chatMemoryTokens: 99, workspace: './x' }
    expect(problemsOf(() => readLayer(wrong, 'server')).toSorted()).toEqual(Object.keys(wrong).toSorted())
    expect(problemsOf(() => readLayer({ extract: 'off' }, 'request'))).toEqual(['extract'])
    expect(readEnvironment({ PALIMPSEST_WORKSPACE: './memory' }).layer).toEqual({ workspace: './memory' })
    expect(resolveSettings({}).values).toMatchObject({ extract: null, memoryOwner: null, workspace: null })
  })
})

describe('settings resolve', () => {
  test('request over session over stored over environment over default', () => {
    const layers = {
      request: { fullContextTurns: 1 },
      session: { fullContextTurns: 2, cachedContextTurns: 2 },
      stored: { fullContextTurns: 3, cachedContextTurns: 3, policy: 'rounds' },
      environment: { policy: 'count', threshold: 7 },
    }
    const { values, sources } = resolveSettings(layers)
    expect(values).toMatchObject({
      policy: 'rounds',
      fullContextTurns: 1,
      cachedContextTurns: 2,
      threshold: 7,
      keepLast: 7,
    })
    expect(sources).toMatchObject({
      policy: 'stored',
      fullContextTurns: 'request',
      cachedContextTurns: 'session',
      threshold: 'environment',
      keepLast: 'default',
    })
  })

  test('a default is that of the chosen policy', () => {
    expect(resolveSettings({}).values['budget']).toBe(16_000)
    expect(resolveSettings({ stored: { policy: 'rounds' } }).values['budget']).toBeNull()
  })

  test('what belongs to another policy waits until that one is chosen', () => {
    const stored = { threshold: 5, keepLast: 9 }
    expect(policyOf(resolveSettings({ stored: { ...stored, policy: 'tokens' } })).name).toBe('tokens')
    expect(problemsOf(() => policyOf(resolveSettings({ stored: { ...stored, policy: 'count' } })))).toEqual([
      'keepLast',
    ])
  })

  test('numbers of one policy choose it where none is named in their layer or above', () => {
    const chosen = (layers: Parameters<typeof resolveSettings>[0]) => {
      const resolved = resolveSettings(layers)
      return [policyOf(resolved).name, resolved.sources['policy'], resolved.policyChosenBy ?? null]
    }
    const A = { fullContextTurns: 1 }
    for (const layer of ['request', 'session', 'file', 'stored', 'environment'] as const)
      expect(chosen({ [layer]: A })).toEqual(['rounds', layer, ['fullContextTurns']])
    expect(chosen({ stored: A, environment: { policy: 'window' } })[0]).toBe('rounds')
    expect(chosen({ stored: { policy: 'window' }, environment: A })[0]).toBe('window')
    expect(chosen({ stored: { ...A, policy: 'window' } })).toEqual(['window', 'stored', null])
    expect(chosen({ request: { threshold: 3 }, stored: A })[0]).toBe('count')
    // What every policy has says nothing.
    expect(chosen({ stored: { budget: 900, boundary: 'turn', lowWater: 0.5 } })[0]).toBe('tokens')
    expect(chosen({})).toEqual(['tokens', 'default', null])
  })

  test('numbers of several without a policy are refused; what is stored is told, and the next layer holds', () => {
    const both = { fullContextTurns: 1, threshold: 5 }
    for (const layer of ['request', 'file'] as const)
      expect(() => policyOf(resolveSettings({ [layer]: both }))).toThrow(
        'threshold for count; fullContextTurns for rounds',
      )
    expect(() => policyOf(resolveSettings({ environment: both }))).toThrow(
      /PALIMPSEST_POLICY.*PALIMPSEST_THRESHOLD for count; PALIMPSEST_FULL_CONTEXT_TURNS for rounds/,
    )
    expect(policyOf(resolveSettings({ stored: { policy: 'count' }, environment: both })).name).toBe('count')
    for (const layer of ['session', 'stored'] as const) {
      const resolved = resolveSettings({ [layer]: both })
      expect(policyOf(resolved).name).toBe('tokens')
      expect(resolved.messages.join()).toContain('numbers of several policies are set')
    }
  })

  test('events are kept for days, or for ever', () => {
    const daysOf = (text: string) =>
      resolveSettings({ environment: readEnvironment({ PALIMPSEST_EVENT_RETENTION_DAYS: text }).layer })
        .values.eventRetentionDays
    expect([daysOf(''), daysOf('7'), daysOf('none')]).toEqual([DEFAULT_EVENT_RETENTION_DAYS, 7, null])
    for (const text of ['0', '-1', '1.5', String(MAX_EVENT_RETENTION_DAYS + 1), 'week'])
      expect(problemsOf(() => daysOf(text))).toEqual(['PALIMPSEST_EVENT_RETENTION_DAYS'])
    expect(daysOf(String(MAX_EVENT_RETENTION_DAYS))).toBe(MAX_EVENT_RETENTION_DAYS)
  })

  test('none is a value too', () => {
    const stored = readLayer({ policy: 'resize', everyNTurns: 0, maxMessagesTextLength: 'none' }, 'server')
    const resolved = resolveSettings({ stored })
    expect(resolved.values).toMatchObject({ everyNTurns: null, maxMessagesTextLength: null })
    expect(policyOf(resolved).rules).toEqual([])
  })

  test('a secret is never shown', () => {
    const stored = { modelApiKey: 'sk-very-secret', model: 'anthropic:claude-haiku-4-5' }
    const shown = shownSettings(resolveSettings({ stored }))
    expect(JSON.stringify(shown)).not.toContain('very-secret')
    expect(shown.settings).toMatchObject({ modelApiKey: true, model: 'anthropic:claude-haiku-4-5' })
    expect(shownSettings(resolveSettings({})).settings['modelApiKey']).toBe(false)
    expect(shown.settings).not.toHaveProperty('port')
  })
})

describe('a layer', () => {
  test('names all problems at once', () => {
    const input = {
      fullContextTurns: 0,
      threshold: 'many',
      fullContextTurn: 3,
      zone: 'Mars',
      port: 1,
      policy: 'x',
    }
    expect(problemsOf(() => readLayer(input, 'server')).toSorted()).toEqual(Object.keys(input).toSorted())
    expect(problemsOf(() => readLayer({ modelApiKey: 'x', zone: 'UTC' }, 'request'))).toEqual([
      'modelApiKey',
      'zone',
    ])
  })

  test('takes older names; the newest wins', () => {
    expect(
      readLayer(
        { 'session.resize.max_current_chars': 1, 'session.resize.max_messages_text_length': 2 },
        'request',
      ),
    ).toEqual({ maxMessagesTextLength: 2 })
    expect(readLayer({ max_current_chars: 1, maxMessagesTextLength: 3 }, 'request')).toEqual({
      maxMessagesTextLength: 3,
    })
  })

  test('takes the names in which people have them, also as objects; a name that is written out wins', () => {
    const window = { context_size: 60, tail_keep_size: 30, compression_window_size: '10' }
    expect(
      readLayer({ ...window, compression_cooldown_sec: 5, compression_hard_limit: 20 }, 'request'),
    ).toEqual({
      contextSize: 60,
      tailKeepSize: 30,
      compressionWindowSize: 10,
      compressionCooldownSec: 5,
      compressionHardLimit: 20,
    })
    const inside = { fullContextTurns: 6, cachedContextTurns: 2 }
    const flat = { fullContextTurns: 6, cachedContextTurns: 2 }
    expect(readLayer({ 'agent.contextWindow': inside }, 'server')).toEqual(flat)
    expect(readLayer({ agent: { contextWindow: inside } }, 'server')).toEqual(flat)
    expect(readLayer({ 'agent.contextWindow': inside, fullContextTurns: 9 }, 'server')).toEqual({
      ...flat,
      fullContextTurns: 9,
    })
    const session = { resize: { every_n_turns: 3 }, memo: { instruct: ['Keep names.', 'Keep dates.'] } }
    expect(readLayer({ session }, 'server')).toEqual({
      everyNTurns: 3,
      memoInstructions: 'Keep names.\nKeep dates.',
    })
    expect(problemsOf(() => readLayer({ 'agent.contextWindow': { A: 1 } }, 'server'))).toEqual([
      'agent.contextWindow.A',
    ])
    expect(problemsOf(() => readLayer({ 'agent.contextWindow': 4 }, 'server'))).toEqual([
      'agent.contextWindow',
    ])
  })

  test('a secret that cannot be taken is not repeated', () => {
    expect(() => readLayer({ modelApiKey: 'hunter2 with spaces' }, 'server')).toThrow(/modelApiKey: "…"/)
  })
})

describe('the environment', () => {
  test('is read as text; what is empty is not set, what is unknown is a warning', () => {
    const { layer, warnings } = readEnvironment({
      PALIMPSEST_FULL_CONTEXT_TURNS: ' 6 ',
      PALIMPSEST_POLICY: 'rounds',
      PALIMPSEST_MODEL: '',
      PALIMPSEST_FULL_CONTEXT: '4',
      OTHER: 'x',
    })
    expect(layer).toEqual({ policy: 'rounds', fullContextTurns: 6 })
    expect(warnings).toEqual(['PALIMPSEST_FULL_CONTEXT is no setting of palimpsest and is not used'])
  })

  test('older names have variables, too; the newest wins', () => {
    const { layer, warnings } = readEnvironment({
      PALIMPSEST_SESSION_MEMO_INSTRUCT: 'Keep names.',
      PALIMPSEST_SESSION_RESIZE_EVERY_N_TURNS: '3',
      PALIMPSEST_EVERY_N_TURNS: '5',
      PALIMPSEST_MAX_CURRENT_CHARS: '900',
      PALIMPSEST_AGENT_CONTEXT_WINDOW_FULL_CONTEXT_TURNS: '2',
    })
    expect(layer).toEqual({
      memoInstructions: 'Keep names.',
      everyNTurns: 5,
      maxMessagesTextLength: 900,
      fullContextTurns: 2,
    })
    expect(warnings).toEqual([])
    expect(problemsOf(() => readEnvironment({ PALIMPSEST_MAX_CURRENT_CHARS: 'many' }))).toEqual([
      'PALIMPSEST_MAX_CURRENT_CHARS',
    ])
  })

  test('what is wrong is refused under the name of the variable', () => {
    const environment = { PALIMPSEST_FULL_CONTEXT_TURNS: '0', PALIMPSEST_MODEL: 'qwen3' }
    expect(problemsOf(() => readEnvironment(environment))).toEqual(Object.keys(environment))
    const resolved = resolveSettings({ environment: { policy: 'count', threshold: 2 } })
    expect(resolved.values['keepLast']).toBe(2)
    expect(problemsOf(() => policyOf(resolved))).toEqual([])
    const own = resolveSettings({ environment: { policy: 'count', threshold: 2, keepLast: 5 } })
    expect(problemsOf(() => policyOf(own))).toEqual(['PALIMPSEST_KEEP_LAST'])
  })
})

describe('a text with variables', () => {
  const filled = (text: string) => fillIn(text, { NAME: 'Bo', OTHER: '$' + '{NAME}', EMPTY: ' ' })
  const variable = (name: string) => `$${`{${name}}`}`

  test('has them from the environment, and nothing of what they say is filled in again', () => {
    expect(filled(`${variable('NAME')} and ${variable('OTHER')}, 5 $`)).toEqual({
      text: `Bo and ${variable('NAME')}, 5 $`,
    })
    expect(filled(`$${variable('NAME')}`)).toEqual({ text: variable('NAME') })
  })

  test('says which are not set, and where there is no name', () => {
    const missing = ['EMPTY', 'GONE', 'toString']
    expect(filled([...missing, 'GONE', 'NAME'].map(variable).join())).toEqual({ missing })
    for (const text of [variable(''), variable('a b'), variable('A:-b'), '$' + '{NAME'])
      expect(filled(text)).toEqual({ unreadable: true })
  })
})

describe('a model', () => {
  const nothing = { modelBaseUrl: null, modelApiKey: null }

  test('is loaded by provider and name', async () => {
    const access = { modelBaseUrl: 'http://127.0.0.1:1/v1', modelApiKey: 'k' }
    expect(await loadModel('openai-compatible:qwen3:8b', access)).toMatchObject({ modelId: 'qwen3:8b' })
    expect(await loadModel('anthropic:claude-haiku-4-5', access)).toMatchObject({
      modelId: 'claude-haiku-4-5',
    })
    expect(await loadModel('openai:gpt-5', access)).toMatchObject({ modelId: 'gpt-5' })
  })

  test('says what it needs, and under which names', async () => {
    await expect(loadModel('openai-compatible:qwen3', nothing)).rejects.toThrow(
      'set modelBaseUrl or PALIMPSEST_MODEL_BASE_URL',
    )
    await expect(loadModel('anthropic:claude-haiku-4-5', nothing)).rejects.toThrow(
      'set modelApiKey or PALIMPSEST_MODEL_API_KEY',
    )
  })
})
