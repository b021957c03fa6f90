import { chmodSync, existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { startServer } from '../../packages/server/src/index.ts'
import { postgresUrl } from '../postgres/url.ts'
import { run, runHere, temporaryFolder, transcript } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const file = join(folder.path, 'chats.db')
const db = ['--db', file]

beforeAll(async () => {
  await using palimpsest = await createPalimpsest({ store: sqlite(file), folding: 'manual' })
  const ann = { id: 'u-1', name: 'Ann' }
  await palimpsest.session('telegram:42', { user: 'u-1' }).append([
    { role: 'user', text: 'Where does the ferry leave?', sender: ann, at: '2026-01-10T23:00:00Z' },
    { role: 'assistant', text: 'From pier 7,\n\nat nine.', at: '2026-01-10T23:01:00Z' },
    { role: 'user', text: '我们星期五发布。', sender: ann, at: '2026-01-11T08:00:00Z' },
  ])
  await palimpsest.session('group', { kind: 'group', scope: 'p' }).append([
    { role: 'user', text: 'Ferry tickets!', sender: 'Bob', at: '2026-02-01T10:00:00Z' },
    { role: 'user', text: 'The ferry sank.', sender: '\u001b[31mEve\u009b', at: '2026-02-01T10:01:00Z' },
  ])
  await palimpsest
    .session('long')
    .append(Array.from({ length: 25 }, (_, index) => ({ role: 'user' as const, text: `lemon ${index + 1}` })))
})

const search = (...args: readonly string[]) => runHere(['search', ...args, ...db])

async function json(...args: readonly string[]) {
  const { code, stdout, stderr } = await search(...args, '--json')
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const places = ({ results }: { results: readonly { sessionId: string; seq: number }[] }) =>
  results.map(({ sessionId, seq }) => `${sessionId}/${seq}`)

describe('palimpsest search', () => {
  test('shows a block for each result: where, who, when, and what was said around it', async () => {
    expect(await search('pier')).toEqual({
      code: 0,
      stderr: '',
      stdout: `telegram:42/2  assistant  2026-01-10 23:01 UTC
    Ann (u-1): Where does the ferry leave?
  > From pier 7, at nine.
    Ann (u-1): 我们星期五发布。
`,
    })
    const shown = await run(['search', 'pier', '--neighbours', '0', ...db], {
      env: { PALIMPSEST_ZONE: 'Asia/Shanghai' },
    })
    expect(shown.stdout).toBe(
      'telegram:42/2  assistant  2026-01-11 07:01 Asia/Shanghai\n  > From pier 7, at nine.\n',
    )
  })

  test('on a screen what was sought stands out; what strangers wrote does nothing to it', async () => {
    const [bold, dim, plain] = ['\u001b[1m', '\u001b[2m', '\u001b[22m']
    const { stdout } = await runHere(['search', 'ferry', 'sank', '--scope', 'p', ...db], 80)
    expect(stdout).toBe(`group/2  \\u{1b}[31mEve\\u{9b}  2026-02-01 10:01 UTC
    ${dim}Bob: Ferry tickets!${plain}
  > The ${bold}ferry${plain} ${bold}sank${plain}.

group/1  Bob  2026-02-01 10:00 UTC
  > ${bold}Ferry${plain} tickets!
    ${dim}\\u{1b}[31mEve\\u{9b}: The ferry sank.${plain}
`)
    expect((await run(['search', 'ferry', ...db], { env: { FORCE_COLOR: '1' } })).stdout).not.toContain(
      '\u001b',
    )
  })

  test.each([
    [['发布'], ['telegram:42/3']],
    [['ferry', '--session', 'telegram:42'], ['telegram:42/1']],
    [['ferry'], ['group/1', 'group/2', 'telegram:42/1']],
    [['"ferry tickets"'], ['group/1']],
    [
      ['ferry', '--session', 'telegram:42', '--session', 'group', '--role', 'user', '--before', '2026-01-11'],
      ['telegram:42/1'],
    ],
    [['ferry', '--user', 'u-1', '--sender', 'Ann'], ['telegram:42/1']],
    [['ferry', '--scope', 'p', '--sender', 'Bob'], ['group/1']],
    [['ferry', '--after', '2026-02-01T10:01'], ['group/2']],
    [['ferry', '--namespace', 'other'], []],
    [[''], []],
    [['hovercraft'], []],
  ])('%j', async (args, found) => {
    expect(places(await json(...args)).toSorted()).toEqual(found)
  })

  test('answers as the server does', async () => {
    const { results, next } = await json('lemon', '--session', 'long', '--limit', '3')
    await using stack = new AsyncDisposableStack()
    const server = await startServer({ store: sqlite(file), port: 0 })
    stack.defer(() => server.close())
    const answer = await fetch(`${server.url}/v1/sessions/long/search?q=lemon&limit=3`)
    expect({ results, next }).toEqual(await answer.json())
  })

  test('goes through pages', async () => {
    const first = await search('lemon', '--limit', '20', '--neighbours', '0')
    expect(first.stdout.match(/^long\//gm)).toHaveLength(20)
    expect(first.stdout.endsWith('\nnext page: --cursor 20\n')).toBe(true)
    const last = await search('lemon', '--limit', '20', '--neighbours', '0', '--cursor', '20')
    expect(last.stdout.match(/^long\//gm)).toHaveLength(5)
    expect(last.stdout).not.toContain('next page')
    expect(await search('lemon', '--cursor', '40')).toEqual({
      ...{ code: 1, stdout: '', stderr: 'There are no more.\n' },
    })
  })

  test('nothing found is exit code 1, as with grep; as JSON it is an answer', async () => {
    expect(await search('hovercraft')).toEqual({ code: 1, stdout: '', stderr: 'Nothing was found.\n' })
    expect(await json('hovercraft')).toEqual({ results: [], next: null })
  })

  test.each([
    [['x', '--session', 'nobody'], 66, 'There is no session "nobody"'],
    [['x', '--session', 'long', '--session', 'nobody'], 66, 'There is no session "nobody"'],
    [['x', '--limit', '0'], 64, '--limit: "0"'],
    [['x', '--limit', '101'], 64, 'from 1 to 100'],
    [['x', '--neighbours', '9'], 64, 'from 0 to 5'],
    [['x', '--neighbours', '-1'], 64, 'at least 0'],
    [['x', '--role', 'bot'], 64, 'Allowed choices are system'],
    [['x', '--after', 'soon'], 64, 'a day or an instant'],
    [['x', '--cursor', 'x'], 64, 'next'],
    [['x', '--namespace', ''], 64, 'namespace'],
    [[], 64, 'missing required argument'],
    [['x', '--store', 'mysql://x'], 64, 'postgres://'],
  ])('%j is a clear error', async (args, code, message) => {
    const ran = await search(...args)
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(JSON.parse((await search(...args, '--json')).stdout)).toMatchObject({
      error: { message: expect.stringContaining(message.slice(0, 8)) },
    })
  })

  test('a database that is not there is an error, and stays so', async () => {
    const missing = join(folder.path, 'missing.db')
    const ran = await runHere(['search', 'x', '--db', missing])
    expect(ran).toMatchObject({ code: 66, stdout: '' })
    expect(ran.stderr).toMatch(/There is no database .*--db/)
    expect(existsSync(missing)).toBe(false)
    const other = folder.file('other.db', 'no database at all, but long enough to be looked at'.repeat(20))
    expect(await runHere(['search', 'x', '--db', other])).toMatchObject({ code: 74, stdout: '' })
  })

  test('needs no permission to write, and writes nothing', async () => {
    const readOnly = join(folder.path, 'read-only.db')
    {
      await using palimpsest = await createPalimpsest({ store: sqlite(readOnly), folding: 'manual' })
      await palimpsest.session('s').append({ role: 'user', text: 'not indexed yet' })
    }
    const before = readFileSync(readOnly)
    chmodSync(readOnly, 0o444)
    const ran = await run(['search', 'indexed', '--db', readOnly])
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringContaining('s/1  user') })
    expect(readFileSync(readOnly)).toEqual(before)
  })

  test('finds what was imported', async () => {
    const lines = folder.file('import.jsonl', transcript(300))
    const imported = ['--db', join(folder.path, 'imported.db')]
    expect((await run(['import', lines, '--session', 'chat', ...imported])).code).toBe(0)
    const { stdout } = await run(['search', 'message 217', '--limit', '1', '--json', ...imported])
    expect(JSON.parse(stdout).results).toMatchObject([
      { sessionId: 'chat', seq: 217, excerpt: 'message 217' },
    ])
  })

  test('says what it can do', async () => {
    const { code, stdout } = await runHere(['search', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('Examples:\n  palimpsest search')
    expect(stdout.split('\n').filter(line => line.length > 110)).toEqual([])
  })

  test('over PostgreSQL', async () => {
    const url = postgresUrl()
    const name = `search_${process.pid}_${Date.now()}`
    const { default: pg } = await import('pg')
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(`CREATE DATABASE ${name}`)
    const store = ['--store', postgresUrl(name)]
    const lines = folder.file('postgres.jsonl', transcript(20))
    expect((await run(['import', lines, '--session', 'chat', ...store])).code).toBe(0)
    const { stdout } = await run(['search', 'message 17', '--limit', '1', '--json', ...store])
    expect(JSON.parse(stdout).results).toMatchObject([{ sessionId: 'chat', seq: 17 }])
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  })
})
