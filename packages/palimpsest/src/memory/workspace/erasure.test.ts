import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { bytesInFiles } from '../../../../../test/erasure/bytes-in-files.ts'
import { intercepted, type StoreMethod } from '../../../../../test/intercepted.ts'
import { type StorePlace, sqlitePlace } from '../../../../../test/stores.ts'
import { count } from '../../policy/index.ts'
import { dailyKey, type LayerName, type Store } from '../../store/index.ts'
import { fileOf } from './file-names.ts'
import { Workspace } from './workspace.ts'

const CANARY = 'canary-51c0'
const DAY = '2026-02-10'

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
  root = mkdtempSync(join(tmpdir(), 'palimpsest-erased-'))
  now = Date.UTC(2026, 1, 10, 12)
  warnings = []
  errors = []
  opened = []
  for (const id of ['ann', 'bob']) await startSession(id)
})

afterEach(async () => {
  for (const workspace of opened) await workspace.close()
  expect(errors).toEqual([])
  await store.close()
  await place.remove()
  rmSync(root, { recursive: true, force: true })
})

function open({ owner = 'me', on = store, folder = 'files' } = {}): Workspace {
  const workspace = new Workspace({
    store: on,
    namespace: 'test',
    folder: join(root, folder),
    clock: () => now,
    owner,
    warn: message => warnings.push(message),
    onError: error => errors.push(error),
  })
  opened.push(workspace)
  return workspace
}

/** As a process that ended without a word, and one that begins anew. */
function openAnew(): Workspace {
  now += 60_000
  return open({ owner: `process ${now}` })
}

const at = (path: string) => join(root, 'files', path)
const text = (path: string) => readFileSync(at(path), 'utf8')
const write = (path: string, content: string | Uint8Array) => writeFileSync(at(path), content)
const names = (folder: string) => readdirSync(at(folder)).sort()
const read = (layer: LayerName, key = '') => store.documents.readDocument({ namespace: 'test', layer, key })

async function startSession(id: string): Promise<void> {
  await store.log.append({
    key: { namespace: 'test', id },
    traits: { kind: 'private', user: id, scope: null },
    messages: [],
    policy: count({ threshold: 20, keepLast: 10 }),
    groupTurnMessages: 12,
    extraction: { when: 'off', batchMessages: 1, idleMs: 1 },
    now,
  })
}

async function change(layer: LayerName, key: string, content: string): Promise<void> {
  await store.documents.changeDocuments([
    {
      key: { namespace: 'test', layer, key },
      change: () => ({ content, tokens: 1 }),
      author: { kind: 'tool', name: 'test' },
      sources: [],
      now,
    },
  ])
}

function onDatabase(action: (database: DatabaseSync) => void): void {
  const database = new DatabaseSync(place.address.slice('sqlite:'.length), { timeout: 5_000 })
  try {
    database.exec('BEGIN IMMEDIATE')
    action(database)
    database.exec('COMMIT')
  } finally {
    database.close()
  }
}

/** What an erasure does to a document that it takes away, in one transaction. */
function takeAway(layer: LayerName, key: string): void {
  onDatabase(database => {
    database
      .prepare('INSERT INTO erased_documents (namespace, layer, name_key, name) VALUES (?, ?, ?, ?)')
      .run('test', layer, key, key)
    const { id } = database
      .prepare('DELETE FROM documents WHERE layer = ? AND name_key = ? RETURNING id')
      .get(layer, key) as { id: number }
    database.prepare('DELETE FROM document_versions WHERE document_id = ?').run(id)
  })
}

/** What an erasure does to a document that loses lines: another version, and no earlier one. */
function takeLines(layer: LayerName, key: string, content: string): void {
  onDatabase(database => {
    const { id, version } = database
      .prepare(
        `UPDATE documents SET version = version + 1, first_version = version + 1, content = ?
         WHERE layer = ? AND name_key = ? RETURNING id, version`,
      )
      .get(JSON.stringify(content), layer, key) as { id: number; version: number }
    database.prepare('DELETE FROM document_versions WHERE document_id = ?').run(id)
    database
      .prepare(
        `INSERT INTO document_versions (document_id, version, at, author_kind, back)
         VALUES (?, ?, 1, 'person', '[0,0,""]')`,
      )
      .run(id, version)
  })
}

const expectGone = () => expect(bytesInFiles(root, CANARY)).toEqual({})

