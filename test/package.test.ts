import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { internalsOf, PACKAGES } from '../scripts/packages.ts'
import {
  emptyProject,
  codeBlocks as examples,
  type Project,
  packTarballs,
  type Tarballs,
} from './frameworks/packed-project.ts'
import { startTelegramServer } from './telegram/telegram-server.ts'

const root = dirname(import.meta.dirname)
let tarballs: Tarballs
let project: Project

beforeAll(() => {
  tarballs = packTarballs()
  project = emptyProject(tarballs)
  const { folder } = project
  cpSync(join(root, 'examples', 'trip.jsonl'), join(folder, 'chat.jsonl'))
  writeFileSync(join(folder, 'conversations.json'), JSON.stringify([conversation('Trip to Oslo')]))
  writeFileSync(join(folder, 'result.json'), JSON.stringify(TELEGRAM_CHAT))
  mkdirSync(join(folder, 'sessions'))
  writeFileSync(join(folder, 'sessions', 'current.json'), JSON.stringify(OLDER_CHATS))
})

const OLDER_CHATS = {
  ann: {
    messages: [
      { role: 'user', content: 'We ship on Fridays.', timestamp: '2026-01-15T08:00:00' },
      { role: 'assistant', content: 'Noted.', timestamp: '2026-01-15T08:00:05' },
    ],
    last_consolidated: 1,
  },
}

afterAll(() => {
  project.remove()
  tarballs.remove()
})

/** As ChatGPT exports it. */
function conversation(title: string) {
  const message = {
    id: 'm',
    author: { role: 'user' },
    content: { content_type: 'text', parts: ['Where to?'] },
  }
  return { id: title, title, current_node: 'n', mapping: { n: { message, parent: null } } }
}

const TELEGRAM_CHAT = {
  ...{ name: 'Ann', type: 'personal_chat', id: 5 },
  messages: [
    { type: 'message', id: 1, date_unixtime: '1768464000', from: 'Bot Bo', from_id: 'user6', text: 'Hi' },
  ],
}

interface Manifest {
  readonly exports: Readonly<Record<string, string | { readonly types: string; readonly default: string }>>
  readonly dependencies?: Readonly<Record<string, string>>
}

function manifestOf(name: string): Manifest {
  return JSON.parse(readFileSync(join(project.folder, 'node_modules', name, 'package.json'), 'utf8'))
}

function runExample(code: string): string {
  const file = join(project.folder, 'example.ts')
  writeFileSync(file, code)
  return execFileSync(process.execPath, [file], { cwd: project.folder, encoding: 'utf8' })
}

test('holds what it should, and nothing else', () => {
  const { files } = tarballs.of('palimpsest')
  expect(files).toContain('dist/store/sqlite/migrations/0001-log.sql')
  expect(files).toContain('dist/store/postgres/migrations/0001-log.sql')
  expect(files).toContain('dist/summarizer/prompts/summarize.md')
  expect(files).toContain('dist/store/sqlite/migrations/0003-memory.sql')
  expect(tarballs.of('@palimpsest/server').files).toContain('dist/inspector/index.html')
  expect(tarballs.all.map(({ name }) => name).sort()).toEqual([
    ...['@palimpsest/bot', '@palimpsest/cli', '@palimpsest/replay', '@palimpsest/server', 'palimpsest'],
  ])
  for (const each of tarballs.all) {
    for (const entry of Object.values(manifestOf(each.name).exports))
      if (typeof entry !== 'string' && !entry.types.includes('*'))
        for (const path of [entry.types, entry.default]) expect(each.files).toContain(path.slice(2))
    const odd = each.files.filter(file => !MAY_BE_THERE.test(file) || /\.test\./.test(file))
    expect(odd).toEqual([])
  }
})

const MAY_BE_THERE =
  /^(dist\/.*\.(js|d\.ts|sql)|dist\/inspector\/(index\.html|assets\/[^/]+\.(css|svg))|dist\/.*\/prompts\/.*\.md|docs\/.*\.md|docs\/images\/[\w-]+\.(png|svg)|package\.json|README\.md|CHANGELOG\.md|LICENSE|LICENSES-BUNDLED\.md)$/

test('what the packages use of each other is there, and the library brings nothing along', () => {
  expect(manifestOf('palimpsest').dependencies).toBeUndefined()
  for (const { name } of tarballs.all)
    for (const used of internalsOf(PACKAGES.find(each => each.manifest.name === name)!))
      for (const extension of ['js', 'd.ts'])
        expect(tarballs.of(name).files).toContain(`dist/${used}.${extension}`)
})

