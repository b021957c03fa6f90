import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { text as readAll } from 'node:stream/consumers'
import { afterAll, describe, expect, test } from 'vitest'
import { mcpCommand } from '../../packages/cli/src/mcp.ts'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { serveMcpOverStdio } from '../../packages/server/src/mcp/index.ts'
import { MAIN, run, runHere, temporaryFolder } from '../cli/run.ts'
import { ERAS, overStdio } from './clients.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const newFile = () => join(folder.path, `${randomUUID()}.db`)

/** A process that is spoken to line by line. */
function start(args: readonly string[], env: Record<string, string> = {}) {
  const child: ChildProcessWithoutNullStreams = spawn(process.execPath, [MAIN, 'mcp', ...args], {
    env: { ...process.env, ...env },
  })
  const ended = new Promise<number | null>(resolve => child.on('close', resolve))
  const stderr = readAll(child.stderr)
  return { child, ended, stderr, stdout: readAll(child.stdout) }
}

const line = (id: number, method: string, params: object = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method, params })}\n`

const toolCall = (id: number, name: string, args: object) => line(id, 'tools/call', { name, arguments: args })

const INITIALIZE = line(0, 'initialize', {
  protocolVersion: '2025-11-25',
  capabilities: {},
  clientInfo: { name: 'test', version: '1' },
})

const answersOf = (stdout: string) =>
  stdout
    .trimEnd()
    .split('\n')
    .map(each => JSON.parse(each))

describe('palimpsest mcp', () => {
  test.each(ERAS)('holds a conversation with a client (%s)', async era => {
    await using client = await overStdio(['--db', newFile()], era)
    const session = 'telegram:42'
    expect(client.client.getServerVersion()).toMatchObject({ name: 'palimpsest' })
    await client.call('append_messages', { session, role: 'user', text: '我们在里斯本见面 🎉', user: 'ann' })
    expect((await client.call('query_history', { session, query: '里斯本' })).data.messages).toHaveLength(1)
    expect((await client.call('expand_history', { session, fromSeq: 1 })).text).toContain('🎉')
    await client.call('write_chat_memory', { session, section: 'Agreements', content: 'Lisbon in May' })
    await client.call('write_user_memory', { session, content: 'Ann speaks Chinese' })
    const { text } = await client.call('get_context', { session })
    expect(text).toContain('Lisbon in May')
    expect(text).toContain('Ann speaks Chinese')
    const large = '长'.repeat(400_000)
    expect((await client.call('append_messages', { session, role: 'user', text: large })).isError).toBe(false)
  })

  test('is bound to one session, made as it is told', async () => {
    const file = newFile()
    const flags = ['--db', file, '--session', 'team', '--kind', 'group', '--scope', 'porto']
    await using client = await overStdio(flags)
    expect(await client.tools()).toEqual([
      'get_context',
      'append_messages',
      'write_chat_memory',
      'query_history',
      'expand_history',
    ])
    await client.call('append_messages', { role: 'user', text: 'Lemons', sender: 'Ann' })
    expect((await client.call('query_history', { query: 'lemons' })).data.messages).toHaveLength(1)
    expect((await client.call('append_messages', { role: 'user', text: 'x', kind: 'private' })).isError).toBe(
      true,
    )
    await using reader = await overStdio(['--db', file, '--session', 'team', '--read-only'])
    expect(await reader.tools()).toEqual(['get_context', 'query_history', 'expand_history'])
    expect((await reader.call('get_context')).text).toContain('Lemons')
    expect((await reader.call('append_messages', { role: 'user', text: 'x' })).text).toContain('scope write')
    await using palimpsest = await createPalimpsest({ store: sqlite(file), folding: 'manual' })
    expect(await palimpsest.session('team').info()).toMatchObject({
      kind: 'group',
      scope: 'porto',
      messages: 1,
    })
  })

  test('shares a file with other processes, and keeps namespaces apart', async () => {
    const file = newFile()
    await using first = await overStdio(['--db', file])
    await using second = await overStdio(['--db', file])
    await using other = await overStdio(['--db', file, '--namespace', 'other'])
    const session = 's'
    const append = (client: typeof first, text: string) =>
      client.call('append_messages', { session, role: 'user', text })
    const texts = Array.from({ length: 10 }, (_, index) => `plum ${index}`)
    await Promise.all(texts.flatMap(text => [append(first, `one ${text}`), append(second, `two ${text}`)]))
    for (const client of [first, second]) {
      const { data } = await client.call('query_history', { session, query: 'plum', limit: 20 })
      expect(data.messages).toHaveLength(20)
    }
    await append(other, 'pear')
    expect((await other.call('query_history', { session, query: 'plum' })).data.messages).toEqual([])
    expect((await other.call('get_context', { session })).text).not.toContain('plum')
  })

  test('has nothing but JSON-RPC on standard output, whatever it is sent, and answers all before it ends', async () => {
    const { child, ended, stdout, stderr } = start(['--db', newFile()], { PALIMPSEST_THRESHOLDD: '7' })
    child.stdin.write(INITIALIZE)
    for (const wrong of [
      '{"jsonrpc":',
      'hello',
      '{"hello":"world"}',
      '[]',
      '\u0000',
      '{"jsonrpc":"2.0","id":{}}',
    ])
      child.stdin.write(`${wrong}\n`)
    child.stdin.write(toolCall(1, 'append_messages', { session: 's', role: 'user', text: 'a\u2028b\nc' }))
    child.stdin.write(line(2, 'tables/drop'))
    child.stdin.write(toolCall(3, 'nothing', {}))
    child.stdin.write(toolCall(4, 'get_context', { session: 'nowhere' }))
    // The last line lacks its end.
    child.stdin.end(toolCall(5, 'append_messages', { session: 't', role: 'user', text: 'x' }).trimEnd())
    expect(await ended).toBe(0)
    const answers = answersOf(await stdout)
    expect(answers.map(({ id }) => id).toSorted()).toEqual([0, 1, 2, 3, 4, 5])
    for (const answer of answers) expect(answer.jsonrpc).toBe('2.0')
    const byId = Object.fromEntries(answers.map(answer => [answer.id, answer]))
    expect(byId[1].result.structuredContent.messages).toMatchObject([{ seq: 1 }])
    expect(byId[2].error.code).toBe(-32601)
    expect(byId[3].result.isError).toBe(true)
    expect(byId[5].result.structuredContent.messages).toMatchObject([{ seq: 1 }])
    expect(await stderr).toContain('PALIMPSEST_THRESHOLDD')
  })

  test.each(['SIGINT', 'SIGTERM'] as const)('ends cleanly on %s', async signal => {
    const file = newFile()
    const { child, ended, stdout } = start(['--db', file])
    child.stdin.write(INITIALIZE)
    await new Promise(resolve => child.stdout.once('data', resolve))
    child.kill(signal)
    expect(await ended).toBe(0)
    expect(answersOf(await stdout)).toHaveLength(1)
    // A store that was closed leaves nothing of its journal.
    expect(existsSync(`${file}-wal`)).toBe(false)
  })

  test('ends at once where standard input is closed already', async () => {
    const { child, ended, stdout } = start(['--db', newFile()])
    child.stdin.end()
    expect(await ended).toBe(0)
    expect(await stdout).toBe('')
  })

  test('takes up a setting that another process stores', async () => {
    const file = newFile()
    await using client = await overStdio(['--db', file, '--session', 's'])
    await client.call('append_messages', { role: 'user', text: 'x' })
    const budget = async () => (await client.call('get_context')).data.report.budget
    const before = await budget()
    const store = sqlite(file)
    await store.open()
    await store.settings.writeSettings('default', { budget: 9_000 })
    await store.close()
    expect([before, await budget()]).toEqual([16_000, 9_000])
  })
})

describe('what cannot be served', () => {
  test.each([
    [['--user', 'ann'], 64, '--user: "ann" cannot be taken; allowed: only with --session'],
    [['--kind', 'pair', '--session', 's'], 64, 'private, group, agent'],
    [['--session', ''], 64, 'session: "" cannot be taken'],
    [['--read-only'], 66, 'There is no database'],
    [['--store', 'mysql://x'], 64, '--store'],
  ])('%j is refused on standard error', async (flags, code, message) => {
    const file = newFile()
    const refused = await runHere(['mcp', '--db', file, ...flags])
    expect(refused).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
  })

  test('without its package it says what to install, and nobody else misses it', async () => {
    const hook = folder.file(
      'without-mcp.mjs',
      `import { registerHooks } from 'node:module'
       registerHooks({ resolve(name, context, next) {
         if (name.startsWith('@modelcontextprotocol')) throw new Error('Cannot find package')
         return next(name, context)
       } })`,
    )
    expect(await run(['mcp', '--db', newFile()], { hook })).toEqual({
      code: 69,
      stdout: '',
      stderr: expect.stringContaining('npm install @modelcontextprotocol/server'),
    })
    const help = await run(['mcp', '--help'], { hook })
    expect(help).toMatchObject({ code: 0, stdout: expect.stringContaining('"mcpServers"') })
  })
})

test('who starts it in a terminal is told what it is for', async () => {
  const [input, output, error] = [new PassThrough(), new PassThrough(), new PassThrough()]
  const terminal = { input: Object.assign(input, { isTTY: true }), output, error }
  input.end()
  await mcpCommand(terminal).parseAsync(['--db', newFile()], { from: 'user' })
  expect(String(error.read())).toContain('started by an MCP client')
  expect(output.read()).toBeNull()
})

test('a stream that ends or breaks ends the service, not the instance', async () => {
  await using palimpsest = await createPalimpsest({ store: sqlite(newFile()), folding: 'manual' })
  const access = { palimpsest, scopes: new Set(['read', 'write'] as const), version: '1' }
  const [input, output] = [new PassThrough(), new PassThrough()]
  const serving = serveMcpOverStdio(access, { input, output })
  input.write(INITIALIZE)
  await new Promise(resolve => output.once('data', resolve))
  output.destroy(new Error('nobody reads'))
  await serving
  const broken = new PassThrough()
  const second = serveMcpOverStdio(access, { input: broken, output: new PassThrough() })
  broken.destroy(new Error('nobody writes'))
  await second
  expect(await palimpsest.sessions()).toEqual([])
})
