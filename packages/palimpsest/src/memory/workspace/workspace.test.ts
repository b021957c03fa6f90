import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type StorePlace, sqlitePlace } from '../../../../../test/stores.ts'
import { ClosedError, InvalidArgumentError } from '../../errors.ts'
import { count } from '../../policy/index.ts'
import { dailyKey, type LayerName, type Store } from '../../store/index.ts'
import { fileOf } from './file-names.ts'
import { Workspace } from './workspace.ts'

const END = '<!-- palimpsest: end of the file -->\n'
const DAY = '2026-02-10'
/** What happens by itself takes its time on a busy machine. */
const SOON = { timeout: 30_000 }
const LONG = '安~'.repeat(2_000)

let place: StorePlace
let store: Store
let root: string
let now: number
let warnings: string[]
let errors: unknown[]
let opened: Workspace[]

beforeEach(async () => {
  place = sqlitePlace()
  store = await place.open()
  root = mkdtempSync(join(tmpdir(), 'palimpsest-workspace-'))
  now = Date.UTC(2026, 1, 10, 12)
  warnings = []
  errors = []
  opened = []
})

afterEach(async () => {
  vi.useRealTimers()
  for (const workspace of opened) await workspace.close()
  expect(errors).toEqual([])
  await store.close()
  await place.remove()
  rmSync(root, { recursive: true, force: true })
})

function open({ namespace = 'test', folder = 'files', owner = 'me', store: own = store } = {}): Workspace {
  const workspace = new Workspace({
    store: own,
    namespace,
    folder: join(root, folder),
    clock: () => now,
    owner,
    warn: message => warnings.push(message),
    onError: error => errors.push(error),
  })
  opened.push(workspace)
  return workspace
}

/** As a process that ends without a word and one that begins anew. */
async function openAnew(): Promise<Workspace> {
  now += 60_000
  return open({ owner: `process ${now}` })
}

const at = (path: string) => join(root, 'files', path)
const text = (path: string) => readFileSync(at(path), 'utf8')
const write = (path: string, content: string | Uint8Array) => writeFileSync(at(path), content)
const asides = (folder = '.') => readdirSync(at(folder)).filter(name => name.includes('.set-aside-'))
const temporary = () => readdirSync(at('.'), { recursive: true }).filter(name => `${name}`.endsWith('.tmp'))

async function startSession(id: string, namespace = 'test'): Promise<void> {
  await store.log.append({
    key: { namespace, id },
    traits: { kind: 'private', user: null, scope: null },
    messages: [],
    policy: count({ threshold: 20, keepLast: 10 }),
    groupTurnMessages: 12,
    extraction: { when: 'off', batchMessages: 1, idleMs: 1 },
    now,
  })
}

async function change(
  layer: LayerName,
  key: string,
  content: string | ((now: string) => string),
): Promise<void> {
  await store.documents.changeDocuments([
    {
      key: { namespace: 'test', layer, key },
      change: current => ({
        content: typeof content === 'string' ? content : content(current?.content ?? ''),
        tokens: 1,
      }),
      author: { kind: 'tool', name: 'test' },
      sources: [],
      now,
    },
  ])
}

const read = (layer: LayerName, key = '') => store.documents.readDocument({ namespace: 'test', layer, key })
const behind = () => store.mirror.listUnmirrored('test', { limit: 1_000 })

const MEMORY = '# Memory\n\n## People\n\n- Ann likes tea\n- Bob is away\n\n## Plans\n\n- 星期五去波尔图\n'

