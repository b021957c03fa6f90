import { chmodSync, chownSync, existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { createPalimpsest } from '../../packages/palimpsest/src/palimpsest.ts'
import { sqlite } from '../../packages/palimpsest/src/store/sqlite/index.ts'
import { type Folder, run, runHere, temporaryFolder, transcript } from './run.ts'

/** Who may open what holds conversations. Windows has no modes. */

const folders: Folder[] = []
let folder: Folder
beforeEach(() => {
  folder = temporaryFolder()
  folders.push(folder)
})
afterAll(() => {
  for (const each of folders) each.remove()
})

const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8)
const DATABASE = ['', '-wal', '-shm']

async function withDatabase<Result>(file: string, use: () => Result | Promise<Result>): Promise<Result> {
  const palimpsest = await createPalimpsest({
    store: sqlite(file, { durability: 'normal' }),
    folding: 'manual',
  })
  try {
    await palimpsest.session('s').append({ role: 'user', content: 'for its owner alone' })
    return await use()
  } finally {
    await palimpsest.close()
  }
}

describe.skipIf(process.platform === 'win32')('files that hold conversations', () => {
  let umask: number
  beforeEach(() => {
    umask = process.umask(0o022)
  })
  afterEach(() => {
    process.umask(umask)
  })

  test.each([0o022, 0o000])(
    'a new database, its log and its index are for their owner alone: umask %i',
    async mask => {
      process.umask(mask)
      const file = join(folder.path, 'new.db')
      await withDatabase(file, () => {
        for (const part of DATABASE) expect([part, modeOf(file + part)]).toEqual([part, '600'])
      })
    },
  )

  test('one that is there loses what others may do, and keeps what its group may', async () => {
    const file = join(folder.path, 'old.db')
    await withDatabase(file, () => {})
    chmodSync(file, 0o664)
    await withDatabase(file, () => {
      for (const part of DATABASE) expect([part, modeOf(file + part)]).toEqual([part, '660'])
    })
  })

  test('so does the log of one that was left by a process that died', async () => {
    const [file, copy] = [join(folder.path, 'live.db'), join(folder.path, 'copy.db')]
    await withDatabase(file, () => {
      for (const part of DATABASE.filter(part => existsSync(file + part))) {
        writeFileSync(copy + part, readFileSync(file + part))
        expect(modeOf(copy + part)).toBe('644')
      }
    })
    await withDatabase(copy, () => {
      for (const part of DATABASE) expect([part, modeOf(copy + part)]).toEqual([part, '640'])
    })
  })

  test('where that fails, a warning says so, and the database is opened all the same', async () => {
    // Others own it: the program runs as a user who may read and write it, and not change its mode.
    if (process.getuid?.() !== 0) return
    const file = join(folder.path, 'theirs.db')
    await withDatabase(file, () => {})
    chmodSync(folder.path, 0o777)
    chmodSync(file, 0o666)
    chownSync(file, 12_345, 12_345)
    const warnings: string[] = []
    process.seteuid?.(65_534)
    try {
      const store = sqlite(file, { durability: 'normal', warn: message => warnings.push(message) })
      await store.open()
      await store.close()
    } finally {
      process.seteuid?.(0)
    }
    expect(warnings).toEqual([expect.stringContaining(`Other users of this machine can open ${file}`)])
    expect(modeOf(file)).toBe('666')
  })

  test('what is exported, copied or reported is for its owner alone', async () => {
    const file = join(folder.path, 'palimpsest.db')
    await withDatabase(file, () => {})
    const at = (name: string) => join(folder.path, name)
    const chat = folder.file('chat.jsonl', transcript(4))
    const made = {
      'chat.json': ['export', 's', '--db', file, '--output', at('chat.json')],
      'backup.db': ['copy', '--from', `sqlite:${file}`, '--to', `sqlite:${at('backup.db')}`],
      'page.html': ['replay', chat, '--policy', 'count', '--html', at('page.html')],
      'imported.db': ['import', chat, '--db', at('imported.db'), '--session', 's'],
    }
    for (const [name, args] of Object.entries(made)) {
      const ran = await run(args)
      expect([name, ran.code, modeOf(at(name))]).toEqual([name, 0, '600'])
    }
  })

  test('an export into a file that is there closes it first, and keeps its group', async () => {
    const file = join(folder.path, 'palimpsest.db')
    await withDatabase(file, () => {})
    const output = folder.file('chat.json', 'earlier')
    chmodSync(output, 0o646)
    expect(await runHere(['export', 's', '--db', file, '--output', output])).toMatchObject({ code: 0 })
    expect(modeOf(output)).toBe('640')
    expect(readFileSync(output, 'utf8')).toContain('for its owner alone')
  })

  test('files of memory are for their owner, and for the group that one of them is shared with', async () => {
    const workspace = join(folder.path, 'workspace')
    const palimpsest = await createPalimpsest({
      ...{ store: sqlite(join(folder.path, 'm.db'), { durability: 'normal' }), folding: 'manual', workspace },
    })
    await palimpsest.memory.user('ann').append('- tea')
    await palimpsest.syncWorkspace()
    const file = join(workspace, 'users', 'ann.md')
    expect([modeOf(workspace), modeOf(file)]).toEqual(['700', '600'])
    chmodSync(file, 0o666)
    await palimpsest.memory.user('ann').append('- coffee')
    await palimpsest.syncWorkspace()
    expect([readFileSync(file, 'utf8').includes('coffee'), modeOf(file)]).toEqual([true, '660'])
    await palimpsest.close()
  })
})
