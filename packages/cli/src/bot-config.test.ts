import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Channel } from '@palimpsest/bot/internals/channel'
import fc from 'fast-check'
import { InvalidSettingsError } from 'palimpsest/internals/errors'
import { afterAll, afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { readBotConfig } from './bot-config.ts'
import { readBotFile } from './bot-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-bot-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

beforeEach(() => {
  vi.stubEnv('TELEGRAM_TOKEN', TOKEN)
  vi.stubEnv('EMPTY', ' ')
})
afterEach(() => vi.unstubAllEnvs())

function file(name: string, content: string): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

const TOKEN = '42:AAE-secret-of-twenty-and-more'
const VARIABLE = '$' + '{TELEGRAM_TOKEN}'
const TELEGRAM = { type: 'telegram', token: VARIABLE }

class OwnChannel implements Channel {
  readonly name = 'own'
  async start() {}
  async stop() {}
  async send() {
    return { id: '1' }
  }
}

function failure(given: unknown): InvalidSettingsError {
  try {
    readBotConfig(given, folder)
  } catch (error) {
    if (error instanceof InvalidSettingsError) return error
    throw error
  }
  throw new Error('it was taken')
}

function throwing(field: string, others: object = {}): object {
  const get = () => {
    throw new Error(`boom ${TOKEN}`)
  }
  return Object.defineProperty({ ...others }, field, { enumerable: true, get })
}

const wrongPaths = (given: unknown) => failure(given).details.problems.map(({ setting }) => setting)

describe("a bot's file", () => {
  test('the least', () => {
    expect(readBotConfig({ channels: [TELEGRAM] }, folder)).toEqual({
      namespace: 'default',
      settings: {},
      channels: [{ type: 'telegram', name: 'telegram', token: TOKEN }],
    })
  })

  test('everything', () => {
    file('persona.md', '\uFEFFYou are Pal.\r\n')
    const own = new OwnChannel()
    const given = {
      db: 'data/bot.db',
      namespace: 'shop',
      settings: {
        policy: 'tokens',
        budget: '8000',
        workspace: 'memory',
        model: 'anthropic:claude-haiku-4-5',
      },
      instructions: { file: 'persona.md' },
      channels: [{ ...TELEGRAM, name: 'support', apiRoot: 'http://127.0.0.1:8081', pollTimeoutSec: 30 }, own],
      inbox: { quietMs: 0, mostMs: 10_000, groupsBy: 'chat' },
      privates: { seen: ['support:1'], triggeredBy: 'all' },
      groups: {
        ...{ seen: 'addressed', triggeredBy: ['support:1', 'own:2'], mention: true, reply: false },
        ...{ names: ['Pal'], proactive: () => true, proactivePerHour: 0 },
      },
      turns: {
        ...{ during: 'join', timeoutMs: 1, attempts: 1, backoffMs: 0 },
        ...{ failureText: null, concurrency: 8 },
      },
      tools: { clock: { description: 'Says what time it is.' } },
      belongsTo: () => ({ scope: 'shop' }),
    }
    const read = readBotConfig(given, folder)
    expect(read).toEqual({
      ...given,
      db: join(folder, 'data/bot.db'),
      settings: { ...given.settings, budget: 8000, workspace: join(folder, 'memory') },
      instructions: 'You are Pal.',
      channels: [{ ...given.channels[0], token: TOKEN }, own],
    })
    expect(read.channels[1]).toBe(own)
  })

  test('names all problems at once, by their paths, with the nearest name', () => {
    const error = failure({
      sotre: 'postgres://localhost/x',
      db: '',
      settings: { budgte: 1, budget: -1, port: 8787, zone: 'Mars' },
      instructions: { fil: 'x' },
      channels: [{ type: 'telegram', tokn: 'hunter2' }, { type: 'telegarm' }, 'telegram'],
      inbox: { quietMs: -1, quiet: 5 },
      groups: { seen: 'some', names: 'Pal', mention: 'yes', proactive: true },
      turns: { during: 'wait', attempts: 0, failureText: 7 },
      tools: 'all',
    })
    expect(error.details.problems.map(({ setting }) => setting).toSorted()).toEqual(
      [
        ...['sotre', 'db', 'settings.budgte', 'settings.budget', 'settings.port', 'settings.zone'],
        ...['instructions.fil', 'channels[0].tokn', 'channels[0].token', 'channels[1].type', 'channels[2]'],
        ...['inbox.quietMs', 'inbox.quiet', 'groups.seen', 'groups.names', 'groups.mention'],
        ...['groups.proactive', 'turns.during', 'turns.attempts', 'turns.failureText', 'tools'],
      ].toSorted(),
    )
    expect(error.message).toContain('channels[0].tokn is no setting here; allowed: token (the nearest); ')
    expect(error.message).toContain('sotre is no setting here; allowed: store (the nearest); ')
    expect(error.message).toContain('settings.budgte is no setting here; allowed: budget (the nearest); ')
    expect(error.message).toContain('turns.during: "wait" cannot be taken; allowed: queue, join, interrupt')
    expect(error.message).toContain('groups.proactive: true cannot be taken; allowed: a function')
    expect(JSON.stringify(error)).not.toContain('hunter2')
  })

  test.each([
    [{}, ['channels']],
    [{ channels: [] }, ['channels']],
    [{ channels: TELEGRAM }, ['channels']],
    [{ channels: [TELEGRAM, { ...TELEGRAM, apiRoot: 'here' }] }, ['channels[1].apiRoot', 'channels[1].name']],
    [{ channels: [{ ...TELEGRAM, name: 'a:b' }] }, ['channels[0].name']],
    [{ channels: [{ name: 'own', start() {}, send() {} }] }, ['channels[0]']],
    [{ channels: [TELEGRAM], db: 'x.db', store: 'postgres://localhost/x' }, ['db']],
    [{ channels: [TELEGRAM], store: 'bot.db' }, ['store']],
    [{ channels: [TELEGRAM], store: 'postgres://bob@127.0.0.1:1:x/x' }, ['store']],
    [{ channels: [TELEGRAM], instructions: {} }, ['instructions']],
    [{ channels: [TELEGRAM], instructions: { file: 'nowhere.md' } }, ['instructions.file']],
    [{ channels: [TELEGRAM], instructions: ' ' }, ['instructions']],
    [{ channels: [TELEGRAM], namespace: 7 }, ['namespace']],
    [{ channels: [TELEGRAM], groups: { triggeredBy: [7] } }, ['groups.triggeredBy']],
    [{ channels: [TELEGRAM], groups: { triggeredBy: ['telegram:7', '7'] } }, ['groups.triggeredBy[1]']],
    [{ channels: [TELEGRAM], privates: { triggeredBy: ['telegram:'] } }, ['privates.triggeredBy[0]']],
    [{ channels: [7], privates: { triggeredBy: ['telegram:7'] } }, ['channels[0]']],
    [{ channels: [{ ...TELEGRAM, token: undefined }] }, ['channels[0].token']],
    [{ channels: [{ ...TELEGRAM, apiRoot: 'ftp://127.0.0.1' }] }, ['channels[0].apiRoot']],
    [{ channels: [{ ...TELEGRAM, apiRoot: 'http://127.0.0.1/?x=1' }] }, ['channels[0].apiRoot']],
    [{ channels: [{ ...TELEGRAM, apiRoot: 'http://127.0.0.1/?' }] }, ['channels[0].apiRoot']],
    [{ channels: [{ ...TELEGRAM, apiRoot: `http://127.0.0.1/bot${TOKEN}` }] }, ['channels[0].apiRoot']],
    [
      { channels: [{ ...TELEGRAM, pollTimeoutSec: 51, editEveryMs: 0 }] },
      ['channels[0].editEveryMs', 'channels[0].pollTimeoutSec'],
    ],
    [{ channels: [TELEGRAM], turns: { timeoutMs: 2 ** 31 } }, ['turns.timeoutMs']],
    [{ channels: [TELEGRAM], inbox: null }, ['inbox']],
    [{ channels: [TELEGRAM], responder: 'yes' }, ['responder']],
    [
      { channels: [TELEGRAM], responder: () => 'yes', instructions: 'x', tools: {} },
      ['instructions', 'tools'],
    ],
    [[], ['the file']],
  ])('%j is refused', (given, paths) => {
    expect(wrongPaths(given).toSorted()).toEqual(paths)
  })

  test('ids of people are as belongsTo gives them', () => {
    const given = {
      channels: [TELEGRAM],
      privates: { triggeredBy: ['ann'] },
      belongsTo: () => ({ user: 'ann' }),
    }
    expect(readBotConfig(given, folder).privates).toEqual({ triggeredBy: ['ann'] })
  })

  test('variables: every one that is missing is named, and what stands beside it is not shown', () => {
    const variable = (name: string) => `$${`{${name}}`}`
    const given = {
      store: `postgres://bob:hunter2@${variable('NOWHERE')}/${variable('EMPTY')}`,
      instructions: `Say ${variable('a b')}`,
      channels: [{ ...TELEGRAM, token: `hunter2${variable('NOBODY')}` }],
      groups: { names: ['Pal', variable('NAME_OF_NOBODY')] },
    }
    const error = failure(given)
    expect(wrongPaths(given)).toEqual([
      'store',
      'store',
      'instructions',
      'channels[0].token',
      'groups.names[1]',
    ])
    for (const name of ['NOWHERE', 'EMPTY', 'NOBODY', 'NAME_OF_NOBODY'])
      expect(error.message).toContain(`; ${name} is not`)
    expect(JSON.stringify(error)).not.toContain('hunter2')
  })

  test('a value that came from a variable is not shown', () => {
    vi.stubEnv('SECRET', 'hunter 2')
    const variable = '$' + '{SECRET}'
    const error = failure({
      store: variable,
      settings: { model: variable, modelApiKey: variable, policy: variable },
      channels: [{ type: 'telegram', token: variable, apiRoot: variable, name: variable }],
      turns: { during: variable },
      groups: { triggeredBy: [variable] },
    })
    expect(error.details.problems).toHaveLength(9)
    expect(JSON.stringify(error)).not.toContain('hunter')
    const both = { db: variable, store: 'postgres://localhost/x' }
    const later = failure({ channels: [TELEGRAM], instructions: { file: variable }, ...both })
    expect(later.details.problems).toHaveLength(2)
    expect(JSON.stringify(later)).not.toContain('hunter')
  })

  test.each(['postgres://bob@/x', 'postgres:///x', 'postgresql://bob:a b@host:5432/x?sslmode=require'])(
    'the database %s is one that pg takes',
    store => {
      expect(readBotConfig({ channels: [TELEGRAM], store }, folder).store).toBe(store)
    },
  )

  const KEY = `sk-${'proj'}-4fK9xQ2mZ7pL0vR8hunter2bN3cT6yW1dJ5gH`
  test.each<[string, unknown]>([
    ['as the file', TOKEN],
    ['as the channels', { channels: TOKEN }],
    ['as a type', { channels: [{ type: TOKEN }] }],
    ['as a name', { channels: [{ ...TELEGRAM, name: TOKEN }] }],
    ['as a name of a field', { channels: [TELEGRAM], [TOKEN]: 1, settings: { [TOKEN]: 1 } }],
    ['as an id', { channels: [TELEGRAM], groups: { triggeredBy: [TOKEN] } }],
    ['in an address', { channels: [{ ...TELEGRAM, token: 'x', apiRoot: `telegram.org/bot${TOKEN}/` }] }],
    [
      'in an address, encoded',
      { channels: [{ ...TELEGRAM, apiRoot: `http://t.org/bot${encodeURIComponent(TOKEN)}/` }] },
    ],
    ['a password', { channels: [{ ...TELEGRAM, apiRoot: 'http://bob:hunter2@127.0.0.1:1/?x=1' }] }],
    ['a password with a slash', { channels: [{ ...TELEGRAM, apiRoot: 'ftp://bob:hun/hunter2@127.0.0.1' }] }],
    ['a password without a scheme', { channels: [{ ...TELEGRAM, apiRoot: 'bob:hunter2@127.0.0.1' }] }],
    ['a query', { channels: [{ ...TELEGRAM, apiRoot: 'http://127.0.0.1/?key=hunter2' }] }],
    ['a key of a provider', { channels: [TELEGRAM], turns: { during: KEY } }],
    ['a key where a policy is expected', { channels: [TELEGRAM], settings: { policy: KEY } }],
  ])('a secret in the wrong place is not shown: %s', (_, given) => {
    const error = failure(given)
    expect(error.message + JSON.stringify(error)).not.toMatch(/secret-of-twenty|hunter2/)
  })

  test('what is wrong with a value can still be seen', () => {
    const apiRoot = 'ftp://bob:hunter2@127.0.0.1:8081/api?key=x'
    expect(failure({ channels: [{ ...TELEGRAM, apiRoot }] }).message).toContain(
      'channels[0].apiRoot: "ftp://***@127.0.0.1:8081/api?***" cannot be taken; allowed: an http or https URL',
    )
  })

  test.each<[string, object]>([
    ['instructions', throwing('instructions')],
    ['channels', throwing('channels')],
    ['groups.seen', { groups: throwing('seen') }],
    ['channels[0].token', { channels: [throwing('token', { type: 'telegram' })] }],
  ])('a getter that throws is a problem of its field: %s', (path, given) => {
    const whole = Object.defineProperties({ channels: [TELEGRAM] }, Object.getOwnPropertyDescriptors(given))
    const { problems } = failure(whole).details
    expect(problems).toEqual([
      { setting: path, value: '…', allowed: expect.stringContaining('(Error: boom') },
    ])
    expect(problems[0]!.allowed).not.toContain('secret-of')
  })

  test('whatever it is given, it answers or names what is wrong', () => {
    fc.assert(
      fc.property(fc.object({ key: fc.constantFrom('channels', 'settings', 'groups', 'x', 'db') }), given => {
        expect(failure({ ...given, y: 1 }).details.problems.length).toBeGreaterThan(0)
      }),
    )
  })
})

describe('the file itself', () => {
  const JSON_TEXT = JSON.stringify({ channels: [TELEGRAM] }, null, 2)

  test('with a mark at its beginning and the line ends of Windows', async () => {
    const path = file('windows.json', `\uFEFF${JSON_TEXT.replaceAll('\n', '\r\n')}`)
    expect((await readBotFile(path)).channels).toMatchObject([{ token: TOKEN }])
  })

  test('a module, in TypeScript too', async () => {
    const path = file(
      'bot.mts',
      `const channels: unknown[] = [{ name: 'own', async start() {}, async stop() {}, async send() { return { id: '1' } } }]
       export default { channels, groups: { proactive: () => true } }`,
    )
    const { channels, groups } = await readBotFile(path)
    expect(channels[0]!.name).toBe('own')
    expect(groups!.proactive).toBeTypeOf('function')
  })

  test.each([
    ['none.json', undefined, /none\.json does not exist\. .*"channels": \[/s],
    ['bot.yaml', 'channels: []', /a file that ends in \.json, \.js, \.mjs, \.ts, \.mts/],
    ['broken.mjs', 'export default {', /a module that can be loaded \(/],
    ['nothing.mjs', 'export const channels = []', /a module with a default export/],
    ['throws.mjs', `throw new Error('no ${TOKEN}')`, /a module that can be loaded \(Error: no 42:\*\*\*\)/],
    [
      'getter.mjs',
      'export default { get channels() { throw new Error("boom") } }',
      /channels: .* reading it failed \(Error: boom\)/,
    ],
    ['comma.json', '{\n  "a": 1,\n}', /JSON \(.*line 3 column 1\)/],
    ['empty.json', '', /JSON \(Unexpected end/],
  ])('%s is refused', async (name, content, message) => {
    const path = content === undefined ? join(folder, name) : file(name, content)
    await expect(readBotFile(path)).rejects.toThrow(message)
  })

  test('what stands around a mistake is not shown', async () => {
    const path = file('leak.json', '{ "token": "hunter2" , "channels": hunter2 }')
    await expect(readBotFile(path)).rejects.toThrow(/JSON \(Unexpected token 'h'\)/)
  })
})
