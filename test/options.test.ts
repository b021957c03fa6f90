import { globSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { afterEach, describe, expect, test } from 'vitest'
import { telegram } from '../packages/bot/src/channels/telegram/index.ts'
import { createRuntime, modelResponder, searchResponder, TerminalChannel } from '../packages/bot/src/index.ts'
import { memoryMiddleware } from '../packages/palimpsest/src/adapters/ai-sdk/index.ts'
import { palimpsestMiddleware } from '../packages/palimpsest/src/adapters/langchain/index.ts'
import { palimpsestProcessor } from '../packages/palimpsest/src/adapters/mastra/index.ts'
import { agentsSession } from '../packages/palimpsest/src/adapters/openai-agents/index.ts'
import { createClassic } from '../packages/palimpsest/src/classic/index.ts'
import {
  count,
  createPalimpsest,
  custom,
  modelSummarizer,
  type Palimpsest,
  postgres,
  resize,
  rounds,
  type Session,
  sqlite,
  tokens,
  window,
} from '../packages/palimpsest/src/index.ts'
import { backupSqlite } from '../packages/palimpsest/src/store/sqlite/index.ts'
import { scriptedModel, startModelServer } from '../packages/palimpsest/src/testing/index.ts'
import { FoldWorker } from '../packages/palimpsest/src/worker/index.ts'
import { compare, openTranscripts, replay, toSessionFile } from '../packages/replay/src/index.ts'
import { LiveSettings, openApp, startServer } from '../packages/server/src/index.ts'
import { handleMcp, serveMcpOverStdio } from '../packages/server/src/mcp/index.ts'
import { PACKAGES } from '../scripts/packages.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(): Promise<{ palimpsest: Palimpsest; chat: Session }> {
  const palimpsest = await createPalimpsest({ store: sqlite(':memory:'), folding: 'manual' })
  cleanups.push(() => palimpsest.close())
  const chat = palimpsest.session('s', { user: 'ann', scope: 'home' })
  await chat.append([
    { role: 'user', content: 'one' },
    { role: 'assistant', content: 'two' },
  ])
  return { palimpsest, chat }
}

interface World {
  readonly palimpsest: Palimpsest
  readonly chat: Session
  readonly memory: Palimpsest['memory']
}

/** What types would refuse. */
// biome-ignore lint/suspicious/noExplicitAny: the calls of somebody who does without types
type Any = any
type Call = (world: World, odd: Any) => unknown

const model = scriptedModel() as Any
const store = () => sqlite(':memory:')
const user = { role: 'user' as const, content: 'x' }
const access = (palimpsest: Palimpsest) => ({ palimpsest, scopes: new Set<never>(), version: '1' })