describe('a document that was erased', () => {
  beforeEach(async () => {
    await change('user', 'ann', `- ${CANARY}\n`)
    await change('user', 'bob', '- tea\n')
    await change('user', 'ann.md', '- somebody else\n')
  })

  it('has no file any more, and never becomes a document again', async () => {
    const workspace = open()
    await workspace.sync()
    takeAway('user', 'ann')
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expect(names('users')).toEqual(['ann.md.md', 'bob.md'])
    expect(await read('user', 'ann')).toBe(null)
    expect(await store.mirror.listErasedDocuments('test')).toEqual([])
    expect(await workspace.sync()).toEqual({ written: 0, read: 0, setAside: 0 })
    expectGone()
  })

  it('is followed on request, and says how many files there were', async () => {
    const workspace = open()
    await workspace.sync()
    takeAway('user', 'ann')
    expect(await workspace.followErasures()).toEqual({ files: 1, left: 0 })
    expect(await workspace.followErasures()).toEqual({ files: 0, left: 0 })
    expectGone()
  })

  it('takes all copies with it, but nobody else’s', async () => {
    const workspace = open()
    await workspace.sync()
    for (const name of ['ann.md', 'bob.md']) {
      write(`users/${name}`, Buffer.from([0, 255, ...Buffer.from(name === 'ann.md' ? CANARY : 'bob')]))
      await workspace.sync()
      write(`users/${name}`, Buffer.from([0, 254, ...Buffer.from(name === 'ann.md' ? CANARY : 'bob')]))
      await workspace.sync()
    }
    write('users/.ann.md.0a1b2c3d.tmp', CANARY)
    write('users/.ann.md.md.0a1b2c3d.tmp', 'somebody else')
    expect(names('users')).toHaveLength(9)
    takeAway('user', 'ann')
    await workspace.sync()
    expect(names('users')).toEqual([
      '.ann.md.md.0a1b2c3d.tmp',
      'ann.md.md',
      'bob.md',
      'bob.md.set-aside-20260210T120000Z',
      'bob.md.set-aside-20260210T120000Z-2',
    ])
    expectGone()
  })

  it('is gone whatever a person made of its file meanwhile', async () => {
    const workspace = open()
    await workspace.sync()
    write('users/ann.md', `- ${CANARY}\n- and an edit of it\n`)
    takeAway('user', 'ann')
    await openAnew().sync()
    expect(await read('user', 'ann')).toBe(null)
    expectGone()
  })

  it('and made again begins anew: nothing of the old file is in it', async () => {
    const workspace = open()
    await workspace.sync()
    takeAway('user', 'ann')
    await change('user', 'ann', '- milk\n')
    await workspace.sync()
    expect(await read('user', 'ann')).toMatchObject({ content: '- milk\n', version: 1 })
    expect(text('users/ann.md')).toMatch(/^- milk\n/)
    expectGone()
  })

  it('is followed in another folder, too, once that is the workspace', async () => {
    await open().sync()
    takeAway('user', 'ann')
    now += 60_000
    mkdirSync(join(root, 'moved', 'users'), { recursive: true })
    writeFileSync(join(root, 'moved', 'users', 'ann.md'), `- ${CANARY}\n`)
    await open({ owner: 'moved', folder: 'moved' }).sync()
    expect(await read('user', 'ann')).toBe(null)
    expect(bytesInFiles(join(root, 'moved'), CANARY)).toEqual({})
  })

  it('with an id that is too long for a name', async () => {
    const id = '安~'.repeat(2_000)
    await change('user', id, `- ${CANARY}\n`)
    const workspace = open()
    await workspace.sync()
    expect(existsSync(at(fileOf({ layer: 'user', key: id })))).toBe(true)
    onDatabase(database => {
      const { name_key } = database
        .prepare('DELETE FROM documents WHERE name = ? RETURNING name_key')
        .get(id) as { name_key: string }
      database.prepare("INSERT INTO erased_documents VALUES ('test', 'user', ?, ?)").run(name_key, id)
    })
    takeAway('user', 'ann')
    expect(await workspace.followErasures()).toEqual({ files: 2, left: 0 })
    expectGone()
  })

  it('stays to be done where its file cannot be removed, and nothing is read from it', async () => {
    const workspace = open()
    await workspace.sync()
    rmSync(at('users'), { recursive: true })
    mkdirSync(join(root, 'elsewhere'))
    writeFileSync(join(root, 'elsewhere', 'ann.md'), '- by somebody else\n')
    symlinkSync(join(root, 'elsewhere'), at('users'))
    takeAway('user', 'ann')
    expect(await workspace.followErasures()).toMatchObject({ files: 0, left: 1 })
    expect(await read('user', 'ann')).toBe(null)
    expect(warnings).toContainEqual(
      expect.stringMatching(/^users\/ann\.md: .* its folder is a symbolic link/),
    )
    rmSync(at('users'))
    expect(await workspace.followErasures()).toMatchObject({ left: 0 })
  })

  it('is left to the process that has the lease', async () => {
    const [first, second] = [open({ owner: 'first' }), open({ owner: 'second' })]
    await first.sync()
    takeAway('user', 'ann')
    expect(await second.followErasures()).toEqual({ files: 0, left: 1 })
    expect(existsSync(at('users/ann.md'))).toBe(true)
    expect(await first.followErasures()).toEqual({ files: 1, left: 0 })
    expect(await second.followErasures()).toEqual({ files: 0, left: 0 })
    expectGone()
  })

  it('many at once', async () => {
    for (let number = 0; number < 700; number++) await change('scope', `s${number}`, `- ${CANARY}\n`)
    const workspace = open()
    await workspace.sync()
    for (let number = 0; number < 700; number++) takeAway('scope', `s${number}`)
    takeAway('user', 'ann')
    expect(await workspace.followErasures()).toEqual({ files: 701, left: 0 })
    expect(names('scopes')).toEqual([])
    expectGone()
  })
})

