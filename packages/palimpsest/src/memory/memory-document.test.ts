import { afterEach, describe, expect, it } from 'vitest'
import { createPalimpsest, type Palimpsest, type PalimpsestOptions, sqlite } from '../index.ts'

const open: Palimpsest[] = []

afterEach(async () => {
  for (const palimpsest of open.splice(0)) await palimpsest.close()
})

async function start(options: Partial<PalimpsestOptions> = {}): Promise<Palimpsest> {
  const palimpsest = await createPalimpsest({
    store: sqlite(':memory:'),
    folding: 'manual',
    clock: () => Date.parse('2026-01-15T12:00:00Z'),
    ...options,
  })
  open.push(palimpsest)
  return palimpsest
}

describe('a memory document', () => {
  it('is null before the first write, and made from the template by it', async () => {
    const palimpsest = await start()
    const chat = palimpsest.session('telegram:42', { kind: 'private', user: 'user-7' })
    expect(await chat.memory.read()).toBeNull()
    await chat.append({ role: 'user', content: 'Hello there', sender: { id: 'user-7', name: 'Ann' } })
    await chat.memory.append('- Ann writes in the evening', { section: 'About this conversation' })
    const document = await chat.memory.read()
    expect(document?.content).toBe(
      '# Chat memory\n\n## Basic information\n- Kind: private\n- With: Ann (user-7)\n- First contact: 2026-01-15\n\n' +
        '## About this conversation\n- Ann writes in the evening\n\n## History\n',
    )
    expect(document?.sections.map(({ heading }) => heading)).toEqual([
      'Chat memory',
      'Basic information',
      'About this conversation',
      'History',
    ])
    expect(document?.version).toBe(1)
  })

  it('of a Chinese chat begins in Chinese', async () => {
    const palimpsest = await start({ zone: 'Asia/Shanghai' })
    const chat = palimpsest.session('feishu:1', { kind: 'group' })
    await chat.append({
      role: 'user',
      content: '我们周五发布新版本，大家觉得怎么样？',
      sender: { id: 'u1', name: '王芳' },
    })
    await chat.memory.append('- 大家喜欢简短的回答', { section: '关于此对话' })
    expect((await chat.memory.read())?.content).toContain(
      '## 基本信息\n- 类型: 群聊\n- 对话对象: 王芳 (u1)\n- 首次交互: 2026-01-15\n\n## 关于此对话\n- 大家喜欢简短的回答\n',
    )
  })

  it('may be written before the first message: the session is there then', async () => {
    const palimpsest = await start()
    const chat = palimpsest.session('new', { kind: 'group', scope: 'acme' })
    await chat.memory.updateSection('Rules', '- be brief')
    expect(await chat.memory.section('Rules')).toBe('- be brief')
    expect(await chat.info()).toMatchObject({ kind: 'group', scope: 'acme', messages: 0 })
  })

  it.each(['persona', 'global'] as const)('of the layer %s is there once', async layer => {
    const palimpsest = await start()
    await palimpsest.memory[layer].replace('One.\r\nTwo.')
    await palimpsest.memory.document(layer, '').append('Three.')
    expect((await palimpsest.memory[layer].read())?.content).toBe('One.\nTwo.\n\nThree.\n')
    expect(() => palimpsest.memory.document(layer, 'x')).toThrow(/there is one/)
  })

  it('replaces and appends by exact heading', async () => {
    const palimpsest = await start()
    const user = palimpsest.memory.user('user-7')
    await user.replace('# U\n\n### A\nlower\n\n## A\nupper\n\n```\n## A\n```\n\n## B\nb\n')
    expect(await user.section('A')).toBe('upper\n\n```\n## A\n```')
    await user.updateSection('A', 'new')
    expect((await user.read())?.content).toBe('# U\n\n### A\nlower\n\n## A\nnew\n\n## B\nb\n')
    await expect(user.updateSection('A', '## C\nno')).rejects.toThrow(/section/)
    await expect(user.append('x', { section: '' })).rejects.toThrow(/section/)
    expect((await user.read())?.version).toBe(2)
    await user.append('and more', { section: 'A' })
    await user.append('at the end')
    expect((await user.read())?.content).toBe(
      '# U\n\n### A\nlower\n\n## A\nnew\n\nand more\n\n## B\nb\n\nat the end\n',
    )
  })

  it('changes nothing where somebody wrote since the version that was read', async () => {
    const palimpsest = await start()
    const { global } = palimpsest.memory
    const first = await global.replace('a', { ifVersion: 0 })
    await global.append('b', { ifVersion: first.version })
    await expect(global.replace('c', { ifVersion: first.version })).rejects.toMatchObject({
      code: 'document_conflict',
      details: { expected: 1, actual: 2 },
    })
    expect((await global.read())?.content).toBe('a\n\nb\n')
  })

  it('has versions with authors and sources, and takes changes back, one after the other', async () => {
    const palimpsest = await start()
    const { persona } = palimpsest.memory
    const sources = [{ sessionId: 's', fromSeq: 1, toSeq: 2 }]
    await persona.replace('# P\n\n## A\n- one')
    await persona.append('- two', { section: 'A', author: 'ann', sources })
    await persona.append('- three', { section: 'A' })
    expect((await persona.undo()).content).toBe('# P\n\n## A\n- one\n- two\n')
    expect((await persona.undo()).content).toBe('# P\n\n## A\n- one\n')
    const versions = await persona.versions()
    expect(versions.map(({ version, undoes }) => [version, undoes])).toEqual([
      [5, 2],
      [4, 3],
      [3, null],
      [2, null],
      [1, null],
    ])
    expect(versions[3]).toMatchObject({ author: { kind: 'person', name: 'ann' }, sources })
    expect((await persona.undo({ version: 4 })).content).toContain('- three')
    await expect(persona.undo({ version: 99 })).rejects.toThrow(/from 1 to 6/)
    await palimpsest.memory.user('u').replace('x')
    await palimpsest.memory.user('u').undo()
    await expect(palimpsest.memory.user('u').undo()).rejects.toThrow(/taken back already/)
    await expect(palimpsest.memory.user('nobody').undo()).rejects.toMatchObject({
      code: 'document_not_found',
    })
  })

  it('takes back a change in the middle, and keeps what came later', async () => {
    const palimpsest = await start()
    const { global } = palimpsest.memory
    await global.replace('## A\n- one')
    await global.append('- wrong', { section: 'A' })
    await global.append('- right', { section: 'B' })
    expect((await global.undo({ version: 2 })).content).toBe('## A\n- one\n\n## B\n- right\n')
  })

  it('over its budget condenses its oldest lines of history, and the versions keep them', async () => {
    const palimpsest = await start({ memory: { budgets: { scope: 200 } } })
    const scope = palimpsest.memory.scope('acme')
    for (let day = 10; day < 28; day++)
      await scope.append(`- 2026-03-${day}: Ann told us the story of trip number ${day} to Lisbon`, {
        section: 'History',
      })
    const document = await scope.read()
    expect(document!.tokens).toBeLessThanOrEqual(200)
    expect(document!.content).toMatch(/- 2026-03-\d\d – 2026-03-\d\d: \[\d+ lines\] /)
    expect(document!.content).toContain('trip number 27 ')
    const versions = await scope.versions({ limit: 1_000 })
    for (let day = 10; day < 28; day++)
      expect(versions.some(({ content }) => content.includes(`trip number ${day} `))).toBe(true)
  })

  it('over its budget leaves what people wrote elsewhere as it is', async () => {
    const palimpsest = await start({ memory: { budgets: { global: 100 } } })
    const lines = Array.from(
      { length: 60 },
      (_, day) => `- 2026-03-${10 + (day % 20)}: Release ${day} of the bridge`,
    )
    const document = await palimpsest.memory.global.replace(lines.join('\n'))
    expect(document.content).toBe(`${lines.join('\n')}\n`)
    expect(document.tokens).toBeGreaterThan(document.budget)
  })

  it('over its budget goes back step by step all the same', async () => {
    const palimpsest = await start({ memory: { budgets: { global: 100 } } })
    const { global } = palimpsest.memory
    for (let day = 10; day < 20; day++)
      await global.append(
        `- 2026-03-${day}: The depot number ${day} was opened in the old harbour of Bremen`,
        {
          section: 'History',
        },
      )
    await global.undo()
    const { content } = await global.undo()
    expect(content).not.toContain('number 19')
    expect(content).not.toContain('number 18')
    expect(content).toContain('- 2026-03-10')
  })

  it('is not made by nothing', async () => {
    const palimpsest = await start()
    await expect(palimpsest.memory.persona.replace(' ')).rejects.toThrow(/not empty/)
    await palimpsest.memory.persona.replace('Pal')
    expect((await palimpsest.memory.persona.replace('')).content).toBe('')
  })

  it('says so where a change cannot be taken back any more', async () => {
    const palimpsest = await start()
    const { global } = palimpsest.memory
    await global.replace('## A\n- one\n')
    await global.append('- two', { section: 'B' })
    await global.updateSection('B', '- three')
    await expect(global.undo({ version: 2 })).rejects.toThrow(/was changed since/)
  })

  it('lists what there is', async () => {
    const palimpsest = await start()
    await palimpsest.memory.persona.replace('p')
    await palimpsest.memory.user('b').replace('b')
    await palimpsest.memory.user('a').replace('a')
    expect((await palimpsest.memory.list()).map(({ layer, key }) => [layer, key])).toEqual([
      ['persona', ''],
      ['user', 'a'],
      ['user', 'b'],
    ])
    expect(await palimpsest.memory.list({ layer: 'user', limit: 1 })).toHaveLength(1)
  })
})