describe('writing', () => {
  it('gives every layer its file, and brings what is behind up to date', async () => {
    await startSession('chat:1')
    await startSession('chat2')
    await change('persona', '', 'You are Nova.\n')
    await change('global', '', MEMORY)
    await change('user', 'Ann', '- tea\n')
    await change('scope', 'work', '- lemons\n')
    await change('chat', 'chat:1', '- crates\n')
    await change('daily', dailyKey(DAY, 'chat:1'), '- first\n')
    await change('daily', dailyKey(DAY, 'chat2'), '# Title\n- second\n')
    const workspace = open()
    expect(await workspace.sync()).toEqual({ written: 6, read: 0, setAside: 0 })
    expect(text('SOUL.md')).toBe(`You are Nova.\n${END}`)
    expect(text('MEMORY.md')).toBe(`${MEMORY}${END}`)
    expect(text('users/%41nn.md')).toBe(`- tea\n${END}`)
    expect(text('scopes/work.md')).toBe(`- lemons\n${END}`)
    expect(text('chat_memories/chat%3a1.md')).toBe(`- crates\n${END}`)
    expect(text(`memory/${DAY}.md`)).toBe(
      `# ${DAY}\n\n## chat2\n\n\\# Title\n- second\n\n## chat%3a1\n\n- first\n\n${END}`,
    )
    expect(await behind()).toEqual([])
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    await change('chat', 'chat:1', '- crates\n- boxes\n')
    await change('daily', dailyKey(DAY, 'chat2'), '- third\n')
    expect(await workspace.sync()).toEqual({ written: 2, read: 0, setAside: 0 })
    expect(text('chat_memories/chat%3a1.md')).toBe(`- crates\n- boxes\n${END}`)
    expect(text(`memory/${DAY}.md`)).toContain('## chat2\n\n- third\n')
    expect(await behind()).toEqual([])
    expect(statSync(at('.')).mode & 0o777).toBe(0o700)
    expect(statSync(at('SOUL.md')).mode & 0o777).toBe(0o600)
    expect(temporary()).toEqual([])
    expect(warnings).toEqual([])
  })

  it('keeps ids apart that look alike, and takes any', async () => {
    const ids = ['a:b', 'a_b', 'A:B', 'a%3ab', '😀', '../x', 'con', LONG, `${LONG}x`]
    for (const id of ids) {
      await startSession(id)
      await change('user', id, `- user ${id.length} ${id.slice(0, 5)}\n`)
      await change('chat', id, `- chat ${id.length} ${id.slice(0, 5)}\n`)
      await change('daily', dailyKey(DAY, id), `- day ${id.length} ${id.slice(0, 5)}\n`)
    }
    const workspace = open()
    expect(await workspace.sync()).toEqual({ written: 2 * ids.length + 1, read: 0, setAside: 0 })
    for (const id of ids) {
      const path = fileOf({ layer: 'user', key: id })
      write(path, text(path).replace('- user', '- person'))
    }
    write(`memory/${DAY}.md`, text(`memory/${DAY}.md`).replaceAll('- day', '- date'))
    expect(await workspace.sync()).toEqual({ written: 0, read: 2 * ids.length, setAside: 0 })
    for (const id of ids) {
      const words = `${id.length} ${id.slice(0, 5)}\n`
      expect((await read('user', id))?.content).toBe(`- person ${words}`)
      expect((await read('chat', id))?.content).toBe(`- chat ${words}`)
      expect((await read('daily', dailyKey(DAY, id)))?.content).toBe(`- date ${words}`)
    }
    expect(warnings).toEqual([])
  })

  it('writes a file again that was deleted: that forgets nothing', async () => {
    await startSession('chat')
    await change('global', '', MEMORY)
    await change('user', LONG, '- tea\n')
    await change('daily', dailyKey(DAY, 'chat'), '- first\n')
    const workspace = open()
    await workspace.sync()
    rmSync(at('MEMORY.md'))
    rmSync(at('users'), { recursive: true })
    rmSync(at(`memory/${DAY}.md`))
    expect(await workspace.sync()).toEqual({ written: 3, read: 0, setAside: 0 })
    expect(text('MEMORY.md')).toBe(`${MEMORY}${END}`)
    expect((await read('global'))?.version).toBe(1)
    write(`memory/${DAY}.md`, `# ${DAY}\n\n${END}`)
    expect(await workspace.sync()).toEqual({ written: 1, read: 0, setAside: 0 })
    expect(text(`memory/${DAY}.md`)).toContain('- first')
  })

  it('has the same files in another folder when that is chosen', async () => {
    await change('global', '', MEMORY)
    const first = open()
    await first.sync()
    await first.close()
    const second = open({ folder: 'others' })
    expect(await second.sync()).toEqual({ written: 1, read: 0, setAside: 0 })
    expect(readFileSync(join(root, 'others', 'MEMORY.md'), 'utf8')).toBe(`${MEMORY}${END}`)
  })

  it('brings many documents up to date, a few of which cannot be written', async () => {
    for (let number = 0; number < 260; number++) await change('user', `u${number}`, `- ${number}\n`)
    const workspace = open()
    await workspace.sync()
    for (let number = 0; number < 150; number++) {
      rmSync(at(`users/u${number}.md`))
      mkdirSync(at(`users/u${number}.md`))
    }
    for (let number = 0; number < 260; number++) await change('user', `u${number}`, `- new ${number}\n`)
    expect((await workspace.sync()).written).toBe(110)
    expect(warnings).toHaveLength(150)
    expect(await behind()).toHaveLength(150)
  })
})