test('without the package of the command line, the command says what to install', () => {
  const alone = emptyProject(tarballs, ['palimpsest'])
  try {
    const { status, stderr } = spawnSync(
      process.execPath,
      [join(alone.folder, 'node_modules/palimpsest/dist/bin.js'), '--help'],
      { cwd: alone.folder, encoding: 'utf8' },
    )
    expect([status, stderr]).toEqual([69, expect.stringContaining('npm install @palimpsest/cli')])
  } finally {
    alone.remove()
  }
})

test("the README's example runs as it stands", () => {
  const output = runExample(examples('README.md', 'ts')[0]!)
  expect(output).toContain("{ role: 'user', content: 'Shall we ship on Friday?' }")
  expect(output).toContain('found: 2 messages: 2')
})

test.each([
  'docs/policies.md',
  'docs/folding.md',
  'docs/contexts.md',
  'docs/memory.md',
  'docs/search.md',
  'docs/classic.md',
  'docs/testing.md',
  'docs/command-line.md',
  'docs/transcripts.md',
])('the examples of %s run as they stand', page => {
  for (const code of examples(page, 'ts')) runExample(code)
})

test("the README's bot answers, and ends when it is told to", async () => {
  project.install('grammy')
  await using telegram = await startTelegramServer()
  const file = join(project.folder, 'bot.ts')
  writeFileSync(
    file,
    examples('README.md', 'ts')[1]!.replace('telegram({', 'telegram({ apiRoot: process.env.ROOT,'),
  )
  const env = { ...process.env, TELEGRAM_TOKEN: telegram.token, ROOT: telegram.url }
  const bot = spawn(process.execPath, [file], { cwd: project.folder, env, stdio: 'inherit' })
  telegram.say('My dog is called Rex.')
  const [reply] = await telegram.waitForSent(1)
  expect(reply).toMatchObject({ text: expect.stringContaining('Kept.') })
  bot.kill('SIGTERM')
  expect(await once(bot, 'close')).toEqual([0, null])
})

test('the example of docs/log.md runs in a chat', () => {
  const [append] = examples('docs/log.md', 'ts')
  runExample(`import { createPalimpsest, sqlite } from 'palimpsest'
await using palimpsest = await createPalimpsest({ store: sqlite('./log.db') })
const chat = palimpsest.session('s')
${append}`)
})

test("the command line's examples run as they stand", () => {
  const commands = ['docs/command-line.md', 'docs/search.md', 'README.md']
    .flatMap(page => examples(page, 'sh'))
    .flatMap(block => block.split('\n'))
    .map(line => line.replace(/#.*/, '').trim())
    .filter(line => /^(npx )?palimpsest /.test(line) && !line.includes('postgres://'))
    // What runs until somebody ends it has tests of its own.
    .filter(line => !/palimpsest (serve|chat|bot|mcp)\b/.test(line))
  expect(commands.length).toBeGreaterThanOrEqual(5)
  const installedCommand = `"${process.execPath}" "${join(project.folder, 'node_modules/palimpsest/dist/bin.js')}"`
  for (const command of commands)
    execFileSync('bash', ['-c', command.replace(/^(npx )?palimpsest/, installedCommand)], {
      cwd: project.folder,
      stdio: 'pipe',
      timeout: 60_000,
    })
})

test('what npm run demo shows stays within its budget and loses nothing', () => {
  const output = execFileSync(process.execPath, ['examples/demo.ts'], { cwd: root, encoding: 'utf8' })
  const [, peak] = /At no time more than (\d+) tokens\. All 68 messages/.exec(output)!
  expect(Number(peak)).toBeLessThan(1_000)
  expect(output).toMatch(/folded 1–\d+/)
})

test('without pg, the PostgreSQL store says what to install', () => {
  const output = runExample(`import { createPalimpsest, postgres } from 'palimpsest'
await createPalimpsest({ store: postgres('postgres://127.0.0.1/x') }).catch(error => console.log(error.message))`)
  expect(output).toContain('npm install pg')
})

test('without ai, a model as the summariser says what to install', () => {
  const output = runExample(`import { modelSummarizer } from 'palimpsest'
const model = { specificationVersion: 'v4', provider: 'none', modelId: 'none', doGenerate: async () => ({}) }
const message = { seq: 1, role: 'user', sender: null, content: 'Hello', at: new Date(), zone: null }
const request = { messages: [message], earlier: null, budgetTokens: 100, zone: 'UTC' }
const summarizer = modelSummarizer(model)
console.log(summarizer.version.length)
await summarizer.summarize(request).catch(error => console.log(error.code, error.message))`)
  expect(output).toMatch(/^8\nmissing_peer .*npm install ai/)
})
