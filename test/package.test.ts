import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

/** What npm would publish, in an empty project, as a newcomer has it. */
const root = dirname(import.meta.dirname)
const project = mkdtempSync(join(tmpdir(), 'palimpsest-package-'))
const installed = join(project, 'node_modules', 'palimpsest')
let files: string[] = []

beforeAll(() => {
  // `npm pack` builds first.
  const output = execFileSync('npm', ['pack', '--json', '--pack-destination', project], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  })
  const packed = JSON.parse(output.slice(output.search(/^[[{]/m)))
  const [entry] = Array.isArray(packed) ? packed : Object.values<(typeof packed)[number]>(packed)
  files = entry.files.map((file: { path: string }) => file.path)
  mkdirSync(installed, { recursive: true })
  execFileSync('tar', ['-xzf', join(project, entry.filename), '-C', installed, '--strip-components=1'])
  for (const dependency of Object.keys(manifest().dependencies)) {
    const link = join(project, 'node_modules', dependency)
    mkdirSync(dirname(link), { recursive: true })
    symlinkSync(join(root, 'node_modules', dependency), link)
  }
  writeFileSync(join(project, 'package.json'), '{ "type": "module" }')
  cpSync(join(root, 'examples', 'trip.jsonl'), join(project, 'chat.jsonl'))
  writeFileSync(join(project, 'conversations.json'), JSON.stringify([conversation('Trip to Oslo')]))
  writeFileSync(join(project, 'result.json'), JSON.stringify(TELEGRAM_CHAT))
})

afterAll(() => rmSync(project, { recursive: true, force: true }))

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

function manifest(): {
  dependencies: Record<string, string>
  exports: Record<string, { types: string; default: string }>
} {
  return JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
}

/** The code blocks of a page. */
function examples(page: string, language: string): string[] {
  const text = readFileSync(join(root, page), 'utf8')
  return [...text.matchAll(new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'gms'))].map(match => match[1]!)
}

function runExample(code: string): string {
  const file = join(project, 'example.ts')
  writeFileSync(file, code)
  return execFileSync(process.execPath, [file], { cwd: project, encoding: 'utf8' })
}

test('holds what it should, and nothing else', () => {
  expect(files).toContain('dist/store/sqlite/migrations/0001-log.sql')
  expect(files).toContain('dist/store/postgres/migrations/0001-log.sql')
  expect(files).toContain('dist/summarizer/prompts/summarize.md')
  expect(files).toContain('dist/store/sqlite/migrations/0003-memory.sql')
  for (const path of Object.values(manifest().exports).flatMap(entry =>
    typeof entry === 'string' ? [] : [entry.types, entry.default],
  ))
    expect(files).toContain(path.slice(2))
  const odd = files.filter(
    file =>
      !/^(dist\/.*\.(js|d\.ts|sql)|dist\/.*\/prompts\/.*\.md|docs\/.*\.md|package\.json|README\.md|CHANGELOG\.md|LICENSE)$/.test(
        file,
      ) || /\.test\./.test(file),
  )
  expect(odd).toEqual([])
})

test("the README's example runs as it stands", () => {
  const output = runExample(examples('README.md', 'ts')[0]!)
  expect(output).toContain("{ role: 'user', content: 'Shall we ship on Friday?' }")
  expect(output).toContain('messages: 2')
})

test.each([
  'docs/policies.md',
  'docs/folding.md',
  'docs/contexts.md',
  'docs/memory.md',
  'docs/search.md',
  'docs/command-line.md',
  'docs/transcripts.md',
])('the examples of %s run as they stand', page => {
  for (const code of examples(page, 'ts')) runExample(code)
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
  expect(commands.length).toBeGreaterThanOrEqual(5)
  const installedCommand = `"${process.execPath}" "${join(installed, 'dist/cli/main.js')}"`
  for (const command of commands)
    execFileSync('bash', ['-c', command.replace(/^(npx )?palimpsest/, installedCommand)], {
      cwd: project,
      stdio: 'pipe',
    })
})

test('what npm start shows stays within its budget and loses nothing', () => {
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