describe('editing', () => {
  let workspace: Workspace

  beforeEach(async () => {
    await startSession('chat')
    await change('global', '', MEMORY)
    await change('daily', dailyKey(DAY, 'chat'), '- first\n')
    workspace = open()
    await workspace.sync()
  })

  it('makes a version of what a person wrote', async () => {
    write('MEMORY.md', text('MEMORY.md').replace('tea', 'coffee').replace('- Bob is away\n', ''))
    expect(await workspace.sync()).toEqual({ written: 0, read: 1, setAside: 0 })
    const content = MEMORY.replace('tea', 'coffee').replace('- Bob is away\n', '')
    expect(await read('global')).toMatchObject({ content, version: 2 })
    const [version] = await store.documents.readDocumentVersions(
      { namespace: 'test', layer: 'global', key: '' },
      { limit: 1 },
    )
    expect(version?.author).toEqual({ kind: 'person', name: 'file' })
    expect(await behind()).toEqual([])
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect(warnings).toEqual([])
  })

  it('joins it with what the database got meanwhile', async () => {
    await change('global', '', now => now.replace('- Bob is away\n', '- Bob is away\n- Cem sails\n'))
    write('MEMORY.md', text('MEMORY.md').replace('tea', 'coffee').replace('- 星期五', '- 星期六'))
    expect(await workspace.sync()).toEqual({ written: 1, read: 1, setAside: 0 })
    const content = MEMORY.replace('tea', 'coffee')
      .replace('- Bob is away\n', '- Bob is away\n- Cem sails\n')
      .replace('- 星期五', '- 星期六')
    expect(await read('global')).toMatchObject({ content, version: 3 })
    expect(text('MEMORY.md')).toBe(`${content}${END}`)
    expect(await behind()).toEqual([])
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
  })

  it('keeps both forms of a line that both changed, and says so', async () => {
    await change('global', '', now => now.replace('tea', 'milk'))
    write('MEMORY.md', text('MEMORY.md').replace('tea', 'coffee'))
    await workspace.sync()
    expect(text('MEMORY.md')).toContain('- Ann likes milk\n- Ann likes coffee\n')
    expect(warnings).toHaveLength(1)
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect((await read('global'))?.version).toBe(3)
  })

  it('takes the change of one chat in a day, and those of others from the database', async () => {
    await startSession('other')
    await change('daily', dailyKey(DAY, 'other'), '- other\n')
    write(
      `memory/${DAY}.md`,
      text(`memory/${DAY}.md`).replace('- first\n', '- first\n## My heading\n- mine\n'),
    )
    expect(await workspace.sync()).toEqual({ written: 1, read: 1, setAside: 0 })
    expect((await read('daily', dailyKey(DAY, 'chat')))?.content).toBe('- first\n## My heading\n- mine\n')
    expect(text(`memory/${DAY}.md`)).toBe(
      `# ${DAY}\n\n## chat\n\n- first\n\\## My heading\n- mine\n\n## other\n\n- other\n\n${END}`,
    )
  })

  it('takes line ends, a byte order mark and the last line for no change', async () => {
    const whole = text('MEMORY.md')
    for (const same of [whole.replaceAll('\n', '\r\n'), `\ufeff${whole}`, `${whole}\n\n`, whole.trimEnd()]) {
      write('MEMORY.md', same)
      expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
      expect(text('MEMORY.md')).toBe(same)
    }
    write('MEMORY.md', `\ufeff${whole.replaceAll('\n', '\r\n').replace('tea', 'coffee')}`)
    expect(await workspace.sync()).toEqual({ written: 0, read: 1, setAside: 0 })
    expect((await read('global'))?.content).toBe(MEMORY.replace('tea', 'coffee'))
    expect(warnings).toEqual([])
  })

  it('takes what is added below the last line', async () => {
    write('MEMORY.md', `${text('MEMORY.md')}- Dora\n`)
    expect(await workspace.sync()).toEqual({ written: 1, read: 1, setAside: 0 })
    expect(text('MEMORY.md')).toBe(`${MEMORY}- Dora\n${END}`)
  })

  it('empties a document whose text a person deleted, but for the last line', async () => {
    write('MEMORY.md', END)
    expect(await workspace.sync()).toEqual({ written: 0, read: 1, setAside: 0 })
    expect((await read('global'))?.content).toBe('')
  })

  it('takes a change back when the person does', async () => {
    const before = text('MEMORY.md')
    write('MEMORY.md', before.replace('tea', 'coffee'))
    await workspace.sync()
    write('MEMORY.md', before)
    expect(await workspace.sync()).toEqual({ written: 0, read: 1, setAside: 0 })
    expect(await read('global')).toMatchObject({ content: MEMORY, version: 3 })
  })

  it('takes no version for an edit that a process may have written and not noted', async () => {
    await change('global', '', MEMORY.replace('tea', 'milk'))
    write('MEMORY.md', `${MEMORY.replace('tea', 'milk')}${END}`)
    await change('global', '', MEMORY.replace('tea', 'water'))
    expect(await (await openAnew()).sync()).toEqual({ written: 1, read: 0, setAside: 0 })
    expect(await read('global')).toMatchObject({ content: MEMORY.replace('tea', 'water'), version: 3 })
    expect(text('MEMORY.md')).toContain('water')
  })

  it('notes a file that says already what the database says', async () => {
    await change('global', '', MEMORY.replace('tea', 'milk'))
    write('MEMORY.md', `${MEMORY.replace('tea', 'milk')}${END}`)
    expect(await (await openAnew()).sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect(await behind()).toEqual([])
  })

  it('takes an old file that was put back for no edit at the first look', async () => {
    const old = text('MEMORY.md')
    for (const drink of ['milk', 'water', 'wine']) {
      await change('global', '', now => now.replace(/likes \w+/, `likes ${drink}`))
      await workspace.sync()
    }
    await workspace.close()
    write('MEMORY.md', old)
    expect(await (await openAnew()).sync()).toEqual({ written: 1, read: 0, setAside: 0 })
    expect((await read('global'))?.content).toContain('wine')
  })

  it('reads what was edited while no process ran', async () => {
    await workspace.close()
    await change('global', '', now => `${now}- new\n`)
    write('MEMORY.md', text('MEMORY.md').replace('tea', 'coffee'))
    expect(await (await openAnew()).sync()).toEqual({ written: 1, read: 1, setAside: 0 })
    expect((await read('global'))?.content).toBe(`${MEMORY.replace('tea', 'coffee')}- new\n`)
  })

  it('stays the same however often an edit is read that could not be written back', async () => {
    await change('global', '', now => now.replace('tea', 'milk'))
    const edited = text('MEMORY.md').replace('tea', 'coffee')
    write('MEMORY.md', edited)
    await workspace.sync()
    const { content, version } = (await read('global'))!
    // As after an end between the two: the note of the old text, and the old file.
    const hash = (await store.mirror.readMirrorStates('test', [{ layer: 'global', key: '' }]))[0]!
      .mirroredHash!
    await store.mirror.noteMirrored('test', [{ layer: 'global', key: '', version: 1, hash: `not ${hash}` }])
    write('MEMORY.md', edited)
    await (await openAnew()).sync()
    expect(await read('global')).toMatchObject({ content, version })
    expect(text('MEMORY.md')).toBe(`${content}${END}`)
  })
})

it('looks only at files that somebody touched', async () => {
  await change('global', '', MEMORY)
  const workspace = open()
  await workspace.sync()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3_600_000 })
  const states = vi.spyOn(store.mirror, 'readMirrorStates')
  await workspace.sync()
  expect(states).toHaveBeenCalledTimes(1)
  await workspace.sync()
  expect(states).toHaveBeenCalledTimes(1)
  write('MEMORY.md', text('MEMORY.md').replace('tea', 'ice'))
  expect((await workspace.sync()).read).toBe(1)
  await change('global', '', '- new\n')
  expect((await workspace.sync()).written).toBe(1)
})