/** Every call that takes an options object, with an object that holds one that it does not have. */
const CALLS: Readonly<Record<string, Call>> = {
  createPalimpsest: (_, odd) => createPalimpsest({ store: store(), ...odd }),
  'createPalimpsest: memo': (_, odd) => createPalimpsest({ store: store(), memo: odd }),
  'createPalimpsest: memory': (_, odd) => createPalimpsest({ store: store(), memory: odd }),
  'createPalimpsest: memory.budgets': (_, odd) =>
    createPalimpsest({ store: store(), memory: { budgets: odd } }),
  'createPalimpsest: spendGuard': (_, odd) => createPalimpsest({ store: store(), spendGuard: odd }),
  sqlite: (_, odd) => sqlite(':memory:', odd),
  postgres: (_, odd) => postgres('postgres://localhost/none', odd),
  backupSqlite: (_, odd) => backupSqlite('none.db', { to: 'other.db', ...odd }),
  'palimpsest.configure': ({ palimpsest }, odd) => palimpsest.configure(odd),
  'palimpsest.configure: memory': ({ palimpsest }, odd) => palimpsest.configure({ memory: odd }),
  'palimpsest.configure: memo': ({ palimpsest }, odd) => palimpsest.configure({ memo: odd }),
  'palimpsest.session': ({ palimpsest }, odd) => palimpsest.session('t', odd),
  'palimpsest.search': ({ palimpsest }, odd) => palimpsest.search('one', odd),
  'palimpsest.sessions': ({ palimpsest }, odd) => palimpsest.sessions(odd),
  'palimpsest.waiting': ({ palimpsest }, odd) => palimpsest.waiting(odd),
  'palimpsest.import': async ({ palimpsest, chat }, odd) => palimpsest.import(await chat.export(), odd),
  'palimpsest.forget: messages': ({ palimpsest }, odd) =>
    palimpsest.forget({ kind: 'messages', sessionId: 's', seqs: [1], ...odd }),
  'palimpsest.forget: session': ({ palimpsest }, odd) =>
    palimpsest.forget({ kind: 'session', sessionId: 's', ...odd }),
  'palimpsest.forget: person': ({ palimpsest }, odd) =>
    palimpsest.forget({ kind: 'person', id: 'ann', ...odd }),
  'palimpsest.forget: namespace': ({ palimpsest }, odd) => palimpsest.forget({ kind: 'namespace', ...odd }),
  'palimpsest.erased': ({ palimpsest }, odd) => palimpsest.erased(1, odd),
  'palimpsest.foldThrough': ({ palimpsest }, odd) =>
    palimpsest.foldThrough('s', { signal: new AbortController().signal, ...odd }),
  'palimpsest.settled': ({ palimpsest }, odd) => palimpsest.settled(odd),
  'palimpsest.close': ({ palimpsest }, odd) => palimpsest.close(odd),
  'session.append': ({ chat }, odd) => chat.append(user, odd),
  'session.append: a message': ({ chat }, odd) => chat.append({ ...user, ...odd }),
  'session.append: one of several': ({ chat }, odd) => chat.append([user, { ...user, ...odd }]),
  'session.append: a sender': ({ chat }, odd) => chat.append({ ...user, sender: { id: 'ann', ...odd } }),
  'session.append: awaits': ({ chat }, odd) =>
    chat.append(user, { awaits: { burst: '', address: {}, ...odd } }),
  'session.append: answers': ({ chat }, odd) => chat.append(user, { answers: { seqs: [1], ...odd } }),
  'session.awaitAnswer': ({ chat }, odd) => chat.awaitAnswer(1, { burst: '', address: {}, ...odd }),
  'session.noteWaiting': ({ chat }, odd) => chat.noteWaiting(1, odd),
  'session.assign': ({ chat }, odd) => chat.assign({ user: 'ann', ...odd }),
  'session.messages': ({ chat }, odd) => chat.messages(odd),
  'session.folds': ({ chat }, odd) => chat.folds(odd),
  'session.growth': ({ chat }, odd) => chat.growth(odd),
  'session.configure': ({ chat }, odd) => chat.configure({ budget: 1_000 }, odd),
  'session.newBeginning': ({ chat }, odd) => chat.newBeginning(odd),
  'session.memoryTools': ({ chat }, odd) => chat.memoryTools(odd),
  'session.replaceTail': ({ chat }, odd) => chat.replaceTail(user, odd),
  'session.fork': ({ chat }, odd) => chat.fork('fork', 1, odd),
  'session.context': ({ chat }, odd) => chat.context(odd),
  'session.turn': ({ chat }, odd) => chat.turn(odd),
  'context.toText': async ({ chat }, odd) => (await chat.context()).toText(odd),
  'session.search': ({ chat }, odd) => chat.search('one', odd),
  'session.expand': ({ chat }, odd) => chat.expand({ fromSeq: 1, ...odd }),
  'session.compact': ({ chat }, odd) => chat.compact(odd),
  'session.judge': ({ chat }, odd) => chat.judge(odd),
  'session.plan': ({ chat }, odd) => chat.plan(odd),
  'memory.list': ({ memory }, odd) => memory.list(odd),
  'document.updateSection': ({ memory }, odd) => memory.global.updateSection('A', 'x', odd),
  'document.append': ({ memory }, odd) => memory.global.append('x', odd),
  'document.replace': ({ memory }, odd) => memory.global.replace('x', odd),
  'document.declarePersonal': ({ memory }, odd) => memory.scope('diary').declarePersonal('ann', odd),
  'document.merge': ({ memory }, odd) => memory.global.merge('x', { base: '', ...odd }),
  'document.versions': ({ memory }, odd) => memory.global.versions(odd),
  'document.undo': ({ memory }, odd) => memory.global.undo(odd),
  resize: (_, odd) => resize(odd),
  count: (_, odd) => count(odd),
  rounds: (_, odd) => rounds(odd),
  window: (_, odd) => window(odd),
  tokens: (_, odd) => tokens(odd),
  custom: (_, odd) => custom(() => null, odd),
  'custom: tail': (_, odd) => custom(() => null, { tail: { turns: 1, atLeast: 'turn', ...odd } }),
  modelSummarizer: (_, odd) => modelSummarizer(model, odd),
  'modelSummarizer: prices': (_, odd) => modelSummarizer(model, { prices: { input: 1, output: 1, ...odd } }),
  memoryMiddleware: ({ chat }, odd) => memoryMiddleware(chat, odd),
  palimpsestMiddleware: ({ palimpsest }, odd) => palimpsestMiddleware(palimpsest, odd),
  'palimpsestMiddleware: context': ({ palimpsest }, odd) =>
    palimpsestMiddleware(palimpsest, { context: odd }),
  palimpsestProcessor: ({ palimpsest }, odd) => palimpsestProcessor(palimpsest, odd),
  'palimpsestProcessor: context': ({ palimpsest }, odd) => palimpsestProcessor(palimpsest, { context: odd }),
  agentsSession: ({ chat }, odd) => agentsSession(chat, odd),
  createClassic: (_, odd) => createClassic({ store: store(), ...odd }),
  'createClassic: settings': (_, odd) => createClassic({ store: store(), settings: odd }),
  'classic.session': async (_, odd) => (await classic()).session('s', odd),
  'classic session.setSettings': async (_, odd) => (await (await classic()).session('s')).setSettings(odd),
  'classic session.judgeResize': async (_, odd) => (await (await classic()).session('s')).judgeResize(odd),
  'classic session.resize': async (_, odd) => (await (await classic()).session('s')).resize(odd),
  'classic session.context': async (_, odd) => (await (await classic()).session('s')).context(odd),
  createRuntime: ({ palimpsest }, odd) => runtime(palimpsest, odd),
  ...Object.fromEntries(
    ['inbox', 'privates', 'groups', 'turns', 'commands'].map((section): [string, Call] => [
      `createRuntime: ${section}`,
      ({ palimpsest }, odd) => runtime(palimpsest, { [section]: odd }),
    ]),
  ),
  telegram: (_, odd) => telegram({ token: '123456789:AAEabcdefghijklmnopqrstuvw', ...odd }),
  TerminalChannel: (_, odd) => new TerminalChannel({ output: process.stdout, ...odd }),
  modelResponder: (_, odd) => modelResponder({ model, ...odd }),
  searchResponder: (_, odd) => searchResponder(odd),
  openApp: (_, odd) => openApp({ store: store(), ...odd }),
  'openApp: instances': async (_, odd) => {
    const opened = await openApp({ store: store(), instances: odd, inspector: false })
    cleanups.push(() => opened.close())
    return opened.tenant('default')
  },
  startServer: (_, odd) => startServer({ store: store(), port: 0, ...odd }),
  'startServer: limits': (_, odd) => startServer({ store: store(), port: 0, limits: odd }),
  LiveSettings: (_, odd) => new LiveSettings({ store: store() as Any, ...odd }),
  'FoldWorker.start': (_, odd) =>
    FoldWorker.start({
      place: { url: 'postgres://localhost/none', schema: 'x' },
      store: store(),
      instanceOf: async () => null as Any,
      ...odd,
    }),
  handleMcp: ({ palimpsest }, odd) => handleMcp(new Request('http://x/'), access(palimpsest), odd),
  'handleMcp: access': ({ palimpsest }, odd) =>
    handleMcp(new Request('http://x/'), { ...access(palimpsest), ...odd }),
  serveMcpOverStdio: ({ palimpsest }, odd) => serveMcpOverStdio(access(palimpsest), odd),
  'serveMcpOverStdio: access': ({ palimpsest }, odd) =>
    serveMcpOverStdio({ ...access(palimpsest), ...odd }, {}),
  startModelServer: (_, odd) => startModelServer(odd),
  scriptedModel: (_, odd) => scriptedModel('', odd),
  compare: (_, odd) => compare([], { candidates: [], ...odd }),
  replay: (_, odd) => replay([], { policy: tokens(), ...odd }),
  openTranscripts: (_, odd) => openTranscripts('none.json', odd),
  toSessionFile: (_, odd) => toSessionFile({} as Any, odd),
}

