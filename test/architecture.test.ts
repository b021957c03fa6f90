import { globSync, readFileSync } from 'node:fs'
import { dirname, join, posix } from 'node:path'
import { expect, test } from 'vitest'

/** Which part may know which: what a reader relies on who looks for the place of a change. docs/architecture.md draws it. */

const root = dirname(import.meta.dirname)

/** The packages that each package may import. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  palimpsest: [],
  bot: ['palimpsest'],
  replay: ['palimpsest'],
  server: ['palimpsest', 'bot', 'replay'],
  cli: ['palimpsest', 'bot', 'replay', 'server'],
  inspector: [],
}

/** The folders of the library that each of its folders may import, beside the small files that all may. */
const LIBRARY: Readonly<Record<string, readonly string[]>> = {
  log: [],
  language: ['log'],
  tokens: ['log'],
  search: ['log'],
  policy: ['log'],
  context: ['language', 'log', 'tokens'],
  summarizer: ['language', 'log', 'tokens'],
  store: ['language', 'log', 'policy', 'search'],
  'store/sql': ['language', 'log', 'policy', 'search', 'store'],
  'store/sqlite': ['log', 'store', 'store/sql'],
  'store/postgres': ['store', 'store/sql'],
  redaction: ['log', 'store'],
  finding: ['log', 'search', 'store', 'tokens'],
  compaction: ['context', 'language', 'log', 'policy', 'store', 'summarizer', 'tokens'],
  memory: [
    ...['compaction', 'context', 'finding', 'language', 'log', 'search', 'store', 'summarizer', 'tokens'],
  ],
  erasure: ['compaction', 'log', 'memory', 'store', 'summarizer'],
  turn: ['context', 'facade', 'language', 'log', 'memory', 'policy', 'store', 'summarizer', 'tokens'],
  facade: [
    ...['compaction', 'context', 'erasure', 'finding', 'language', 'log', 'memory', 'policy', 'redaction'],
    ...['search', 'store', 'store/postgres', 'store/sql', 'store/sqlite', 'summarizer', 'tokens', 'turn'],
  ],
  config: ['language', 'log', 'policy', 'summarizer'],
  testing: ['log', 'policy', 'search', 'store'],
  classic: ['compaction', 'facade', 'log', 'policy', 'store', 'summarizer'],
  restore: ['erasure', 'facade', 'memory', 'store', 'store/sqlite'],
  worker: ['compaction', 'facade', 'store', 'store/postgres', 'store/sql'],
  'adapters/ai-sdk': ['context', 'facade', 'log', 'tokens', 'turn'],
  'adapters/langchain': ['context', 'facade', 'log', 'memory', 'turn'],
  'adapters/mastra': ['facade', 'log', 'turn'],
  'adapters/openai-agents': ['context', 'facade', 'language', 'log', 'store', 'tokens'],
}

/** Files beside the folders that know none of them: every folder may use them. */
const SMALL = [
  ...[
    'bounded-map',
    'call-listener',
    'errors',
    'in-turn',
    'instruction-lines',
    'known-options',
    'nearest-name',
  ],
  ...['older-names', 'provider-failure', 'slices', 'sync-folder', 'telemetry', 'told-once'],
]

const IMPORT = /(?:\bfrom|\bimport|\bimport\()\s*'([^']+)'/g

interface Edge {
  readonly from: string
  readonly to: string
}

function edgesOf(pattern: string): readonly Edge[] {
  return globSync(pattern, { cwd: root })
    .filter(file => !/\.test\.tsx?$/.test(file))
    .flatMap(file =>
      [...readFileSync(join(root, file), 'utf8').matchAll(IMPORT)].map(([, specifier]) => ({
        from: file,
        to: specifier!.startsWith('.') ? posix.join(posix.dirname(file), specifier!) : specifier!,
      })),
    )
}

const packageOf = (file: string) => file.split('/')[1]!

test('a package imports no other than it may, and by its name', () => {
  const wrong = edgesOf('packages/*/src/**/*.{ts,tsx}').filter(({ from, to }) => {
    if (to.startsWith('packages/')) return packageOf(to) !== packageOf(from)
    const [, name] = /^(?:@palimpsest\/)?(palimpsest|bot|replay|server|cli|inspector)(?:\/|$)/.exec(to) ?? []
    return name !== undefined && name !== packageOf(from) && !PACKAGES[packageOf(from)]!.includes(name)
  })
  expect(wrong).toEqual([])
})

const SOURCES = 'packages/palimpsest/src/'

/** What an author of a driver imports is an entry, as `index.ts` is. */
const ENTRIES = ['store/public.ts']

/** `null`: one of the small files. */
function folderOf(file: string): string | null {
  if (ENTRIES.includes(file.slice(SOURCES.length))) return 'facade'
  const [first, second, ...rest] = file.slice(SOURCES.length).split('/')
  if (second === undefined) return SMALL.includes(first!.replace(/\.ts$/, '')) ? null : 'facade'
  if (first === 'adapters' || (first === 'store' && rest.length > 0)) return `${first}/${second}`
  return first!
}

test('a folder of the library imports no other than it may', () => {
  const wrong = edgesOf(`${SOURCES}**/*.ts`).filter(({ from, to }) => {
    if (!to.startsWith(SOURCES)) return false
    const [ours, theirs] = [folderOf(from), folderOf(to)]
    // The log's shapes know the errors, and those of errors know nothing but names.
    if (ours === null) return theirs !== null && theirs !== 'log'
    return theirs !== null && theirs !== ours && !LIBRARY[ours]?.includes(theirs)
  })
  expect(wrong).toEqual([])
})

test('no folders of the library import each other in a circle, but for turns, which the facade opens', () => {
  const open = new Set(Object.keys(LIBRARY))
  for (let before = -1; before !== open.size; ) {
    before = open.size
    for (const folder of open)
      if (LIBRARY[folder]!.every(other => !open.has(other) || other === 'facade')) open.delete(folder)
  }
  expect([...open]).toEqual([])
})