describe('files by hand', () => {
  it('makes documents of them, with or without a last line', async () => {
    const workspace = open()
    await workspace.sync()
    write('SOUL.md', 'You are Nova.')
    write('users/ann.md', `- tea\n${END}`)
    write('scopes/work.md', '')
    expect(await workspace.sync()).toEqual({ written: 1, read: 2, setAside: 0 })
    expect((await read('persona'))?.content).toBe('You are Nova.\n')
    expect((await read('user', 'ann'))?.content).toBe('- tea\n')
    expect(await read('scope', 'work')).toBeNull()
    expect(text('SOUL.md')).toBe(`You are Nova.\n${END}`)
    expect(text('scopes/work.md')).toBe('')
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect(warnings).toEqual([])
  })

  it('joins them with a document that was never mirrored', async () => {
    mkdirSync(at('.'))
    write('MEMORY.md', '# Memory\n\n## People\n\n- Dora\n')
    await change('global', '', MEMORY)
    expect(await open().sync()).toEqual({ written: 1, read: 1, setAside: 0 })
    expect((await read('global'))?.content).toBe(MEMORY.replace('away\n', 'away\n- Dora\n'))
  })

  it('leaves those of chats alone that there are not, and takes them when there are', async () => {
    const workspace = open()
    await workspace.sync()
    write('chat_memories/later.md', '- x\n')
    write(`memory/${DAY}.md`, `# ${DAY}\n\nLoose words\n\n## later\n\n- y\n`)
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect(text('chat_memories/later.md')).toBe('- x\n')
    expect(warnings).toHaveLength(2)
    await startSession('now')
    await change('daily', dailyKey(DAY, 'now'), '- z\n')
    expect(await workspace.sync()).toEqual({ written: 1, read: 0, setAside: 0 })
    expect(text(`memory/${DAY}.md`)).toBe(
      `# ${DAY}\n\nLoose words\n\n## now\n\n- z\n\n## later\n\n- y\n\n${END}`,
    )
    await startSession('later')
    expect((await workspace.sync()).read).toBe(2)
    expect((await read('chat', 'later'))?.content).toBe('- x\n')
    expect((await read('daily', dailyKey(DAY, 'later')))?.content).toBe('- y\n')
    expect(text(`memory/${DAY}.md`)).toContain('Loose words')
  })

  it('takes a long id from the first line only if it is its own', async () => {
    const path = fileOf({ layer: 'user', key: LONG })
    const first = open()
    await first.sync()
    const line = (id: string) => `<!-- palimpsest: ${JSON.stringify({ id })} -->\n`
    write(path, `${line('ann')}- x\n`)
    expect(await first.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect(warnings).toHaveLength(1)
    write(path, `${line(LONG)}- x\n`)
    expect(await first.sync()).toEqual({ written: 1, read: 1, setAside: 0 })
    expect((await read('user', LONG))?.content).toBe('- x\n')
    write(path, `- y\n${END}`)
    expect(await first.sync()).toEqual({ written: 1, read: 1, setAside: 0 })
    expect((await read('user', LONG))?.content).toBe('- y\n')
  })

  it('ignores what is no document', async () => {
    await change('global', '', MEMORY)
    const workspace = open()
    await workspace.sync()
    const names = [
      'MEMORY.md~',
      '.MEMORY.md.swp',
      '#MEMORY.md#',
      'MEMORY.md.set-aside-20260101T000000Z',
      'README.md',
    ]
    for (const name of [...names, 'users/Ann.md', 'users/.ann.md.swp', 'users/ann.md.bak', 'memory/today.md'])
      write(name, '\0')
    mkdirSync(at('users/deeper'))
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    for (const name of names) expect(text(name)).toBe('\0')
    expect(warnings).toEqual([])
  })
})

describe('damage', () => {
  let workspace: Workspace
  const content = '# 备忘\r\n\n- tea ☕\n\n- milk\n'.replace('\r', '')
  const path = 'users/ann.md'

  beforeEach(async () => {
    await startSession('chat')
    await startSession('other')
    await change('user', 'ann', content)
    await change('daily', dailyKey(DAY, 'chat'), '- erste\n')
    await change('daily', dailyKey(DAY, 'other'), '- zweite\n')
    workspace = open()
    await workspace.sync()
  })

  async function expectSetAside(bytes: Uint8Array | string): Promise<void> {
    const [whole, before] = [text(path), asides('users').length]
    write(path, bytes)
    expect(await workspace.sync()).toEqual({ written: 1, read: 0, setAside: 1 })
    expect(await read('user', 'ann')).toMatchObject({ content, version: 1 })
    expect(text(path)).toBe(whole)
    expect(asides('users')).toHaveLength(before + 1)
    expect(warnings.at(-1)).toMatch(
      /^users\/ann\.md: it .+ set aside as users\/ann\.md\.set-aside-20260210T120000Z/,
    )
    expect(await behind()).toEqual([])
  }

  it('survives a cut at every byte', async () => {
    for (const cut of ['users/ann.md', `memory/${DAY}.md`]) {
      const whole = readFileSync(at(cut))
      const [mark] = whole.toString().split(END)
      const isSame = (bytes: number) => whole.subarray(0, bytes).toString().trimEnd() === mark!.trimEnd()
      for (let bytes = 0; bytes < whole.length; bytes++) {
        truncateSync(at(cut), bytes)
        const result = await workspace.sync()
        const isOnlyBreak = bytes === whole.length - 1
        expect(result.read).toBe(0)
        expect([bytes, result.setAside]).toEqual([bytes, isSame(bytes) || isOnlyBreak ? 0 : 1])
        expect(text(cut)).toBe(isOnlyBreak ? whole.toString().trimEnd() : whole.toString())
        write(cut, whole)
      }
    }
    for (const [layer, key] of [
      ['user', 'ann'],
      ['daily', dailyKey(DAY, 'chat')],
      ['daily', dailyKey(DAY, 'other')],
    ] as const)
      expect((await read(layer, key))?.version).toBe(1)
    expect(new Set(asides('users')).size).toBe(asides('users').length)
    expect(asides('users').some(name => name.endsWith('Z-2'))).toBe(true)
  })

  it('survives a cut at every byte of a file with other line ends', async () => {
    const whole = Buffer.from(text(path).replaceAll('\n', '\r\n'))
    for (let bytes = 0; bytes < whole.length; bytes++) {
      write(path, whole.subarray(0, bytes))
      expect((await workspace.sync()).read).toBe(0)
    }
    expect(await read('user', 'ann')).toMatchObject({ content, version: 1 })
  })

  it('survives a cut at every byte of a file that the database is ahead of', async () => {
    for (let bytes = 0; bytes < readFileSync(at(path)).length; bytes++) {
      truncateSync(at(path), bytes)
      await change('user', 'ann', `${content}- ${bytes}\n`)
      const next = await openAnew()
      expect((await next.sync()).read).toBe(0)
      expect(text(path)).toBe(`${content}- ${bytes}\n${END}`)
    }
  })

  it('sets aside what is no text', async () => {
    const whole = Buffer.from(text(path))
    await expectSetAside('')
    await expectSetAside(' \n\n')
    await expectSetAside(Buffer.alloc(whole.length))
    await expectSetAside(Buffer.concat([whole, Buffer.alloc(100)]))
    await expectSetAside(Buffer.concat([whole.subarray(0, 12), Buffer.alloc(4_096 - 12)]))
    await expectSetAside(Buffer.from('caf\xe9\n', 'latin1'))
    await expectSetAside(Buffer.from('\ufeff# Ann\n', 'utf16le'))
    await expectSetAside(Buffer.from('# Ann\n', 'utf16le'))
    await expectSetAside(whole.subarray(0, 5))
    await expectSetAside('- x\n'.repeat(250_001))
    now += 1_000
    write(path, '')
    await workspace.sync()
    expect(asides('users')).toContain('ann.md.set-aside-20260210T120001Z')
  })

  it('sets aside such a file of no document, too', async () => {
    write('users/bob.md', Buffer.from('caf\xe9\n', 'latin1'))
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 1 })
    expect(existsSync(at('users/bob.md'))).toBe(false)
    expect(await read('user', 'bob')).toBeNull()
  })

  it('does not take a document for damage that is large itself', async () => {
    await change('user', 'ann', `${'x'.repeat(99)}\n`.repeat(15_000))
    await workspace.sync()
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    await change('user', 'ann', '- small\n')
    expect(await workspace.sync()).toEqual({ written: 1, read: 0, setAside: 0 })
  })

  it('adds what an edit says that was cut off, and removes nothing', async () => {
    write(path, '# 备忘\n\n- new line\n- tea ☕\n- half a li')
    expect(await workspace.sync()).toEqual({ written: 1, read: 1, setAside: 1 })
    expect((await read('user', 'ann'))?.content).toBe('# 备忘\n\n- new line\n- tea ☕\n\n- milk\n')
    expect(text(path)).toBe(`# 备忘\n\n- new line\n- tea ☕\n\n- milk\n${END}`)
    const [aside] = asides('users')
    expect(text(`users/${aside}`)).toContain('- half a li')
    expect(warnings).toHaveLength(1)
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
  })

  it('leaves alone what it cannot read, and works again when it can', async () => {
    rmSync(at(path))
    mkdirSync(at(path))
    await change('user', 'ann', '- new\n')
    for (let times = 0; times < 3; times++)
      expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect(warnings).toHaveLength(1)
    expect(await behind()).toHaveLength(1)
    rmSync(at(path), { recursive: true })
    expect(await workspace.sync()).toEqual({ written: 1, read: 0, setAside: 0 })
    rmSync(at(path))
    mkdirSync(at(path))
    await workspace.sync()
    expect(warnings).toHaveLength(2)
  })

  it('neither reads nor writes through a symbolic link', async () => {
    const secret = join(root, 'secret')
    writeFileSync(secret, 'secret\n')
    rmSync(at(path))
    symlinkSync(secret, at(path))
    rmSync(at('scopes'), { recursive: true })
    mkdirSync(join(root, 'outside'))
    symlinkSync(join(root, 'outside'), at('scopes'))
    await change('user', 'ann', '- new\n')
    await change('scope', 'work', '- new\n')
    writeFileSync(join(root, 'outside', 'play.md'), '- from outside\n')
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect(readFileSync(secret, 'utf8')).toBe('secret\n')
    expect(readdirSync(join(root, 'outside'))).toEqual(['play.md'])
    expect((await read('user', 'ann'))?.content).toBe('- new\n')
    expect(await read('scope', 'play')).toBeNull()
    expect(warnings.toSorted()).toEqual([
      expect.stringMatching(/^scopes\/work\.md: .*symbolic link/),
      expect.stringMatching(/^users\/ann\.md: .*symbolic link/),
    ])
  })

  it('keeps the old file whole where it cannot write, and tries again', async () => {
    const old = text(path)
    await change('user', 'ann', '- new\n')
    await change('scope', 'work', '- new\n')
    rmSync(at('scopes'), { recursive: true })
    write('scopes', 'in the way')
    chmodSync(at('users'), 0o500)
    await workspace.sync()
    await workspace.sync()
    // Whoever may do anything, as root may, was not held up in the first folder.
    expect([old, `- new\n${END}`]).toContain(text(path))
    const isRoot = text(path) !== old
    expect(warnings).toHaveLength(isRoot ? 1 : 2)
    chmodSync(at('users'), 0o700)
    rmSync(at('scopes'))
    expect((await workspace.sync()).written).toBe(isRoot ? 1 : 2)
    expect(text(path)).toBe(`- new\n${END}`)
    expect(text('scopes/work.md')).toBe(`- new\n${END}`)
    expect(temporary()).toEqual([])
  })

  it('reads an edit once that it cannot write back', async () => {
    // So deep that the file's own path is just short enough, and that of a temporary file is not.
    const folder = `deep/${`${'d'.repeat(199)}/`.repeat(30)}`.slice(0, 4_000 - root.length - 1)
    const id = 'i'.repeat(80)
    const file = join(root, folder, 'users', `${id}.md`)
    const deep = open({ folder, owner: 'deep' })
    now += 60_000
    await change('user', id, '- a\n- b\n')
    expect((await deep.sync()).written).toBe(2)
    writeFileSync(file, '- a\n- mine\n')
    for (const result of [await deep.sync(), await deep.sync(), await deep.sync()])
      expect(result).toMatchObject({ written: 0, setAside: 0 })
    expect(await read('user', id)).toMatchObject({ content: '- a\n- b\n- mine\n', version: 2 })
    await change('user', id, '- b\n- mine\n')
    await deep.sync()
    expect(await read('user', id)).toMatchObject({ content: '- b\n- mine\n', version: 3 })
    expect(readFileSync(file, 'utf8')).toBe('- a\n- mine\n')
    expect(warnings).toHaveLength(1)
    writeFileSync(file, '- a\n- mine\n- more\n')
    await deep.sync()
    expect(readdirSync(dirname(file))).toHaveLength(2)
    expect((await read('user', id))?.content.split('\n').sort()).toEqual([
      '',
      '- a',
      '- b',
      '- mine',
      '- more',
    ])
  })

  it('removes what a process left that ended while it wrote', async () => {
    write('users/.ann.md.0a1b2c3d.tmp', '- hal')
    write('.MEMORY.md.0a1b2c3d.tmp', '')
    write('.other.tmp', 'not ours')
    await (await openAnew()).sync()
    expect(temporary()).toEqual(['.other.tmp'])
  })
})