async function classic() {
  const classic = await createClassic({ store: store() })
  cleanups.push(() => classic.close())
  return classic
}

function runtime(palimpsest: Palimpsest, odd: object) {
  return createRuntime({ palimpsest, channels: [], responder: searchResponder(), ...odd })
}

describe('an option that there is not is an error that names it and what is allowed', () => {
  test.each(Object.entries(CALLS))('%s', async (_, call) => {
    const world = await start()
    const said = async () => call({ ...world, memory: world.palimpsest.memory }, { notAnOption: 'x' })
    const error: Any = await said().catch(error => error)
    expect(['invalid_argument', 'invalid_message', 'invalid_settings']).toContain(error.code)
    expect(error.message).toContain('notAnOption')
    expect(error.message).toMatch(/allowed: \w/i)
    expect(await world.chat.count()).toBe(2)
  })
})

test('one that is undefined is not given', async () => {
  const { chat, palimpsest } = await start()
  const odd: Any = { notAnOption: undefined }
  await chat.append({ ...user, ...odd }, odd)
  await chat.context(odd)
  await palimpsest.search('one', odd)
  expect(palimpsest.session('t', odd).id).toBe('t')
})

test('what a class keeps for itself is no option, and what it offers is taken', async () => {
  class Options {
    readonly #secret = 1
    instructions = 'Be brief.'
    get secret() {
      return this.#secret
    }
  }
  const { chat } = await start()
  expect((await chat.context(new Options())).instructions).toContain('Be brief.')
})

