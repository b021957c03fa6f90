import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, describe, expect, test, vi } from 'vitest'
import { createPalimpsest, sqlite } from '../../packages/palimpsest/src/index.ts'
import { postgresUrl } from '../postgres/url.ts'
import { MAIN, run, runHere, temporaryFolder } from './run.ts'

const PATIENCE = { timeout: 60_000, interval: 20 }

const folder = temporaryFolder()
const children = new Set<ChildProcess>()
afterAll(() => {
  for (const child of children) child.kill('SIGKILL')
  folder.remove()
})

const at = (name: string) => join(folder.path, name)

async function fill(name: string, messages = 5): Promise<string> {
  await using palimpsest = await createPalimpsest({ store: sqlite(at(name)), folding: 'manual' })
  for (let index = 0; index < messages; index++)
    await palimpsest.session('chat').append({ role: 'user', content: `number ${index}` })
  return at(name)
}

describe('palimpsest backup', () => {
  test('makes one and says what is in it, and does not take the place of a file', async () => {
    const db = await fill('one.db')
    const file = at('one-backup.db')
    const made = await runHere(['backup', file, '--db', db, '--json'])
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(JSON.parse(made.stdout)).toEqual({
      ...{ file, bytes: statSync(file).size, sessions: 1, messages: 5, generation: 1 },
      id: expect.stringMatching(/^[0-9a-f]{32}$/),
      tookMs: expect.any(Number),
    })
    const again = await runHere(['backup', file, '--db', db])
    expect(again).toMatchObject({ code: 64, stdout: '' })
    expect(again.stderr).toContain('--overwrite')
    const over = await runHere(['backup', file, '--db', db, '--overwrite'])
    expect(over.code).toBe(0)
    expect(over.stdout).toMatch(/1 sessions, 5 messages, 0\.\d MB, checked, in \d+\.\d s\n$/)
  })

  test('names a database that is not there, and what to run on PostgreSQL', async () => {
    expect(await runHere(['backup', at('x.db'), '--db', at('missing.db')])).toMatchObject({ code: 66 })
    const url = 'postgres://me:unmistakable@host/database'
    const ran = await runHere(['backup', at('x.db'), '--store', url])
    expect(ran.code).toBe(64)
    expect(ran.stderr).toMatch(/pg_dump .*--schema=palimpsest --schema=palimpsest_jobs/)
    expect(ran.stderr).not.toContain('unmistakable')
    expect((await run(['backup', at('x.db')], { env: { PALIMPSEST_STORE: url } })).code).toBe(64)
  })

  test('ended by Ctrl-C leaves nothing', async () => {
    const db = await fill('large.db')
    const database = new DatabaseSync(db)
    database.exec('CREATE TABLE filler (text TEXT); BEGIN')
    const insert = database.prepare('INSERT INTO filler VALUES (?)')
    for (let row = 0; row < 20_000; row++) insert.run('y'.repeat(3_500))
    database.exec('COMMIT')
    database.close()
    mkdirSync(at('broken'))
    const child = spawn(process.execPath, [MAIN, 'backup', at('broken/a.db'), '--db', db])
    children.add(child)
    const exited = once(child, 'exit')
    await vi.waitFor(() => expect(readdirSync(at('broken'))).toHaveLength(1), PATIENCE)
    child.kill('SIGINT')
    expect((await exited)[0]).toBe(130)
    expect(readdirSync(at('broken'))).toEqual([])
  })
})

/** A program as a person starts it, until it says that it runs. */
async function start(args: readonly string[], env: Record<string, string> = {}): Promise<ChildProcess> {
  const child = spawn(process.execPath, [MAIN, ...args], {
    cwd: folder.path,
    env: { ...process.env, ...env },
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  children.add(child)
  await once(createInterface(child.stdout!), 'line')
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  child.kill('SIGTERM')
  await once(child, 'exit')
}

const wholeOnes = (name: string) => readdirSync(at(name)).filter(file => file.endsWith('Z.db'))

describe('backups at intervals', () => {
  test('are made by serve, by flags and by the environment', async () => {
    await fill('served.db', 7)
    const serve = ['serve', '--port', '0', '--json', '--db', 'served.db']
    const first = await start([...serve, '--backup', 'flagged', '--backup-every', '6h', '--backup-keep', '2'])
    await vi.waitFor(() => expect(wholeOnes('flagged')).toHaveLength(1), PATIENCE)
    await stop(first)
    const second = await start(serve, { PALIMPSEST_BACKUP: 'from-environment' })
    await vi.waitFor(() => expect(wholeOnes('from-environment')).toHaveLength(1), PATIENCE)
    await stop(second)
    const [name] = wholeOnes('flagged')
    expect(name).toMatch(/^served-\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ\.db$/)
    const copy = new DatabaseSync(join(at('flagged'), name!), { readOnly: true })
    expect(copy.prepare('SELECT count(*) AS count FROM messages').get()).toEqual({ count: 7 })
    copy.close()
  })

  test('are made by a bot, in a folder beside its file', async () => {
    mkdirSync(at('bots'))
    const config = `export default { db: 'bot.db', settings: { backup: './copies', backupEvery: '12h' },
      channels: [{ name: 'own', start() { this.timer = setInterval(() => {}, 1000) },
        stop() { clearInterval(this.timer) }, async send() {} }], responder: async () => null }`
    const file = folder.file('bots/bot.mjs', config)
    const bot = await start(['bot', '--json', '--config', file])
    await vi.waitFor(() => expect(wholeOnes('bots/copies')).toHaveLength(1), PATIENCE)
    await stop(bot)
    const flagged = await start(['bot', '--json', '--config', file, '--backup', 'by-flag'])
    await vi.waitFor(() => expect(wholeOnes('by-flag')).toHaveLength(1), PATIENCE)
    await stop(flagged)
  })

  test('that cannot be made are refused at the start', async () => {
    const refused = (...args: readonly string[]) =>
      run(['serve', '--port', '0', '--json', ...args], { cwd: folder.path })
    const db = ['--db', 'refused.db']
    expect((await refused(...db, '--backup', 'x', '--backup-every', 'often')).stdout).toContain(
      'such as 90m, 24h or 7d',
    )
    expect((await refused(...db, '--backup', 'x', '--backup-keep', '0')).code).toBe(78)
    const file = folder.file('no-folder', '')
    expect(await refused(...db, '--backup', join(file, 'x'))).toMatchObject({ code: 73 })
    const onPostgres = await refused('--store', postgresUrl(), '--backup', 'x')
    expect(onPostgres.code).toBe(64)
    expect(onPostgres.stderr).toContain('pg_dump')
  })
})
