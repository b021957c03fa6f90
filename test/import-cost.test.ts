import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { PACKAGES } from '../scripts/packages.ts'
import { emptyProject, type Project, packTarballs, type Tarballs } from './frameworks/packed-project.ts'

/** With what the package depends on, and none of its peers. */
let project: Project
let tarballs: Tarballs

beforeAll(() => {
  tarballs = packTarballs()
  project = emptyProject(tarballs)
  writeFileSync(join(project.folder, 'note-imports.js'), NOTE_IMPORTS)
})

afterAll(() => {
  project.remove()
  tarballs.remove()
})

/** Prints the address of whatever is imported. */
const NOTE_IMPORTS = `import { registerHooks } from 'node:module'
import { writeSync } from 'node:fs'
registerHooks({
  resolve(specifier, context, next) {
    const found = next(specifier, context)
    writeSync(1, found.url + '\\n')
    return found
  },
})`

function run(code: string, ...options: readonly string[]): string {
  const file = join(project.folder, 'script.js')
  writeFileSync(file, code)
  return execFileSync(process.execPath, [...options, file], { cwd: project.folder, encoding: 'utf8' })
}

/** Files of the package by their path in it. */
function loadedBy(specifier: string): string[] {
  const urls = run(`import '${specifier}'`, '--import', './note-imports.js').trim().split('\n')
  const own = pathToFileURL(join(project.folder, 'node_modules/palimpsest/')).href
  // The first one is the script.
  return [...new Set(urls.slice(1).map(url => url.replace(own, '')))].sort()
}

/** All that is public, of every package. */
function specifiers(): string[] {
  return PACKAGES.flatMap(({ manifest: { name, exports } }) =>
    Object.keys(exports)
      .filter(subpath => subpath !== './package.json' && !subpath.includes('*') && name !== '@palimpsest/cli')
      .map(subpath => `${name}${subpath.slice(1)}`),
  )
}

test('the core loads three files of its own, and of other packages nothing', () => {
  // Of Node's own modules some take milliseconds too.
  expect(loadedBy('palimpsest')).toEqual([
    'dist/chunks/core.js',
    'dist/chunks/pure.js',
    'dist/index.js',
    'node:fs',
  ])
})

test.each(['tokens', 'policy', 'log', 'context'])('palimpsest/%s loads no store and no engine', name => {
  expect(loadedBy(`palimpsest/internals/${name}/index`)).toEqual([
    'dist/chunks/pure.js',
    `dist/${name}/index.js`,
  ])
})

test('everything can be imported without a peer', () => {
  expect(specifiers()).toContain('palimpsest/adapters/langchain')
  expect(specifiers()).toContain('@palimpsest/server/mcp')
  const code = `for (const specifier of ${JSON.stringify(specifiers())}) await import(specifier)`
  expect(run(code)).toBe('')
})

const CHAT = `import { createPalimpsest, MissingPeerError, sqlite } from 'palimpsest'
await using palimpsest = await createPalimpsest({ store: sqlite('./peers.db') })
const chat = palimpsest.session('s')`

test.each([
  {
    adapter: 'ai-sdk',
    use: `appendUIMessage(chat, { id: '1', role: 'user', parts: [{ type: 'text', text: 'Hi' }] })`,
    install: 'npm install ai',
  },
  { adapter: 'openai-agents', use: 'agentsSession(chat).tools()', install: 'npm install @openai/agents' },
  {
    adapter: 'langchain',
    use: 'palimpsestMiddleware(palimpsest)',
    install: 'npm install langchain @langchain/core',
  },
])('without its peer, $adapter says what to install', ({ adapter, use, install }) => {
  const [name] = use.split('(')
  const output = run(`import { ${name} } from 'palimpsest/adapters/${adapter}'
${CHAT}
try {
  await ${use}
} catch (error) {
  console.log(error instanceof MissingPeerError, error.message)
}`)
  expect(output).toMatch(/^true /)
  expect(output.trimEnd()).toMatch(new RegExp(`Install it, and start again: ${install}$`))
})

test('the adapter for Mastra needs nothing of it at run time', () => {
  const output = run(`import { palimpsestProcessor } from 'palimpsest/adapters/mastra'
${CHAT}
console.log(palimpsestProcessor(palimpsest).id)`)
  expect(output).toBe('palimpsest\n')
})

test('a class is the same one wherever it is exported', () => {
  const output = run(`import * as core from 'palimpsest'
import { InvalidExportError, parseSessionFile } from 'palimpsest/store'
console.log(InvalidExportError === core.InvalidExportError)
try {
  parseSessionFile(null)
} catch (error) {
  console.log(error instanceof core.PalimpsestError, error.stack.includes('parseSessionFile'))
}`)
  expect(output).toBe('true\ntrue true\n')
})

test('the thread that scrubs is found', () => {
  const output = run(`${CHAT}
await chat.append({ role: 'user', content: 'Hello' })
const { id } = await palimpsest.forget({ kind: 'messages', sessionId: 's', seqs: [1] })
const receipt = await palimpsest.erased(id)
console.log(receipt.done)`)
  expect(output).toBe('true\n')
})