describe('the option that was probably meant is named', () => {
  test.each<[string, (world: World) => unknown, RegExp]>([
    [
      'another name for it',
      ({ chat }) => chat.context({ system: 'x' } as Any),
      /Did you mean instructions\?/,
    ],
    ['in a turn', ({ chat }) => chat.turn({ system: 'x' } as Any), /Did you mean instructions\?/],
    [
      'a misspelt one',
      ({ chat }) => chat.context({ instuctions: 'x' } as Any),
      /Did you mean instructions\?/,
    ],
    ['snake case', ({ chat }) => chat.context({ output_reserve: 1 } as Any), /Did you mean outputReserve\?/],
    ['top k', ({ chat }) => chat.search('x', { topK: 3 } as Any), /Did you mean limit\?/],
    ['a preset', () => rounds({ fullContextTurn: 3 } as Any), /fullContextTurns \(the nearest\)/],
    ['a message', ({ chat }) => chat.append({ ...user, timestamp: 1 } as Any), /\bat \(the nearest\)/],
    ['a sender', ({ chat }) => chat.append({ ...user, name: 'Ann' } as Any), /sender \(the nearest\)/],
    ['an id', ({ chat }) => chat.append({ ...user, id: '1' } as Any), /externalId \(the nearest\)/],
    ['memory', () => createPalimpsest({ store: store(), memory: { owners: 'ann' } as Any }), /mean owner\?/],
  ])('%s', async (_, call, named) => {
    const world = await start()
    const said = async () => call({ ...world, memory: world.palimpsest.memory })
    await expect(said()).rejects.toThrow(named)
  })

  test('or none, where none is like it', async () => {
    const { chat } = await start()
    const error = await chat.context({ weather: 'fine' } as Any).catch(error => error)
    expect(error).toMatchObject({ details: { field: 'context', value: 'weather', meant: null } })
    expect(error.message).not.toContain('mean')
  })
})