describe('a day of which one chat was erased', () => {
  beforeEach(async () => {
    await change('daily', dailyKey(DAY, 'ann'), `- ${CANARY}\n`)
    await change('daily', dailyKey(DAY, 'bob'), '- tea\n')
  })

  it('keeps the others, with what a person wrote there', async () => {
    const workspace = open()
    await workspace.sync()
    write(`memory/${DAY}.md`, text(`memory/${DAY}.md`).replace('- tea', '- tea\n- milk'))
    takeAway('daily', dailyKey(DAY, 'ann'))
    expect(await openAnew().sync()).toMatchObject({ read: 1 })
    expect(text(`memory/${DAY}.md`)).not.toContain('ann')
    expect(await read('daily', dailyKey(DAY, 'bob'))).toMatchObject({ content: '- tea\n- milk\n' })
    expect(await read('daily', dailyKey(DAY, 'ann'))).toBe(null)
    expectGone()
  })

  it('keeps nothing of a file that is damaged, and no copy', async () => {
    const workspace = open()
    await workspace.sync()
    const whole = text(`memory/${DAY}.md`)
    write(`memory/${DAY}.md`, `\0${whole}`)
    await workspace.sync()
    expect(names('memory')).toHaveLength(2)
    for (const damaged of [`\0${whole}`, whole.slice(0, -20)]) {
      write(`memory/${DAY}.md`, damaged)
      onDatabase(database =>
        database
          .prepare("INSERT OR REPLACE INTO erased_documents VALUES ('test', 'daily', ?, ?)")
          .run(dailyKey(DAY, 'ann'), dailyKey(DAY, 'ann')),
      )
      onDatabase(database =>
        database.prepare('DELETE FROM documents WHERE name_key = ?').run(dailyKey(DAY, 'ann')),
      )
      await workspace.sync()
      expect(names('memory')).toEqual([`${DAY}.md`])
      expect(text(`memory/${DAY}.md`)).toContain('- tea')
      expectGone()
    }
    expect(await read('daily', dailyKey(DAY, 'bob'))).toMatchObject({ version: 1 })
  })

  it('has no file if there was no other', async () => {
    const workspace = open()
    await workspace.sync()
    takeAway('daily', dailyKey(DAY, 'ann'))
    takeAway('daily', dailyKey(DAY, 'bob'))
    expect(await workspace.followErasures()).toEqual({ files: 1, left: 0 })
    expect(names('memory')).toEqual([])
  })
})

