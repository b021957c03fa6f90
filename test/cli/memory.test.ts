import { existsSync, readFileSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { createPalimpsest, type Palimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { postgresUrl } from '../postgres/url.ts'
import { MAIN, run, runHere, temporaryFolder } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

/** What stands in a database already. */
async function withMemory(
  name: string,
  write: (palimpsest: Palimpsest) => Promise<unknown>,
): Promise<string[]> {
  const file = join(folder.path, `${name}.db`)
  await using palimpsest = await createPalimpsest({ store: sqlite(file), folding: 'manual' })
  await write(palimpsest)
  return ['--db', file]
}

async function json(args: readonly string[]) {
  const { code, stdout, stderr } = await runHere([...args, '--json'])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const contentOf = async (name: readonly string[], db: readonly string[]): Promise<string> =>
  (await runHere(['memory', 'show', ...name, ...db])).stdout

describe('palimpsest memory', () => {
  test('writes from standard input, shows, tells the history and takes back', async () => {
    const db = ['--db', join(folder.path, 'whole.db')]
    const options = { env: { USER: 'ann' } }
    const edit = (stdin: string) => run(['memory', 'edit', 'persona', ...db], { ...options, stdin })
    const missing = await runHere(['memory', 'list', ...db])
    expect(missing).toMatchObject({ code: 66, stdout: '' })
    expect(missing.stderr).toMatch(/There is no database .*--db/)
    expect(await edit('\uFEFF# Bo\r\n\r\n## Tone\r\n- brief 🙂\r\n')).toEqual({
      code: 0,
      stdout: 'The persona memory is at version 1 now.\n',
      stderr: '',
    })
    expect((await edit('# Bo\n\n## Tone\n- brief 🙂\n')).stdout).toBe('Nothing changed.\n')
    expect((await edit('# Bo\n\n## Tone\n- brief 🙂\n- kind\n')).stdout).toContain('version 2')
    expect(await contentOf(['persona'], db)).toBe('# Bo\n\n## Tone\n- brief 🙂\n- kind\n')
    expect(await contentOf(['persona', '--section', 'Tone'], db)).toBe('- brief 🙂\n- kind\n')
    expect(await contentOf(['persona', 'default', '--version', '1'], db)).toBe(
      '# Bo\n\n## Tone\n- brief 🙂\n',
    )
    const history = await runHere(['memory', 'history', 'persona', ...db])
    expect(history.stdout).toMatch(
      /^version +when \(UTC\) +by +lines\n─+\n +2 +\d{4}-\d\d-\d\d \d\d:\d\d +person ann +\+1 −0\n +1 .* \+4 −0\n$/,
    )
    expect((await run(['memory', 'undo', 'persona', ...db], options)).stdout).toBe(
      'Took back version 2 (person ann, +1 −0 lines): the persona memory is at version 3 now.\n',
    )
    expect(await json(['memory', 'history', 'persona', '--limit', '1', ...db])).toEqual({
      layer: 'persona',
      key: 'default',
      versions: [
        {
          ...{ version: 3, content: '# Bo\n\n## Tone\n- brief 🙂\n', at: expect.stringMatching(/Z$/) },
          ...{ author: { kind: 'person', name: 'ann' }, sources: [], undoes: 2, added: 0, removed: 1 },
        },
      ],
    })
    expect(await json(['memory', 'undo', 'persona', '--version', '3', ...db])).toEqual({
      ...{ layer: 'persona', key: 'default', version: 4, undoes: 3 },
    })
    expect(await json(['memory', 'show', 'persona', ...db])).toMatchObject({
      ...{ layer: 'persona', key: 'default', version: 4, budget: 2_000, tokens: expect.any(Number) },
      sections: [
        { heading: 'Bo', level: 1 },
        { heading: 'Tone', level: 2, content: '- brief 🙂\n- kind' },
      ],
    })
    expect(await json(['memory', 'show', 'persona', '--version', '1', ...db])).toMatchObject({
      ...{ layer: 'persona', version: 1, author: { kind: 'person', name: 'ann' }, undoes: null },
    })
    expect(await json(['memory', 'show', 'persona', '--section', 'Tone', ...db])).toEqual({
      ...{ layer: 'persona', key: 'default', version: 4, section: 'Tone', content: '- brief 🙂\n- kind' },
    })
  })

  test('lists all documents, with budgets and times as they are set', async () => {
    const ids = [
      'a/b:c',
      '🙂 聊天',
      '\u001b[31mred\u009b\u2028',
      ...Array.from({ length: 600 }, (_, n) => `u-${n}`),
    ]
    const db = await withMemory('list', async palimpsest => {
      for (const id of ids) await palimpsest.memory.user(id).replace('- x')
      await palimpsest.memory.global.replace('- y')
      await palimpsest.session('telegram:42').append({ role: 'user', text: 'x' })
      await palimpsest.memory.daily('telegram:42', '2026-02-10').append('- z')
    })
    const env = { PALIMPSEST_ZONE: 'Asia/Shanghai', PALIMPSEST_USER_MEMORY_TOKENS: '300' }
    const { stdout } = await run(['memory', 'list', ...db], { env })
    const lines = stdout.trimEnd().split('\n')
    expect(lines[0]).toMatch(/^layer +key +version +tokens +updated \(Asia\/Shanghai\)$/)
    expect(lines).toHaveLength(2 + ids.length + 2)
    expect(lines[2]).toMatch(/^daily +2026-02-10\/telegram:42 +1 +\d+ of 500 +\d{4}-\d\d-\d\d \d\d:\d\d$/)
    expect(stdout).toMatch(/^user +a\/b:c +1 +\d+ of 300 /m)
    expect(stdout).toContain('🙂 聊天')
    expect(stdout).toContain('\\u{1b}[31mred\\u{9b}\\u{2028}')
    const { documents } = await json(['memory', 'list', '--layer', 'user', ...db])
    expect(documents).toHaveLength(ids.length)
    expect(documents.map(({ key }: { key: string }) => key).toSorted()).toEqual(ids.toSorted())
    expect(documents[0]).toMatchObject({
      layer: 'user',
      version: 1,
      budget: 800,
      updatedAt: expect.any(String),
    })
    expect((await json(['memory', 'list', '--layer', 'global', ...db])).documents).toMatchObject([
      { layer: 'global', key: 'default' },
    ])
    expect((await json(['memory', 'list', '--namespace', 'other', ...db])).documents).toEqual([])
  })

  test.each(['a/b:c', '🙂 聊天', 'x y'])('the chat %j has its memory', async id => {
    const db = await withMemory(`chat-${id.length}`, palimpsest =>
      palimpsest.session(id).append({ role: 'user', text: 'x' }),
    )
    const edit = (args: readonly string[], stdin: string) =>
      run(['memory', 'edit', ...args, ...db], { stdin })
    expect((await edit(['chat', id, '--section', 'Agreements'], '- Fridays only')).stdout).toContain(
      `chat memory of ${JSON.stringify(id)} is at version 1`,
    )
    expect(await contentOf(['chat', id], db)).toMatch(
      /^# Chat memory\n(.|\n)*## Agreements\n- Fridays only\n$/,
    )
    expect((await edit(['daily', `2026-02-10/${id}`], '- We met')).code).toBe(0)
    expect(await contentOf(['daily', `2026-02-10/${id}`], db)).toBe('- We met\n')
    expect((await edit(['chat', id], 'All new\n')).code).toBe(0)
    expect(await contentOf(['chat', id], db)).toBe('All new\n')
  })

  test('what strangers wrote does nothing to a screen, and is whole in a file', async () => {
    const content = 'plain\n\ttab\u001b[2Jcleared\n'
    const db = await withMemory('screen', palimpsest => palimpsest.memory.user('u').replace(content))
    const args = ['memory', 'show', 'user', 'u', ...db]
    expect((await runHere(args)).stdout).toBe(content)
    expect((await runHere(args, 80)).stdout).toBe('plain\n\ttab\\u{1b}[2Jcleared\n')
  })

  test('histories of huge documents are told, too', async () => {
    const lines = Array.from({ length: 9_000 }, (_, index) => `- ${index}`)
    const db = await withMemory('huge', async palimpsest => {
      await palimpsest.memory.persona.replace(lines.join('\n'))
      await palimpsest.memory.persona.replace(['- new', ...lines.slice(3), '- last'].join('\n'))
      await palimpsest.memory.persona.replace('x'.repeat(300_000))
    })
    const { versions } = await json(['memory', 'history', 'persona', ...db])
    expect(versions).toMatchObject([
      { version: 3, added: 1, removed: 8_999 },
      { version: 2, added: 2, removed: 3 },
      { version: 1, added: 9_000, removed: 0 },
    ])
  })

  test('an undo that would change nothing says so', async () => {
    const db = await withMemory('undo', async ({ memory }) => {
      await memory.persona.replace('- a')
      await memory.persona.replace('- a\n- b')
      await memory.persona.replace('- a')
    })
    const args = ['memory', 'undo', 'persona', '--version', '2', ...db]
    const { code, stderr } = await runHere(args)
    expect(code).toBe(64)
    expect(stderr).toMatch(/what this one brought is gone already, or was changed since/)
  })

  test('over PostgreSQL', async () => {
    const url = postgresUrl()
    const name = `memory_${process.pid}_${Date.now()}`
    const { default: pg } = await import('pg')
    const admin = new pg.Client(url)
    await admin.connect()
    await admin.query(`CREATE DATABASE ${name}`)
    const store = ['--store', postgresUrl(name), '--namespace', 'one']
    expect((await run(['memory', 'edit', 'global', ...store], { stdin: '- Porto' })).code).toBe(0)
    expect(await contentOf(['global'], store)).toBe('- Porto\n')
    expect((await json(['memory', 'list', ...store])).documents).toHaveLength(1)
    await admin.query(`DROP DATABASE ${name} WITH (FORCE)`)
    await admin.end()
  })

  test.each<[readonly string[], number, string]>([
    [['show', 'persona'], 66, 'There is no persona memory yet'],
    [['history', 'global'], 66, 'no global memory'],
    [['undo', 'user', 'nobody'], 66, 'no user memory of "nobody"'],
    [['show', 'chat', 'nobody'], 66, 'no session "nobody"'],
    [['edit', 'chat', 'nobody'], 66, 'no session "nobody"'],
    [['show', 'soul'], 64, 'Allowed choices are persona, global, user'],
    [['show', 'user'], 64, 'the id of a user'],
    [['show', 'persona', 'other'], 64, 'there is one persona document'],
    [['show', 'daily', '2026-02-10'], 64, 'a day and a session, as in 2026-02-10/telegram:42'],
    [['show', 'user', 'u', '--section', 'B'], 64, '"A", "### C"'],
    [['show', 'user', 'u', '--version', '9'], 64, 'a version from 1 to 1'],
    [['show', 'user', 'u', '--version', 'x'], 64, 'a whole number of at least 1'],
    [['history', 'user', 'u', '--limit', '0'], 64, '--limit: "0"'],
    [['undo', 'user', 'u', '--version', '9'], 64, 'a version from 1 to 1'],
    [['list', '--layer', 'x'], 64, 'persona, global, user'],
    [['list', '--namespace', ''], 64, 'namespace'],
    [['edit'], 64, 'missing required argument'],
    [['forget', 'persona'], 64, "unknown command 'forget'"],
  ])('%j is a clear error', async (args, code, message) => {
    const db = await withMemory('errors', ({ memory }) => memory.user('u').replace('## A\n\n### C\n'))
    const ran = await runHere(['memory', ...args, ...db])
    expect(ran).toMatchObject({ code, stdout: '' })
    expect(ran.stderr).toContain(message)
    const asJson = await runHere(['memory', ...args, ...db, '--json'])
    expect(JSON.parse(asJson.stdout)).toMatchObject({ error: { code: expect.any(String) } })
  })

  test.each([
    ['', 'the new text'],
    [' \r\n', 'the new text'],
    ['x'.repeat(400_001), 'at most 400000 characters'],
    ['x'.repeat(4_000_000), 'more than 3200000 bytes'],
    [Buffer.from([0x23, 0xff, 0x0a]), 'text in UTF-8'],
  ])('standard input that cannot be taken changes nothing (%#)', async (stdin, message) => {
    const db = ['--db', join(folder.path, 'input.db')]
    const ran = await run(['memory', 'edit', 'persona', ...db], { stdin })
    expect(ran).toMatchObject({ code: 64, stdout: '', stderr: expect.stringContaining(message) })
    expect((await runHere(['memory', 'show', 'persona', ...db])).code).toBe(66)
  })

  test('says what it can do', async () => {
    const { stdout } = await runHere(['memory', '--help'])
    for (const words of [
      'list',
      'show',
      'edit',
      'history',
      'undo',
      'palimpsest memory edit persona < SOUL.md',
    ])
      expect(stdout).toContain(words)
    for (const command of ['list', 'show', 'edit', 'history', 'undo']) {
      const { code, stdout } = await runHere(['memory', command, '--help'])
      expect(code).toBe(0)
      expect(stdout).toContain(`Examples:\n  palimpsest memory ${command}`)
      expect(stdout.split('\n').filter(line => line.length > 110)).toEqual([])
    }
  })
})

describe('palimpsest memory edit, with an editor', () => {
  /** Where there is no terminal, the program is told that there is. */
  const hook = folder.file(
    'terminal.mjs',
    `Object.defineProperty(process.stdin, 'isTTY', { value: true })
     process.env.TEST_PROGRAM = String(process.pid)`,
  )

  /** A person: \`write\` is run with the file's text, and what it returns is saved. */
  function editor(name: string, write: string): string {
    const script = folder.file(
      `${name}.mjs`,
      `import { readFileSync, statSync, writeFileSync } from 'node:fs'
       import { execFileSync } from 'node:child_process'
       import { dirname } from 'node:path'
       const file = process.argv.at(-1)
       const text = readFileSync(file, 'utf8')
       writeFileSync(${JSON.stringify(join(folder.path, `${name}.seen`))}, JSON.stringify({
         file, text, arguments: process.argv.slice(2, -1), mode: statSync(dirname(file)).mode & 0o777,
       }))
       const main = (args, input) => execFileSync(process.execPath, [${JSON.stringify(MAIN)}, ...args], { input, stdio: ['pipe', 'ignore', 'pipe'] })
       process.stdout.write('drawn on the screen')
       const written = ${write}
       if (written !== undefined) writeFileSync(file, written)`,
    )
    return `"${process.execPath}" "${script}"`
  }

  const seen = (name: string) => JSON.parse(readFileSync(join(folder.path, `${name}.seen`), 'utf8'))

  const edit = (args: readonly string[], env: Record<string, string | undefined>) =>
    run(['memory', 'edit', ...args], { hook, env: { VISUAL: '', EDITOR: '', USER: 'ann', ...env } })

  test('takes what was saved, with arguments, and leaves nothing behind', async () => {
    const db = await withMemory('saved', ({ memory }) => memory.user('a b').replace('- one\n'))
    const EDITOR = `${editor('saved', "text.replace('one', 'two').replaceAll('\\n', '\\r\\n')")} --wait -n`
    const ran = await edit(['user', 'a b', ...db], { EDITOR })
    expect(ran).toMatchObject({ code: 0, stdout: 'The user memory of "a b" is at version 2 now.\n' })
    expect(ran.stderr).toBe('drawn on the screen')
    expect(await contentOf(['user', 'a b'], db)).toBe('- two\n')
    const { file, text, mode, arguments: given } = seen('saved')
    expect({ text, given, mode }).toEqual({ text: '- one\n', given: ['--wait', '-n'], mode: 0o700 })
    expect(file).toMatch(/user\.md$/)
    expect(existsSync(dirname(file))).toBe(false)
  })

  test('prefers $VISUAL; what is saved as it was changes nothing', async () => {
    const db = await withMemory('same', ({ memory }) => memory.persona.replace('- one\n'))
    const env = { VISUAL: editor('same', "'- one\\r\\n\\r\\n'"), EDITOR: 'false' }
    expect(await edit(['persona', ...db], env)).toMatchObject({ code: 0, stdout: 'Nothing changed.\n' })
    expect(existsSync(seen('same').file)).toBe(false)
    const asJson = await edit(['persona', ...db, '--json'], env)
    expect(JSON.parse(asJson.stdout)).toEqual({
      layer: 'persona',
      key: 'default',
      version: 1,
      changed: false,
    })
  })

  test('begins a document', async () => {
    const db = ['--db', join(folder.path, 'begun.db')]
    const nothing = await edit(['scope', 'p', ...db], { EDITOR: editor('nothing', 'undefined') })
    expect(nothing.stdout).toBe('Nothing changed.\n')
    const ran = await edit(['scope', 'p', ...db], { EDITOR: editor('begun', 'text + "# Plans"') })
    expect(ran.stdout).toBe('The scope memory of "p" is at version 1 now.\n')
    expect(await contentOf(['scope', 'p'], db)).toBe('# Plans\n')
  })

  test('what others write meanwhile stays', async () => {
    const db = await withMemory('meanwhile', ({ memory }) =>
      memory.persona.replace('# Bo\n\n## A\n- one\n\n## B\n- two\n'),
    )
    const other = `main(['memory', 'edit', 'persona', '--section', 'B', ...${JSON.stringify(db)}], '- two\\n- theirs\\n')`
    const EDITOR = editor('meanwhile', `(${other}, text.replace('one', 'mine'))`)
    expect((await edit(['persona', ...db], { EDITOR })).stdout).toBe(
      'The persona memory is at version 3 now. What others wrote meanwhile is in it, too.\n',
    )
    expect(await contentOf(['persona'], db)).toBe('# Bo\n\n## A\n- mine\n\n## B\n- two\n- theirs\n')
    const { versions } = await json(['memory', 'history', 'persona', ...db])
    expect(versions[0].author).toEqual({ kind: 'person', name: 'ann' })
  })

  test('also where nobody had written before', async () => {
    const db = ['--db', join(folder.path, 'first.db')]
    const other = `main(['memory', 'edit', 'global', ...${JSON.stringify(db)}], '- theirs\\n')`
    await edit(['global', ...db], { EDITOR: editor('first', `(${other}, '- mine\\n')`) })
    expect(await contentOf(['global'], db)).toBe('- theirs\n- mine\n')
  })

  test('shows a section alone, and keeps the rest', async () => {
    const db = await withMemory('section', ({ memory }) =>
      memory.persona.replace('# Bo\n\n## A\n- one\n### C\n- c\n\n## B\n- two\n'),
    )
    const args = ['persona', '--section', 'A', ...db]
    const ran = await edit(args, { EDITOR: editor('section', "text.replace('one', 'more')") })
    expect(ran.code).toBe(0)
    expect(seen('section').text).toBe('- one\n### C\n- c\n')
    expect(await contentOf(['persona'], db)).toBe('# Bo\n\n## A\n- more\n### C\n- c\n\n## B\n- two\n')
    const wrong = await edit(args, { EDITOR: editor('wrong', "text + '## B\\n'") })
    expect(wrong).toMatchObject({ code: 64, stdout: '' })
    const { file } = seen('wrong')
    expect(wrong.stderr).toContain('would begin another section')
    expect(wrong.stderr).toContain(`What you wrote is in ${file}`)
    expect(readFileSync(file, 'utf8')).toBe('- more\n### C\n- c\n## B\n')
    rmSync(dirname(file), { recursive: true })
    const unchanged = await edit(args, { EDITOR: editor('unchanged', 'text') })
    expect(unchanged.stdout).toBe('Nothing changed.\n')
  })

  test.each([
    ['a failure', "(writeFileSync(file, 'lost?'), process.exit(3))", 73, 'ended with 3'],
    ['no text', 'Buffer.from([0xff, 0xfe, 0x41, 0x00])', 73, 'is not UTF-8'],
    ['too much', "'x'.repeat(400_001)", 64, 'at most 400000 characters'],
  ])('nothing is lost where what comes of it is %s', async (what, write, code, message) => {
    const name = what.replaceAll(' ', '-')
    const db = await withMemory(name, ({ memory }) => memory.persona.replace('- one\n'))
    const ran = await edit(['persona', ...db, '--json'], { EDITOR: editor(name, write) })
    const { file } = seen(name)
    expect(ran).toMatchObject({ code, stderr: expect.stringContaining(message) })
    expect(JSON.parse(ran.stdout)).toMatchObject({ error: { details: { file } } })
    expect(ran.stderr).toContain(file)
    expect(statSync(file).size).toBeGreaterThan(0)
    expect(await contentOf(['persona'], db)).toBe('- one\n')
    rmSync(dirname(file), { recursive: true })
  })

  test('an editor that is not there is a clear error', async () => {
    const db = await withMemory('absent', ({ memory }) => memory.persona.replace('- one\n'))
    const ran = await edit(['persona', ...db], { EDITOR: 'no-such-editor --wait' })
    expect(ran).toMatchObject({ code: 66, stdout: '' })
    expect(ran.stderr).toContain('There is no editor "no-such-editor --wait" here: set $VISUAL or $EDITOR')
    const [, file] = /the text is in (\S+)\.\n/.exec(ran.stderr)!
    expect(readFileSync(file!, 'utf8')).toBe('- one\n')
    rmSync(dirname(file!), { recursive: true })
  })

  test('Ctrl-C is for the editor', async () => {
    const db = await withMemory('interrupted', ({ memory }) => memory.persona.replace('- one\n'))
    const write = "(process.kill(Number(process.env.TEST_PROGRAM), 'SIGINT'), '- two\\n')"
    expect((await edit(['persona', ...db], { EDITOR: editor('interrupt', write) })).code).toBe(0)
    expect(await contentOf(['persona'], db)).toBe('- two\n')
  })
})