describe('what is naturally wider is taken', () => {
  test('a message that was read from another log', async () => {
    const { palimpsest, chat } = await start()
    await chat.append({ ...user, content: 'three', sender: { id: 'ann', name: 'Ann' }, externalId: 'e' })
    const copy = palimpsest.session('copy')
    await copy.append(await chat.messages())
    const told = (await copy.messages()).map(({ role, content, sender }) => ({ role, content, sender }))
    expect(told).toEqual(
      (await chat.messages()).map(({ role, content, sender }) => ({ role, content, sender })),
    )
  })

  test('the messages of an answer of the AI SDK', async () => {
    const { chat } = await start()
    const { generateText } = await import('ai')
    const { responseMessages } = (await generateText({
      model: scriptedModel('hello') as Any,
      prompt: 'x',
    })) as Any
    await chat.append(responseMessages)
    await chat.append({
      ...user,
      providerOptions: { anthropic: { cacheControl: { type: 'ephemeral' } } },
    } as Any)
    expect(await chat.count()).toBe(4)
  })

  test('a field that says nothing', async () => {
    const { chat } = await start()
    await chat.append({ role: 'assistant', content: 'x', refusal: null } as Any)
    expect(await chat.count()).toBe(3)
  })

  test('what a provider counted, as libraries tell it', async () => {
    const { chat } = await start()
    const usage: Any = { model: 'm', inputTokens: 10, outputTokens: 5, totalTokens: 15 }
    await chat.observeUsage(await chat.context(), usage)
  })
})

const root = dirname(import.meta.dirname)
const read = (path: string) => readFileSync(join(root, path), 'utf8')

test('every type of options that the package exports is checked', () => {
  const sources = globSync('packages/*/src/**/*.ts', {
    cwd: root,
    exclude: path => path.endsWith('.test.ts'),
  }).map(read)
  const checked = new Set(
    sources.flatMap(text => [...text.matchAll(/optionsOf<(\w+)/g)].map(([, name]) => name)),
  )
  const entries = PACKAGES.flatMap(({ manifest, source }) =>
    Object.values(manifest.exports)
      .filter(path => path.endsWith('.ts') && !path.includes('*'))
      .map(path => relative(root, join(source, '..', path))),
  )
  const exported = entries.flatMap(entry =>
    [...read(entry).matchAll(/\b[A-Z]\w+(?:Options|Page)\b/g)].map(([name]) => name),
  )
  expect(exported.length).toBeGreaterThan(20)
  expect([...new Set(exported)].filter(name => !checked.has(name) && !EXCEPT[name])).toEqual([])
})

/** Those that are checked under another name, or are no options. */
const EXCEPT: Readonly<Record<string, string>> = {
  CandidateOptions: 'is no option of a call',
  ClassicOptions: 'createPalimpsest checks what is not its own',
  ConditionOptions: 'a part of CompareOptions and ReplayOptions',
  GroupOptions: 'a section of RuntimeOptions',
  InboxOptions: 'a section of RuntimeOptions',
  PrivateOptions: 'a section of RuntimeOptions',
  PostgresOptions: 'with a warning: OpenOptions',
  SqliteOptions: 'with a warning: OpenOptions',
  ResizeOptions: 'by its one option',
  SessionsOptions: 'together with SearchOptions',
}

test('segments are shown ones or all of them', async () => {
  const { chat } = await start()
  for (const odd of ['every', true, { all: true }, null])
    await expect(chat.segments(odd as never)).rejects.toThrow(/^segments: .* allowed: shown, all$/)
  expect(await chat.segments('all')).toEqual([])
})