describe('the folder', () => {
  const marker = async () => ({ format: 1, namespace: 'test', database: await store.database.readIdentity() })

  it('belongs to one namespace', async () => {
    await open().sync()
    const other = open({ namespace: 'other' })
    const refused = await other.start().catch(error => error)
    expect(refused).toBeInstanceOf(InvalidArgumentError)
    expect(refused.message).toContain('"test"')
    expect(refused.message).toContain('"other"')
    await expect(other.sync()).rejects.toThrow(InvalidArgumentError)
    expect(JSON.parse(text('.palimpsest.json'))).toEqual(await marker())
  })

  it('belongs to one database, until it is given to another on purpose', async () => {
    await change('global', '', MEMORY)
    const workspace = open()
    await workspace.sync()
    const elsewhere = sqlitePlace()
    const other = await elsewhere.open()
    const beside = open({ store: other })
    await expect(beside.start()).rejects.toThrow(/belongs to another database.*delete \.palimpsest\.json/)
    await expect(beside.sync()).rejects.toThrow(InvalidArgumentError)
    expect(await other.documents.listDocuments('test', { limit: 1 })).toHaveLength(0)
    expect(text('MEMORY.md')).toContain('tea')
    await workspace.close()
    rmSync(at('.palimpsest.json'))
    expect((await beside.sync()).read).toBe(1)
    await expect(open().start()).rejects.toThrow('belongs to another database')
    await beside.close()
    await other.close()
    await elsewhere.remove()
  })

  it('is taken over from a marker that names no database, and from an earlier generation', async () => {
    mkdirSync(at('.'))
    const { database } = await marker()
    const earlier = { ...database, generation: 0, generationKey: 'before' }
    for (const before of [undefined, earlier]) {
      write('.palimpsest.json', JSON.stringify({ format: 1, namespace: 'test', database: before }))
      await open().sync()
      expect(JSON.parse(text('.palimpsest.json'))).toEqual(await marker())
    }
    for (const later of [1, 2]) {
      const copy = { ...database, generation: later, generationKey: 'of a copy' }
      write('.palimpsest.json', JSON.stringify({ format: 1, namespace: 'test', database: copy }))
      await expect(open().start()).rejects.toThrow('belongs to a later copy of this database')
    }
  })

  it('is not taken where that cannot be told, or it cannot be made', async () => {
    mkdirSync(at('.'))
    for (const marker of ['', '{', 'null', '{"format":2,"namespace":"test"}', '{"format":1}']) {
      write('.palimpsest.json', marker)
      await expect(open().start()).rejects.toThrow(InvalidArgumentError)
    }
    writeFileSync(join(root, 'file'), '')
    await expect(open({ folder: 'file' }).start()).rejects.toThrow(InvalidArgumentError)
  })

  it('is made anew when it is removed, and refused when it became another', async () => {
    await change('global', '', MEMORY)
    const workspace = open()
    await workspace.sync()
    rmSync(at('.'), { recursive: true })
    expect((await workspace.sync()).written).toBe(1)
    expect(JSON.parse(text('.palimpsest.json'))).toEqual(await marker())
    write('.palimpsest.json', '{"format":1,"namespace":"other"}')
    rmSync(at('MEMORY.md'))
    await expect(workspace.sync()).rejects.toThrow(InvalidArgumentError)
    expect(existsSync(at('MEMORY.md'))).toBe(false)
  })

  it('goes to one of two that come at once', async () => {
    const both = [open(), open({ namespace: 'other' })].map(workspace => workspace.sync())
    const outcomes = (await Promise.allSettled(both)).map(({ status }) => status)
    expect(outcomes.toSorted()).toEqual(['fulfilled', 'rejected'])
  })
})

