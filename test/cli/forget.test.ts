import { existsSync, readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
} from '../../packages/palimpsest/src/palimpsest.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { startServer } from '../../packages/server/src/index.ts'
import { postgresUrl } from '../postgres/url.ts'
import { sqliteBeside } from '../stores.ts'
import { run, runHere, temporaryFolder, transcript } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const ANN = { id: 'u-1', name: 'Ann' }

let databases = 0
const newName = () => `chats-${++databases}`

async function withChats(
  name: string,
  {
    write,
    ...options
  }: Partial<PalimpsestOptions> & { write?: (palimpsest: Palimpsest) => Promise<unknown> } = {},
): Promise<{ readonly file: string; readonly db: readonly string[] }> {
  const file = join(folder.path, `${name}.db`)
  await using palimpsest = await createPalimpsest({ store: sqlite(file), folding: 'manual', ...options })
  await palimpsest.session('telegram:42', { user: 'u-1' }).append([
    { role: 'user', text: 'My wombat is called Fred.', sender: ANN, at: '2026-01-10T09:00:00Z' },
    { role: 'assistant', text: 'A fine wombat.', at: '2026-01-10T09:01:00Z' },
    { role: 'user', text: 'What now?', sender: ANN, at: '2026-01-10T09:02:00Z' },
  ])
  await palimpsest.session('group', { kind: 'group' }).append([
    { role: 'user', text: 'I have a wombat!', sender: ANN },
    { role: 'user', text: 'Good morning.', sender: 'Bob' },
  ])
  await palimpsest.memory.user('u-1').replace('- has a wombat\n')
  await palimpsest.memory.global.replace('- Porto\n')
  await write?.(palimpsest)
  return { file, db: ['--db', file] }
}

async function count(db: readonly string[], query = 'wombat'): Promise<number> {
  const { stdout } = await runHere(['search', query, '--limit', '100', '--json', ...db])
  return JSON.parse(stdout).results.length
}

/** In the database, its log, or any file of the workspace. */
function isOnDisk(path: string, text: string): boolean {
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .some(entry => readFileSync(join(entry.parentPath, entry.name)).includes(text))
}

const ofDatabase = (file: string, text: string) =>
  [file, `${file}-wal`].some(name => existsSync(name) && readFileSync(name).includes(text))

interface Receipt {
  readonly places: readonly { readonly place: string; readonly count: number; readonly state: string }[]
}

const countOf = ({ places }: Receipt, name: string) => places.find(({ place }) => place === name)?.count ?? 0

