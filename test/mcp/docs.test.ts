import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, expect, test } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { MAIN, runHere, temporaryFolder } from '../cli/run.ts'
import { listen, overHttp, overStdio } from './clients.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const page = readFileSync(new URL('../../docs/mcp.md', import.meta.url), 'utf8')
const blocksOf = (text: string, kind: string) =>
  [...text.matchAll(new RegExp(`^\`\`\`${kind}\\n(.*?)^\`\`\``, 'gms'))].map(([, block]) => block!)

const [local, remote] = blocksOf(page, 'json').map(block => JSON.parse(block).mcpServers.palimpsest)

/** With a file of our own. */
const here = (args: readonly string[]) =>
  args.map(arg => (arg.endsWith('.db') ? join(folder.path, 'docs.db') : arg))

test('the configuration of docs/mcp.md works, and that of the help is the same', async () => {
  const [command, ...args] = local.args
  expect([local.command, command, args[0]]).toEqual(['npx', 'palimpsest', 'mcp'])
  await using client = await overStdio(here(args.slice(1)))
  expect((await client.call('append_messages', { role: 'user', text: 'Hello' })).isError).toBe(false)
  expect((await client.call('write_user_memory', { content: 'Ann likes tea' })).isError).toBe(false)
  const { stdout } = await runHere(['mcp', '--help'])
  const shown = stdout.slice(stdout.indexOf('  {\n'), stdout.indexOf('Examples:'))
  expect(JSON.parse(shown).mcpServers.palimpsest).toEqual(local)
})

test('docs/mcp.md lists the tools as they are, with their scopes', async () => {
  const file = join(folder.path, 'http.db')
  await using palimpsest = await createPalimpsest({
    ...{ store: sqlite(file), folding: 'manual', memory: { owner: 'ann' } },
  })
  const access = { palimpsest, version: '1' }
  const key = remote.headers.Authorization.replace('Bearer ', '')
  await using server = await listen({
    [key]: { ...access, scopes: new Set(['read', 'write'] as const) },
    reader: { ...access, scopes: new Set(['read'] as const) },
  })
  const url = remote.url.replace('http://127.0.0.1:8787/mcp', server.url)
  await using client = await overHttp(url, key)
  await using reader = await overHttp(url, 'reader')
  const reading = await reader.tools()
  const rows = [...page.matchAll(/^\| `(\w+)` +\| (\w+) +\|/gm)].map(([, name, scope]) => [name, scope])
  expect(rows).toEqual((await client.tools()).map(name => [name, reading.includes(name) ? 'read' : 'write']))
})

test('the call by hand of docs/mcp.md is answered', async () => {
  const call = blocksOf(page, 'sh').find(block => block.startsWith('echo'))!
  const command = call.replace('npx palimpsest', `'${process.execPath}' '${MAIN}'`)
  const { stdout } = await promisify(execFile)('bash', ['-e', '-c', command], { cwd: folder.path })
  expect(JSON.parse(stdout)).toMatchObject({ jsonrpc: '2.0', id: 1, result: { tools: { length: 6 } } })
})
