import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import type { Palimpsest } from '../../packages/palimpsest/src/index.ts'
import { bytesInFiles } from '../erasure/bytes-in-files.ts'
import { forgetWholly, House } from './kit.ts'

const WORDS = 'zebra-5c1d77'
const LATER = 'quagga-88'

let house: House

beforeEach(() => {
  house = new House()
})

afterEach(() => house.remove())

const at = (name: string) => join(house.files, name)
const text = (name: string) => readFileSync(at(name), 'utf8')
const edit = (name: string, from: string, to: string) => writeFileSync(at(name), text(name).replace(from, to))
const open = () => house.open({ workspace: house.files })

/** Ann and Bob have each a chat, and both are in a group, whose memory learned a line of Ann's. */
async function begin(): Promise<Palimpsest> {
  const palimpsest = await open()
  for (const user of ['ann', 'bob'])
    await palimpsest.session(user, { user }).append({ role: 'user', sender: { id: user }, content: 'hello' })
  const group = palimpsest.session('group', { kind: 'group' })
  await group.append([
    { role: 'user', sender: { id: 'bob' }, content: 'boats' },
    { role: 'user', sender: { id: 'ann' }, content: WORDS },
  ])
  await palimpsest.memory.user('ann').append(`- likes ${WORDS}`)
  await palimpsest.memory.user('bob').append('- likes boats')
  await palimpsest.memory.global.append('- all is well')
  const tools = await palimpsest.session('ann').memoryTools()
  await tools.execute('write_chat_memory', { section: 'Notes', content: `Wants ${WORDS}` })
  const inGroup = await group.memoryTools()
  await inGroup.execute('write_chat_memory', { section: 'Notes', content: `Somebody wants ${WORDS}` })
  await palimpsest.syncWorkspace()
  return palimpsest
}

describe('files whose erasures were finished', () => {
  test('are newer than the database: what they say is taken, and nothing erased comes back', async () => {
    let palimpsest = await begin()
    await house.backUp()
    await palimpsest.memory.user('bob').append(`- ${LATER} after the backup`)
    await palimpsest.syncWorkspace()
    await forgetWholly(palimpsest, { kind: 'person', id: 'ann' })
    edit('MEMORY.md', 'all is well', 'all is well, says a person')
    await palimpsest.syncWorkspace()
    await palimpsest.close()
    edit('MEMORY.md', 'says a person', 'says a person in the file')
    // She is somebody new.
    palimpsest = await open()
    await palimpsest.memory.user('ann').append('- is back')
    await palimpsest.syncWorkspace()
    await palimpsest.close()
    const restored = await house.restore()
    expect(restored.files).toEqual([{ namespace: 'default', folder: house.files, state: 'trusted' }])
    expect(bytesInFiles(house.root, WORDS)).toEqual({ 'backup.db': expect.any(Number) })
    palimpsest = await open()
    await palimpsest.syncWorkspace()
    expect((await palimpsest.memory.global.read())?.content).toContain('says a person in the file')
    expect((await palimpsest.memory.user('bob').read())?.content).toContain(LATER)
    expect((await palimpsest.memory.user('ann').read())?.content).toBe('- is back\n')
    expect(text('users/ann.md')).toContain('is back')
    await palimpsest.close()
    expect(bytesInFiles(house.root, WORDS)).toEqual({ 'backup.db': expect.any(Number) })
  })
})

describe('files whose erasures were not finished', () => {
  /** The process ends before files follow: it has no workspace. */
  async function eraseWithoutFiles(): Promise<void> {
    let palimpsest = await begin()
    await house.backUp()
    await palimpsest
      .session('late', { user: 'late' })
      .append({ role: 'user', sender: { id: 'late' }, content: 'x' })
    await palimpsest.memory.user('late').append(`- wants ${LATER}`)
    await palimpsest.syncWorkspace()
    await palimpsest.close()
    palimpsest = await house.open()
    for (const id of ['ann', 'late']) await palimpsest.forget({ kind: 'person', id })
    await palimpsest.close()
    expect(text('users/late.md')).toContain(LATER)
  }

  test('are written anew: nobody comes back by them, whether the backup knows them or not', async () => {
    await eraseWithoutFiles()
    const restored = await house.restore()
    expect(restored).toMatchObject({ erased: { person: 1 }, withoutTarget: 1 })
    expect(restored.files).toMatchObject([{ state: 'anew' }])
    const palimpsest = await open()
    await palimpsest.syncWorkspace()
    palimpsest.resumeErasures()
    expect(existsSync(at('users/ann.md'))).toBe(false)
    expect(existsSync(at('users/late.md'))).toBe(false)
    expect(text('users/bob.md')).toContain('likes boats')
    expect(text('MEMORY.md')).toContain('all is well')
    expect(await palimpsest.memory.user('late').read()).toBeNull()
    await palimpsest.erased(1)
    await palimpsest.close()
    expect(bytesInFiles(house.files, WORDS)).toEqual({})
    expect(bytesInFiles(house.files, LATER)).toEqual({})
    expect(readFileSync(house.file).includes(WORDS)).toBe(false)
  })

  test('are named where they are not here', async () => {
    await eraseWithoutFiles()
    renameSync(house.files, `${house.root}/moved`)
    expect((await house.restore()).files).toEqual([
      { namespace: 'default', folder: house.files, state: 'not here' },
    ])
  })
})
