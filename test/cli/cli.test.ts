import { afterAll, describe, expect, test } from 'vitest'
import { postgresUrl } from '../postgres/url.ts'
import { postgresPlace } from '../stores.ts'
import { run, temporaryFolder, transcript } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

describe('palimpsest', () => {
  test('says what it can do', async () => {
    const { code, stdout } = await run(['--help'])
    expect(code).toBe(0)
    expect(stdout).toContain('replay')
    expect(stdout).toContain('import')
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/)
  })

  test('says what is wrong with a command, and exits with 64', async () => {
    expect(await run(['reply'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining("unknown command 'reply'"),
    })
    expect(await run(['replay'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('missing required argument'),
    })
    expect(await run(['replay', 'x', '--colour'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('--colour'),
    })
  })
})

describe('palimpsest import', () => {
  const file = folder.file('import.jsonl', transcript(250))

  test('appends a transcript; a repeat adds nothing, and a longer one only what is new', async () => {
    const args = ['import', file, '--session', 'a/b:c.d 🙂', '--db', 'x.db', '--json']
    const options = { cwd: folder.path }
    const session = 'a/b:c.d 🙂'
    expect(JSON.parse((await run(args, options)).stdout)).toEqual({
      session,
      messages: 250,
      added: 250,
      duplicates: 0,
    })
    expect(JSON.parse((await run(args, options)).stdout)).toEqual({
      session,
      messages: 250,
      added: 0,
      duplicates: 250,
    })
    folder.file('import.jsonl', transcript(260))
    expect(JSON.parse((await run(args, options)).stdout)).toEqual({
      session,
      messages: 260,
      added: 10,
      duplicates: 250,
    })
  })

  test('messages without an id that differ in time alone are all added', async () => {
    const args = (file: string) => [
      'import',
      file,
      '--session',
      'days',
      '--db',
      `${folder.path}/days.db`,
      '--json',
    ]
    const day = (at: string) => `{"role":"user","text":"good morning","at":"${at}"}\n`
    await run(args(folder.file('monday.jsonl', day('2026-01-05'))))
    const { stdout } = await run(args(folder.file('tuesday.jsonl', day('2026-01-06'))))
    expect(JSON.parse(stdout)).toMatchObject({ added: 1, duplicates: 0 })
  })

  test('a conflict names the line, and the first stays', async () => {
    const first = folder.file('first.jsonl', '{"role":"user","text":"one","externalId":"1"}\n')
    const second = folder.file('second.jsonl', '\n{"role":"user","text":"other","externalId":"1"}\n')
    const db = ['--session', 's', '--db', `${folder.path}/conflict.db`]
    expect((await run(['import', first, ...db])).code).toBe(0)
    expect(await run(['import', second, ...db])).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('line 2:'),
    })
  })

  test('into PostgreSQL', async () => {
    const place = postgresPlace()
    const url = postgresUrl()
    const db = postgresUrl(`db_${place.address.slice(-8)}`)
    const { default: pg } = await import('pg')
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(`CREATE DATABASE db_${place.address.slice(-8)}`)
    const chat = folder.file('postgres.jsonl', transcript(3))
    const ran = await run(['import', chat, '--session', 's', '--store', db, '--json'])
    expect(JSON.parse(ran.stdout)).toMatchObject({ added: 3 })
    await admin.query(`DROP DATABASE db_${place.address.slice(-8)} WITH (FORCE)`)
    await admin.end()
  })

  test.each([
    [['--session', 's', '--db', '/'], 69, 'cannot be opened'],
    [['--session', 's', '--db', ''], 64, 'the name of a file'],
    [['--db', 'x.db'], 64, '--session'],
    [['--session', 's', '--store', 'mysql://x'], 64, 'postgres://'],
    [['--session', 's', '--store', 'postgres://user:secret@127.0.0.1:1/x'], 69, 'cannot be reached'],
  ])('%j is a clear error', async (args, code, message) => {
    const ran = await run(['import', file, ...args], { cwd: folder.path })
    expect(ran).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(message) })
    expect(ran.stderr).not.toContain('secret')
  })
})

describe('palimpsest compact and export', () => {
  const db = ['--db', `${folder.path}/fold.db`]
  const long = Array.from({ length: 60 }, (_, index) =>
    JSON.stringify({
      role: index % 2 ? 'assistant' : 'user',
      text: `Message ${index}: ${'lemons for Porto '.repeat(20)}`,
    }),
  ).join('\n')

  test('fold a session, write it whole, and restore it elsewhere', async () => {
    const session = 'telegram:42/中文'
    await run(['import', folder.file('long.jsonl', long), '--session', session, ...db])
    const nothing = await run(['compact', session, ...db, '--json'])
    expect(JSON.parse(nothing.stdout)).toMatchObject({ outcome: 'skipped', reason: 'nothing_to_do' })
    const folded = await run(['compact', session, ...db, '--policy', 'count', '--json'])
    expect(JSON.parse(folded.stdout)).toMatchObject({
      outcome: 'applied',
      reason: 'count',
      fromSeq: 1,
      toSeq: 50,
    })
    expect((await run(['compact', session, ...db, '--policy', 'count', '--force'])).stdout).toMatch(
      /^skipped: all that is raw belongs to the newest messages, which stay as they are\n$/,
    )
    const misspelt = await run(['compact', ...db, '--force', session])
    expect(misspelt).toMatchObject({ code: 64, stdout: '' })
    expect(misspelt.stderr).toContain('Allowed choices are lite, deep')
    const exported = await run(['export', session, ...db])
    expect(JSON.parse(exported.stdout)).toMatchObject({ id: session, compactedThrough: 50 })
    const file = folder.file('exported.json', exported.stdout)
    const other = ['--db', `${folder.path}/other.db`]
    expect((await run(['import', file, ...other])).stdout).toBe(
      '"telegram:42/中文": restored with 60 messages\n',
    )
    expect((await run(['export', session, ...other])).stdout).toBe(exported.stdout)
    expect(await run(['import', file, ...other])).toMatchObject({
      code: 65,
      stderr: expect.stringContaining('already'),
    })
  })

  test('say what is wrong', async () => {
    expect(await run(['export', 'nobody', ...db])).toMatchObject({
      code: 66,
      stderr: expect.stringContaining('no session'),
    })
    expect(await run(['compact', 'nobody', ...db])).toMatchObject({ code: 66 })
    expect(await run(['compact', 'nobody', ...db, '--policy', 'x'])).toMatchObject({ code: 78 })
  })
})
