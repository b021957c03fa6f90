import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, describe, expect, test, vi } from 'vitest'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { parseKey } from '../../packages/server/src/keys/written-key.ts'
import { MAIN, run, runHere, shell, temporaryFolder } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())
afterEach(() => {
  vi.unstubAllEnvs()
})

let databases = 0
const newFile = () => join(folder.path, `keys-${++databases}.db`)

const keys = (file: string, ...args: readonly string[]) => runHere(['keys', ...args, '--db', file])

async function created(file: string, ...args: readonly string[]): Promise<string> {
  const { code, stdout } = await keys(file, 'create', ...args)
  expect(code).toBe(0)
  return parseKey(stdout.trimEnd())!.id
}

describe('palimpsest keys create', () => {
  test('prints the key alone, says what it is beside it, and makes the database', async () => {
    const file = newFile()
    const { code, stdout, stderr } = await keys(file, 'create', 'telegram-bot')
    expect(code).toBe(0)
    const { id, secret } = parseKey(stdout.slice(0, -1))!
    expect(stdout).toBe(`pal_${id}_${secret}\n`)
    expect(stderr).toContain(`Created key "telegram-bot" (${id}) of namespace "default", for read, write.`)
    expect(stderr).toContain('It is the first')
    expect(stderr).not.toContain(secret)
    expect((await keys(file, 'create', 'other')).stderr).not.toContain('It is the first')
    for (const name of [file, `${file}-wal`])
      if (existsSync(name)) expect(readFileSync(name).includes(secret)).toBe(false)
  })

  test('prints one object with --json', async () => {
    const file = newFile()
    const { stdout, stderr } = await keys(
      file,
      'create',
      'x',
      '--scope',
      'admin, read',
      '--namespace',
      'n',
      '--json',
    )
    const { key, ...others } = JSON.parse(stdout)
    expect(others).toEqual({
      id: parseKey(key)!.id,
      name: 'x',
      namespace: 'n',
      scopes: ['read', 'admin'],
      createdAt: expect.any(String),
    })
    expect(stderr).toBe('')
  })

  test('can be read by a shell', async () => {
    const { stdout } = await shell(
      `KEY=$(${process.execPath} ${MAIN} keys create bot --db ${newFile()} 2>/dev/null); echo "<$KEY>"`,
    )
    expect(stdout).toMatch(/^<pal_\w{10}_[\w-]{43}>\n$/)
  })

  test('takes the database and the namespace of the environment, as the server does', async () => {
    const file = newFile()
    vi.stubEnv('PALIMPSEST_DB', file)
    vi.stubEnv('PALIMPSEST_NAMESPACE', 'customer-7')
    expect((await runHere(['keys', 'create', 'bot'])).code).toBe(0)
    expect(JSON.parse((await runHere(['keys', 'list', '--json'])).stdout).keys).toMatchObject([
      { name: 'bot', namespace: 'customer-7' },
    ])
  })

  test.each([
    [['a\u0007b'], 64, 'printable'],
    [['bot', '--scope', 'root'], 64, 'read, write, admin'],
    [['bot', '--scope', ''], 64, 'read, write, admin'],
    [['bot', '--namespace', ''], 64, 'namespace'],
    [[], 64, "missing required argument 'name'"],
  ])('%j is a clear error, and makes no database', async (args, code, message) => {
    const file = newFile()
    expect(await keys(file, 'create', ...args)).toMatchObject({
      ...{ code, stdout: '' },
      stderr: expect.stringContaining(message),
    })
    expect(existsSync(file)).toBe(false)
  })

  test('takes a name once for each namespace', async () => {
    const file = newFile()
    await created(file, 'bot')
    await created(file, 'bot', '--namespace', 'other')
    expect(await keys(file, 'create', 'bot')).toMatchObject({
      code: 65,
      stdout: '',
      stderr: expect.stringContaining('already has a key "bot"'),
    })
  })
})

describe('palimpsest keys list', () => {
  test('shows what is no secret', async () => {
    const file = newFile()
    const id = await created(file, 'bot', '--scope', 'read')
    const store = sqlite(file)
    await store.open()
    const { hash } = (await store.keys.readKey(id))!
    await store.close()
    const { stdout, code } = await keys(file, 'list')
    expect(code).toBe(0)
    expect(stdout.split('\n')[0]).toMatch(/^id +name +namespace +scopes +created \(UTC\)$/)
    expect(stdout).toMatch(new RegExp(`^${id} +bot +default +read +\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d$`, 'm'))
    const listed = (await keys(file, 'list', '--json')).stdout
    expect(Object.keys(JSON.parse(listed).keys[0]).toSorted()).toEqual(
      ['id', 'name', 'namespace', 'scopes', 'createdAt'].toSorted(),
    )
    expect(stdout + listed).not.toContain(hash)
  })

  test('says where there are none, and where there is no database', async () => {
    const file = newFile()
    expect(await keys(file, 'list')).toMatchObject({
      code: 66,
      stderr: expect.stringContaining('no database'),
    })
    expect(existsSync(file)).toBe(false)
    const id = await created(file, 'bot')
    await keys(file, 'revoke', id)
    expect((await keys(file, 'list')).stdout).toContain('There are no keys')
    expect(JSON.parse((await keys(file, 'list', '--json')).stdout)).toEqual({ keys: [] })
  })
})

describe('palimpsest keys revoke', () => {
  test('takes a key away by its name or its id, and says what the last one means', async () => {
    const file = newFile()
    const ids = [await created(file, 'one'), await created(file, 'two')]
    expect(await keys(file, 'revoke', 'one')).toMatchObject({
      code: 0,
      stdout: `Revoked key "one" (${ids[0]}) of namespace "default": its next call is refused.\n`,
      stderr: '',
    })
    const last = await keys(file, 'revoke', ids[1]!, '--json')
    expect(JSON.parse(last.stdout)).toMatchObject({ revoked: { id: ids[1], name: 'two' }, left: 0 })
    expect(last.stdout).not.toContain('hash')
    expect(last.stderr).toContain('lets everybody on it in again')
  })

  test('says what there is where there is no such key', async () => {
    const file = newFile()
    const id = await created(file, 'bot')
    const { code, stdout, stderr } = await keys(file, 'revoke', 'bto', '--json')
    expect(code).toBe(66)
    expect(stderr).toContain(`There is no key "bto". There are "bot" (${id}, namespace "default").`)
    expect(JSON.parse(stdout)).toMatchObject({
      error: { code: 'key_not_found', details: { keys: [{ id }] } },
    })
    expect((await keys(file, 'revoke', 'bot', '--namespace', 'x')).stderr).toContain('in namespace "x"')
  })

  test('asks which one is meant where a name stands for several', async () => {
    const file = newFile()
    await created(file, 'bot')
    const other = await created(file, 'bot', '--namespace', 'other')
    expect(await keys(file, 'revoke', 'bot')).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('Give the id, or --namespace. Nothing was revoked'),
    })
    expect((await keys(file, 'revoke', 'bot', '--namespace', 'other')).stdout).toContain(other)
    expect((await keys(file, 'revoke', 'bot')).code).toBe(0)
  })
})

test('off this machine a server does not start without keys, and says how to make one', async () => {
  const ran = await run(['serve', '--port', '0', '--host', '0.0.0.0', '--db', newFile(), '--json'])
  expect(ran.code).toBe(78)
  expect(JSON.parse(ran.stdout)).toMatchObject({ error: { code: 'keys_needed' } })
  expect(ran.stderr).toContain('palimpsest keys create NAME')
})
