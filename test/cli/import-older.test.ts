import { existsSync, mkdirSync } from 'node:fs'
import { afterAll, describe, expect, test } from 'vitest'
import { run, temporaryFolder, transcript } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const db = (name: string) => ['--db', `${folder.path}/${name}.db`]
const json = async (args: readonly string[]) => {
  const { code, stdout, stderr } = await run(args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

const chat = (count: number) =>
  Array.from({ length: count }, (_, index) => ({
    role: index % 2 === 0 ? 'user' : 'assistant',
    content: `第 ${index + 1} 条`,
    timestamp: new Date(Date.UTC(2026, 0, 15, 8, index)).toISOString(),
  }))

for (const name of ['bot', 'bot/chat_memories', 'bot/memory']) mkdirSync(`${folder.path}/${name}`)
folder.file('bot/chat_memories/telegram_42.md', '# 聊天记忆\r\n\r\n## 历史摘要\r\n\r\n- 她搬到了波尔图\r\n')
folder.file('bot/memory/2026-01-15.md', '# 2026-01-15\n\n## telegram:42\n\n- moved\n')
folder.file('bot/SOUL.md', 'You are Bo.\n')
const bot = (messages: number) => ({
  'telegram:42': { messages: chat(messages), last_consolidated: 4, summary: '她搬家了。' },
  'telegram:43': { messages: chat(3), last_consolidated: 0 },
})
const current = folder.file('bot/current.json', JSON.stringify(bot(6), null, 2))

describe('palimpsest import of sessions of an older system', () => {
  test('93: --dry-run says what would happen, and makes nothing', async () => {
    const told = await json(['import', current, '--dry-run', '--json', ...db('dry')])
    expect(told).toMatchObject({
      dryRun: true,
      format: 'older',
      sessions: [
        {
          session: 'telegram:42',
          state: 'new',
          added: 6,
          compactedThrough: 4,
          segments: [{ fromSeq: 1, toSeq: 4, from: 'summary' }],
          documents: [
            { layer: 'chat', day: null },
            { layer: 'daily', day: '2026-01-15' },
          ],
        },
        { session: 'telegram:43', added: 3, compactedThrough: 0, segments: [] },
      ],
      documents: [{ layer: 'persona', file: 'SOUL.md', state: 'added' }],
    })
    const { stdout } = await run(['import', current, '--dry-run', ...db('dry')])
    expect(stdout).toContain(
      '"telegram:42": 6 added, 0 there already\n  folded through message 4: 1–4 by its summary\n',
    )
    expect(existsSync(`${folder.path}/dry.db`)).toBe(false)
  })

  test('94: brings them over with all they hold; a repeat adds nothing, and a file that has grown what is new', async () => {
    const args = ['import', current, '--json', ...db('many')]
    expect(await json(args)).toMatchObject({
      sessions: [
        { session: 'telegram:42', added: 6, compactedThrough: 4 },
        { session: 'telegram:43', added: 3 },
      ],
      documents: [{ layer: 'persona', state: 'added' }],
    })
    const exported = JSON.parse((await run(['export', 'telegram:42', ...db('many')])).stdout)
    expect(exported).toMatchObject({
      compactedThrough: 4,
      segments: [{ summary: '她搬家了。', messageCount: 4 }],
      documents: [{ day: null }, { day: '2026-01-15' }],
    })
    expect(exported.messages[0]).toMatchObject({ content: '第 1 条', at: '2026-01-15T08:00:00.000Z' })
    await json(args)
    expect(JSON.parse((await run(['export', 'telegram:42', ...db('many')])).stdout)).toEqual(exported)
    expect(await json([...args, '--dry-run'])).toMatchObject({
      sessions: [{ state: 'there', added: 0, duplicates: 6 }, { added: 0 }],
      documents: [{ state: 'there' }],
    })
    folder.file('bot/current.json', JSON.stringify(bot(8)))
    expect(await json(args)).toMatchObject({ sessions: [{ added: 2, duplicates: 6 }, { added: 0 }] })
    folder.file('bot/current.json', JSON.stringify(bot(6)))
    expect(await json(['memory', 'show', 'persona', '--json', ...db('many')])).toMatchObject({
      content: 'You are Bo.\n',
    })
  })

  test('what was erased since does not come back with a repeat', async () => {
    const args = ['import', current, '--json', ...db('erased')]
    await json(args)
    const erased = await run(['forget', '--session', 'telegram:42', '--seq', '2', '--yes', ...db('erased')])
    expect(erased.code).toBe(0)
    expect(await json(args)).toMatchObject({ sessions: [{ added: 0, duplicates: 6 }, { added: 0 }] })
    const { stdout } = await run(['export', 'telegram:42', ...db('erased')])
    expect(stdout).not.toContain('第 2 条')
    expect(stdout).not.toContain('她搬家了')
  })

  test('a session that is there with other messages stops all of it before anything is written', async () => {
    await run(['import', folder.file('x.jsonl', transcript(3)), '--session', 'telegram:43', ...db('taken')])
    const ran = await run(['import', current, ...db('taken')])
    expect(ran).toMatchObject({ code: 64, stderr: expect.stringContaining('telegram:43') })
    expect((await run(['export', 'telegram:42', ...db('taken')])).code).not.toBe(0)
    expect(await json(['import', current, '--session', 'old', '--json', ...db('taken')])).toMatchObject({
      sessions: [{ session: 'old:telegram:42' }, { session: 'old:telegram:43' }],
    })
  })

  test('what cannot be taken is named, by --dry-run too, and nothing is made', async () => {
    const bad = folder.file(
      'bad.json',
      JSON.stringify({
        a: { messages: [...chat(2), { role: 'wizard', content: 'x' }], last_consolidated: 1 },
      }),
    )
    const tried = await run(['import', bad, '--dry-run', '--json', ...db('bad')])
    expect(tried.code).toBe(65)
    expect(tried.stdout).toContain('"place":"message 3"')
    const ran = await run(['import', bad, ...db('bad')])
    expect(ran).toMatchObject({ code: 65, stdout: '', stderr: expect.stringContaining('message 3: role') })
    expect(existsSync(`${folder.path}/bad.db`)).toBe(false)
  })

  test('a session without an id of its own asks for one', async () => {
    const file = folder.file('one.json', JSON.stringify({ messages: chat(4), last_consolidated: 2 }))
    const ran = await run(['import', file, ...db('one')])
    expect(ran).toMatchObject({ code: 64, stderr: expect.stringContaining('--session') })
    expect(existsSync(`${folder.path}/one.db`)).toBe(false)
    expect(await json(['import', file, '--session', 's', '--json', ...db('one')])).toMatchObject({
      session: 's',
      added: 4,
      compactedThrough: 2,
    })
  })

  test('Ctrl-C leaves whole sessions only, and a repeat brings the rest', async () => {
    const chats = Array.from({ length: 5 }, (_, index) => [
      `chat ${index}`,
      { messages: chat(40), last_consolidated: 20 },
    ])
    const file = folder.file('many.json', JSON.stringify(Object.fromEntries(chats)))
    // It listens while it reads, while it plans, and while it writes: then, with the first session under way, it is told.
    const hook = folder.file(
      'interrupt.mjs',
      `let count = 0
      process.on('newListener', event => {
        if (event === 'SIGINT' && ++count === 3) setImmediate(() => process.emit('SIGINT'))
      })\n`,
    )
    const first = await run(['import', file, ...db('interrupted')], { hook })
    expect(first).toMatchObject({ code: 130, stderr: expect.stringContaining('Run it again to go on') })
    const rest = await json(['import', file, '--json', ...db('interrupted')])
    const added = rest.sessions.map((session: { added: number }) => session.added)
    expect(added).toEqual([0, 40, 40, 40, 40])
    for (const [index] of chats.entries()) {
      const exported = JSON.parse((await run(['export', `chat ${index}`, ...db('interrupted')])).stdout)
      expect(exported).toMatchObject({ compactedThrough: 20 })
      expect(exported.messages).toHaveLength(40)
    }
  })

  test('--dry-run of a transcript and of an exported session say what they would add', async () => {
    const file = folder.file('t.jsonl', transcript(3))
    expect(
      await json(['import', file, '--session', 's', '--dry-run', '--json', ...db('plain')]),
    ).toMatchObject({
      sessions: [{ session: 's', added: 3, duplicates: 0, state: 'new' }],
    })
    await run(['import', file, '--session', 's', ...db('plain')])
    expect(
      await json(['import', file, '--session', 's', '--dry-run', '--json', ...db('plain')]),
    ).toMatchObject({
      sessions: [{ added: 0, duplicates: 3, state: 'there' }],
    })
    const exported = folder.file('e.json', (await run(['export', 's', ...db('plain')])).stdout)
    expect(await json(['import', exported, '--dry-run', '--json', ...db('none')])).toMatchObject({
      sessions: [{ session: 's', added: 3 }],
    })
    expect((await run(['import', exported, '--dry-run', ...db('plain')])).code).not.toBe(0)
  })
})