describe('two processes', () => {
  it('only one of them writes, and the other takes over', async () => {
    await change('global', '', MEMORY)
    const [first, second] = [open({ owner: 'first' }), open({ owner: 'second' })]
    expect((await first.sync()).written).toBe(1)
    rmSync(at('MEMORY.md'))
    expect(await second.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect(existsSync(at('MEMORY.md'))).toBe(false)
    await first.close()
    expect((await second.sync()).written).toBe(1)
    const third = open({ owner: 'third' })
    now += 60_000
    rmSync(at('MEMORY.md'))
    expect((await third.sync()).written).toBe(1)
    rmSync(at('MEMORY.md'))
    expect((await second.sync()).written).toBe(0)
  })

  it('do not take a folder of their own while they stand by', async () => {
    await change('global', '', MEMORY)
    await open({ owner: 'first' }).sync()
    expect((await open({ owner: 'second', folder: 'others' }).sync()).written).toBe(0)
    expect(await behind()).toEqual([])
  })
})

describe('a started workspace', () => {
  it('mirrors both ways by itself', async () => {
    await change('global', '', MEMORY)
    const workspace = open()
    await workspace.start()
    await workspace.sync()
    expect(text('MEMORY.md')).toBe(`${MEMORY}${END}`)
    write('MEMORY.md', text('MEMORY.md').replace('tea', 'coffee'))
    await expect.poll(async () => (await read('global'))?.content, SOON).toBe(MEMORY.replace('tea', 'coffee'))
    write('users/ann.md', '- tea\n')
    await expect.poll(async () => (await read('user', 'ann'))?.content, SOON).toBe('- tea\n')
    await change('global', '', '- new\n')
    workspace.noteChange()
    await expect.poll(() => text('MEMORY.md'), SOON).toBe(`- new\n${END}`)
    await workspace.start()
    await workspace.close()
    expect(warnings).toEqual([])
  })

  it('lets an editor finish that writes in two steps', async () => {
    await change('global', '', MEMORY)
    const workspace = open()
    await workspace.start()
    await workspace.sync()
    const edited = text('MEMORY.md').replace('tea', 'coffee')
    // However slow the machine is, no time passes.
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
    write('MEMORY.md', edited.slice(0, 30))
    await change('user', 'ann', '- tea\n')
    workspace.noteChange()
    await expect.poll(() => existsSync(at('users/ann.md')), SOON).toBe(true)
    await change('user', 'ann', '- more tea\n')
    workspace.noteChange()
    await expect.poll(() => text('users/ann.md'), SOON).toContain('more')
    write('MEMORY.md', edited)
    await expect.poll(async () => (await read('global'))?.content, SOON).toBe(MEMORY.replace('tea', 'coffee'))
    expect(asides()).toEqual([])
    expect(warnings).toEqual([])
  })

  it('writes what is behind when it closes, and nothing later', async () => {
    const workspace = open()
    await workspace.start()
    await change('global', '', MEMORY)
    workspace.noteChange()
    await workspace.close()
    await workspace.close()
    expect(text('MEMORY.md')).toBe(`${MEMORY}${END}`)
    workspace.noteChange()
    await expect(workspace.sync()).rejects.toThrow(ClosedError)
    await expect(workspace.start()).rejects.toThrow(ClosedError)
    expect((await open({ owner: 'next' }).sync()).written).toBe(0)
  })

  it('goes through one pass at a time, however many are asked for', async () => {
    for (let number = 0; number < 50; number++) await change('user', `u${number}`, `- ${number}\n`)
    const workspace = open()
    const results = await Promise.all(Array.from({ length: 20 }, () => workspace.sync()))
    expect(results.every(({ written }) => written === 50)).toBe(true)
    expect(await Promise.all([workspace.sync(), workspace.sync()])).toEqual([
      { written: 0, read: 0, setAside: 0 },
      { written: 0, read: 0, setAside: 0 },
    ])
  })

  it('says when the store fails, and does not fall over', async () => {
    const workspace = open()
    await workspace.start()
    await store.close()
    await expect(workspace.sync()).rejects.toThrow(ClosedError)
    await workspace.close()
    expect(errors.splice(0)).toHaveLength(1)
    store = await place.open()
  })
})