describe('a document that lost lines to an erasure', () => {
  const content = `- tea\n- ${CANARY}\n- milk\n`

  beforeEach(async () => {
    await change('global', '', content)
    await change('daily', dailyKey(DAY, 'ann'), content)
    await change('daily', dailyKey(DAY, 'bob'), '- bread\n')
  })

  const lose = () => {
    takeLines('global', '', '- tea\n- milk\n')
    takeLines('daily', dailyKey(DAY, 'ann'), '- tea\n- milk\n')
  }

  it('has none of them in its file, nor in any copy of it', async () => {
    const workspace = open()
    await workspace.sync()
    for (const path of ['MEMORY.md', `memory/${DAY}.md`]) write(path, `\0${CANARY}`)
    expect(await workspace.sync()).toMatchObject({ setAside: 2 })
    lose()
    expect(await workspace.followErasures()).toMatchObject({ left: 0 })
    expect(text('MEMORY.md')).toMatch(/^- tea\n- milk\n/)
    expect(names('.').filter(name => name.includes('set-aside'))).toEqual([])
    expectGone()
  })

  it('gets none of them back from a file that was edited meanwhile', async () => {
    const workspace = open()
    await workspace.sync()
    for (const path of ['MEMORY.md', `memory/${DAY}.md`])
      write(path, text(path).replace(`- ${CANARY}`, `- ${CANARY} and more\n- new`).replace('bread', 'cake'))
    lose()
    await openAnew().sync()
    expect(await read('global')).toMatchObject({ content: '- tea\n- milk\n', version: 2 })
    expect(await read('daily', dailyKey(DAY, 'bob'))).toMatchObject({ content: '- cake\n' })
    expect(warnings).toContainEqual(expect.stringMatching(/^MEMORY\.md: its memory lost lines to an erasure/))
    expectGone()
  })

  it('nor from one that is damaged, cut off, or in a folder that was moved', async () => {
    for (const damage of [
      (whole: string) => `\0${whole}`,
      (whole: string) => whole.slice(0, -30),
      (whole: string) => whole.replace('tea', 'coffee').slice(0, -30),
      (whole: string) => whole.replace('tea', 'coffee'),
    ]) {
      const workspace = openAnew()
      await workspace.sync()
      write('MEMORY.md', damage(text('MEMORY.md')))
      lose()
      await workspace.followErasures()
      expect(await read('global')).toMatchObject({ content: '- tea\n- milk\n' })
      expectGone()
      await change('global', '', content)
      await change('daily', dailyKey(DAY, 'ann'), content)
    }
    await openAnew().sync()
    lose()
    now += 60_000
    mkdirSync(join(root, 'moved'))
    writeFileSync(join(root, 'moved', 'MEMORY.md'), `- ${CANARY}\n- tea\n- more\n`)
    await open({ owner: 'moved', folder: 'moved' }).sync()
    expect(await read('global')).toMatchObject({ content: '- tea\n- milk\n' })
    expect(bytesInFiles(join(root, 'moved'), CANARY)).toEqual({})
  })

  it('takes edits again afterwards', async () => {
    const workspace = open()
    await workspace.sync()
    lose()
    await workspace.followErasures()
    write('MEMORY.md', text('MEMORY.md').replace('tea', 'coffee'))
    expect(await workspace.sync()).toMatchObject({ read: 1 })
    expect(await read('global')).toMatchObject({ content: '- coffee\n- milk\n' })
  })
})

describe('an erasure in the middle of a look at the folder', () => {
  /** The store, with something that happens right before the n-th call of one of its methods. */
  function interrupted(method: StoreMethod, nth: number, happens: () => unknown): Store {
    let calls = 0
    return intercepted(store, (name, call) => async (...given) => {
      if (name === method && ++calls === nth) await happens()
      return await call(...given)
    })
  }

  const calls = (
    [
      'listErasedDocuments',
      'listUnmirrored',
      'listDocuments',
      'readMirrorStates',
      'readDocumentVersions',
      'changeDocuments',
      'noteMirrored',
    ] as const
  ).flatMap(method => [1, 2, 3].map(nth => ({ method, nth })))

  async function edit(): Promise<void> {
    await change('user', 'ann', `- ${CANARY}\n`)
    await change('global', '', `- tea\n- ${CANARY}\n`)
    await open({ owner: 'first' }).sync()
    await change('user', 'ann', `- milk\n- ${CANARY}\n`)
    await change('global', '', `- milk\n- tea\n- ${CANARY}\n`)
    write('users/ann.md', text('users/ann.md').replace(CANARY, `${CANARY}\n- an edit`))
    write('MEMORY.md', `- tea\n- ${CANARY} edited and cut off\n`)
    now += 60_000
  }

  function erase(): void {
    takeAway('user', 'ann')
    takeLines('global', '', '- tea\n')
  }

  it.each(calls)('before call $nth of $method: neither document nor file comes back', async call => {
    await edit()
    let isErased = false
    const happens = () => {
      if (!isErased) erase()
      isErased = true
    }
    const workspace = open({ owner: 'second', on: interrupted(call.method, call.nth, happens) })
    await workspace.sync()
    happens()
    await workspace.sync()
    expect(await workspace.followErasures()).toMatchObject({ left: 0 })
    expect(await read('user', 'ann')).toBe(null)
    expect((await read('global'))?.content).not.toContain(CANARY)
    expectGone()
  })

  it.each(calls)(
    'and a sleep over it, while another process follows, before call $nth of $method',
    async call => {
      await edit()
      const other = open({ owner: 'other' })
      let hasSlept = false
      const sleep = async () => {
        if (hasSlept) return
        hasSlept = true
        now += 60_000
        erase()
        await other.followErasures()
        now += 60_000
      }
      const workspace = open({ owner: 'second', on: interrupted(call.method, call.nth, sleep) })
      await workspace.sync()
      await sleep()
      now += 60_000
      await other.sync()
      expect(await other.followErasures()).toMatchObject({ left: 0 })
      expect(await read('user', 'ann')).toBe(null)
      expect((await read('global'))?.content).not.toContain(CANARY)
      expectGone()
    },
  )
})