describe('palimpsest forget', () => {
  test('erases a session, says how far it is, and prints a receipt', async () => {
    const { file, db } = await withChats(newName())
    expect(ofDatabase(file, 'wombat')).toBe(true)
    const ran = await run(['forget', '--session', 'telegram:42', '--yes', ...db])
    expect(ran.code).toBe(0)
    expect(ran.stderr).toBe(`erasing …
3 messages erased; nothing of it can be seen any more. Making segments anew …
Overwriting what the database let go …
done
`)
    expect(ran.stdout).toMatch(
      /^Erasure \d+ of session "telegram:42", asked for \d{4}-\d\d-\d\d \d\d:\d\d UTC: done\n\nwhere +how many +state\n─+\nmessages +3 +done\n/,
    )
    expect(ran.stdout).not.toContain('pending')
    expect((await runHere(['export', 'telegram:42', ...db])).code).toBe(66)
    expect(await count(db)).toBe(1)
    expect(ofDatabase(file, 'Fred')).toBe(false)
    const again = await run(['forget', '--session', 'telegram:42', '--yes', ...db])
    expect(again).toMatchObject({ code: 66, stdout: '' })
    const id = /^Erasure (\d+)/.exec(ran.stdout)![1]!
    expect((await runHere(['forget', '--receipt', id, ...db])).stdout).toBe(
      ran.stdout.replace(' of session "telegram:42"', ''),
    )
  })

  test('erases messages by their numbers', async () => {
    const { file, db } = await withChats(newName())
    const args = ['forget', '--session', 'telegram:42', '--seq', '1-2', ...db]
    expect(await runHere([...args, '--dry-run'])).toEqual({
      code: 0,
      stderr: '',
      stdout: `This would be erased:
  2 messages of session "telegram:42"
    1  Ann (u-1)  2026-01-10 09:00  My wombat is called Fred.
    2  assistant  2026-01-10 09:01  A fine wombat.
`,
    })
    const { code, stdout, stderr } = await run([...args, '--yes', '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    const receipt = JSON.parse(stdout)
    expect(receipt).toMatchObject({ id: expect.any(Number), target: null, done: true })
    expect(countOf(receipt, 'messages')).toBe(2)
    const { messages } = JSON.parse((await runHere(['export', 'telegram:42', ...db])).stdout)
    expect(JSON.stringify(messages)).toContain('What now?')
    expect(ofDatabase(file, 'Fred')).toBe(false)
    expect((await runHere([...args, '--dry-run'])).stdout).toContain('2 that cannot be seen any more')
  })

  test('says beforehand what goes of a person of whom others passed something on', async () => {
    const { file, db } = await withChats(newName())
    const palimpsest = await createPalimpsest({ store: sqlite(file) })
    const origin = { kind: 'forward', from: { id: 'u-9', name: 'Petra' } } as const
    await palimpsest.session('telegram:42').append([
      { role: 'user', content: [{ type: 'text', text: 'I keep a numbat.', origin }] },
      {
        role: 'user',
        content: [
          { type: 'text', text: 'I feed the numbat.', origin },
          { type: 'text', text: 'For the cook.' },
        ],
      },
    ])
    await palimpsest.close()
    const args = ['forget', '--user', 'u-9', ...db]
    const dry = await runHere([...args, '--dry-run'])
    expect(dry).toEqual({
      ...{ code: 0, stderr: '' },
      stdout:
        'This would be erased:\n  all that user "u-9" said, their private chats and their memory: 0 sessions, 2 messages, 0 memory documents\n',
    })
    const { code, stdout } = await run([...args, '--yes', '--json'])
    expect(code).toBe(0)
    expect(countOf(JSON.parse(stdout), 'messages')).toBe(2)
    expect(ofDatabase(file, 'numbat')).toBe(false)
    expect(await count(db, 'cook')).toBe(1)
  })

  test('erases a person, with the files of the workspace that the database remembers', async () => {
    const workspace = join(folder.path, 'workspace')
    const { file, db } = await withChats(newName(), { workspace })
    expect(isOnDisk(workspace, 'wombat')).toBe(true)
    const dry = await runHere(['forget', '--user', 'u-1', '--dry-run', '--json', ...db])
    expect(JSON.parse(dry.stdout)).toEqual({
      ...{ dryRun: true, target: { kind: 'person', id: 'u-1' } },
      ...{ sessions: 1, messages: 4, documents: 1 },
    })
    const { code, stdout } = await run(['forget', '--user', 'u-1', '--yes', '--json', ...db])
    expect(code).toBe(0)
    expect(countOf(JSON.parse(stdout), 'messages')).toBe(4)
    expect(isOnDisk(workspace, 'wombat')).toBe(false)
    expect(isOnDisk(workspace, 'Porto')).toBe(true)
    expect(ofDatabase(file, 'wombat')).toBe(false)
    expect(await count(db, 'morning')).toBe(1)
  })

  test('erases beside a server that has the workspace', async () => {
    const workspace = join(folder.path, 'shared')
    const { file, db } = await withChats(newName(), { workspace })
    const server = await startServer({ store: sqlite(file), port: 0, workspace })
    const { code, stdout } = await run(['forget', '--user', 'u-1', '--yes', '--json', ...db])
    expect(code).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({ done: true })
    expect(isOnDisk(workspace, 'wombat')).toBe(false)
    const found = await fetch(`${server.url}/v1/search?q=wombat`)
    expect(await found.json()).toEqual({ results: [], next: null })
    await server.close()
    expect(ofDatabase(file, 'wombat')).toBe(false)
  })

  test('where the workspace is not to be found, nothing is erased until somebody says where it is', async () => {
    const [workspace, moved] = [join(folder.path, 'before'), join(folder.path, 'after')]
    const { db } = await withChats(newName(), { workspace })
    renameSync(workspace, moved)
    const args = ['forget', '--user', 'u-1', '--yes', ...db]
    const ran = await run(args)
    expect(ran).toMatchObject({ code: 66, stdout: '' })
    expect(ran.stderr).toMatch(/The memory's files are in ".*before".*--workspace FOLDER.*Nothing was erased/)
    expect(existsSync(workspace)).toBe(false)
    expect(await count(db)).toBe(3)
    expect((await run([...args, '--workspace', moved])).code).toBe(0)
    expect(isOnDisk(moved, 'wombat')).toBe(false)
    expect(await count(db)).toBe(0)
  })

  test('erases all of a namespace, and nothing of others', async () => {
    const { file, db } = await withChats('all', {
      namespace: 'one',
      write: ({ memory }) => memory.global.replace('- Lisbon'),
    })
    await withChats('all', { namespace: 'two' })
    const one = [...db, '--namespace', 'one']
    const dry = await runHere(['forget', '--all', '--dry-run', ...one])
    expect(dry.stdout).toBe(
      'This would be erased:\n  everything in namespace "one": 2 sessions, 5 messages, 2 memory documents\n',
    )
    expect((await run(['forget', '--all', '--yes', ...one])).code).toBe(0)
    expect(await count(one)).toBe(0)
    expect(await count([...db, '--namespace', 'two'])).toBe(3)
    expect(ofDatabase(file, 'Lisbon')).toBe(false)
    expect(ofDatabase(file, 'Porto')).toBe(true)
  })

  test('without a terminal it needs --yes, and erases nothing', async () => {
    const { db } = await withChats(newName())
    const args = ['forget', '--session', 'telegram:42', ...db]
    const ran = await run(args, { stdin: 'yes\n' })
    expect(ran).toMatchObject({ code: 64, stdout: '' })
    expect(ran.stderr).toMatch(/--yes.*Nothing was erased/)
    expect(JSON.parse((await run([...args, '--json'])).stdout)).toMatchObject({
      error: { code: 'invalid_argument' },
    })
    expect(await count(db)).toBe(3)
  })

  test('a dry run changes nothing', async () => {
    const { file, db } = await withChats(newName())
    const before = readFileSync(file)
    const { stdout } = await runHere(['forget', '--session', 'telegram:42', '--dry-run', ...db])
    expect(stdout).toBe('This would be erased:\n  session "telegram:42": 3 messages, 0 memory documents\n')
    expect(readFileSync(file)).toEqual(before)
  })

  describe('in a terminal', () => {
    /** Where there is none, the program is told that there is. */
    const hook = folder.file('terminal.mjs', "Object.defineProperty(process.stdin, 'isTTY', { value: true })")
    const ask = (db: readonly string[], stdin: string) =>
      run(['forget', '--user', 'u-1', ...db], { hook, stdin })

    test.each([
      ['no\n', 1],
      ['\n', 1],
      ['y\n', 1],
      ['', 130],
    ])('%j erases nothing', async (answer, code) => {
      const { db } = await withChats(newName())
      const ran = await ask(db, answer)
      expect(ran).toMatchObject({ code, stdout: '' })
      expect(ran.stderr).toContain(`This is erased for good:
  all that user "u-1" said, their private chats and their memory: 1 session, 4 messages, 1 memory document
Type yes to erase it:`)
      expect(ran.stderr).toMatch(/Nothing was erased\.\n$/)
      expect(await count(db)).toBe(3)
    })

    test('yes erases it', async () => {
      const { db } = await withChats(newName())
      expect(await ask(db, ' Yes \n')).toMatchObject({ code: 0, stdout: expect.stringContaining('done') })
      expect(await count(db)).toBe(0)
    })
  })

  test('Ctrl-C leaves the rest to the next start', async () => {
    const { file, db } = await withChats(newName())
    // Somebody still reads what was there before: the bytes have to stay for now.
    const reader = sqliteBeside(file, { readOnly: true })
    reader.exec('BEGIN')
    reader.prepare('SELECT count(*) FROM messages').get()
    const ran = await run(['forget', '--session', 'telegram:42', '--yes', ...db], {
      onStderr: (child, stderr) => {
        if (stderr.endsWith('let go …\n')) child.kill('SIGINT')
      },
    })
    expect(ran).toMatchObject({ code: 130, stdout: '' })
    const [, id] = /the next start\. palimpsest forget --receipt (\d+) --db \S+ shows/.exec(ran.stderr) ?? []
    expect(await count(db)).toBe(1)
    const pending = await runHere(['forget', '--receipt', id!, '--json', ...db])
    expect(JSON.parse(pending.stdout)).toMatchObject({ id: Number(id), done: false })
    expect((await runHere(['forget', '--receipt', id!, ...db])).stdout).toContain('under way')
    reader.close()
    await using palimpsest = await createPalimpsest({ store: sqlite(file) })
    expect(await palimpsest.erased(Number(id))).toMatchObject({ done: true })
    expect(ofDatabase(file, 'Fred')).toBe(false)
  })

  test.each([
    [[], 64, 'forget: nothing is given; allowed: one of --session ID, --user ID, --all'],
    [['--session', 'a', '--user', 'b'], 64, 'one of --session ID'],
    [['--session', 'a', '--all'], 64, 'one of --session ID'],
    [['--user', 'u-1', '--seq', '1'], 64, 'with --session only'],
    [['--session', 'a', '--receipt', '1'], 64, 'cannot be used with'],
    [['--session', 'telegram:42', '--seq', '0'], 64, '--seq: "0"'],
    [['--session', 'telegram:42', '--seq', '3-1'], 64, 'such as 17 or 3,7-9'],
    [['--session', 'telegram:42', '--seq', '1,,2'], 64, 'such as 17 or 3,7-9'],
    [['--session', 'telegram:42', '--seq', '1-999999999999999'], 64, 'at most 10000 messages'],
    [['--session', 'telegram:42', '--seq', '4'], 66, 'message 4'],
    [['--session', 'nobody'], 66, 'There is no session "nobody"'],
    [['--session', 'nobody', '--dry-run'], 66, 'There is no session "nobody"'],
    [['--receipt', '999'], 66, 'There is no erasure 999'],
    [['--receipt', 'x'], 64, 'at least 1'],
    [['--all', '--namespace', ''], 64, 'namespace'],
  ])('%j is a clear error, and erases nothing', async (args, code, message) => {
    const { db } = await withChats(newName())
    const ran = await runHere(['forget', '--yes', ...args, ...db])
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(message)
    expect(await count(db)).toBe(3)
  })

  test('a database that is not there is an error, and stays so', async () => {
    const missing = join(folder.path, 'missing.db')
    const ran = await runHere(['forget', '--all', '--yes', '--db', missing])
    expect(ran).toMatchObject({ code: 66, stdout: '' })
    expect(existsSync(missing)).toBe(false)
  })

  test('says what it can do', async () => {
    const { code, stdout } = await runHere(['forget', '--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('Examples:\n  palimpsest forget')
    expect(stdout.split('\n').filter(line => line.length > 110)).toEqual([])
  })

  test('over PostgreSQL', async () => {
    const url = postgresUrl()
    const name = `forget_${process.pid}_${Date.now()}`
    const { default: pg } = await import('pg')
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(`CREATE DATABASE ${name}`)
    const store = ['--store', postgresUrl(name)]
    const lines = folder.file('postgres.jsonl', transcript(20))
    expect((await run(['import', lines, '--session', 'chat', ...store])).code).toBe(0)
    const { code, stdout } = await run(['forget', '--session', 'chat', '--yes', '--json', ...store])
    expect(code).toBe(0)
    expect(countOf(JSON.parse(stdout), 'messages')).toBe(20)
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  })
})
