import { afterAll, describe, expect, test } from 'vitest'
import { run, temporaryFolder, transcript } from './run.ts'

const folder = temporaryFolder()
afterAll(() => folder.remove())

const db = (name: string) => ['--db', `${folder.path}/${name}.db`]
const json = async (args: readonly string[], options = {}) => {
  const { code, stdout, stderr } = await run(['import', ...args, '--json'], options)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

function chatgpt(id: string, title: string, texts: readonly string[]) {
  const nodes = texts.map((text, index) => {
    const author = { role: index % 2 ? 'assistant' : 'user' }
    const message = { id: `${id}-${index}`, author, content: { content_type: 'text', parts: [text] } }
    return [`n${index}`, { message, parent: index === 0 ? null : `n${index - 1}` }]
  })
  const mapping = Object.fromEntries(nodes)
  return { conversation_id: id, title, current_node: `n${texts.length - 1}`, mapping }
}

const conversations = [
  chatgpt('c-1', 'Trip to Oslo', ['Where to?', 'Oslo 🇳🇴', '谢谢']),
  chatgpt('c-2', 'Nothing', []),
  chatgpt('c-3', 'Bread', ['How long?', 'An hour.']),
]
const openai = (length: number) =>
  Array.from({ length }, (_, index) => ({ role: index % 2 ? 'assistant' : 'user', content: 'again' }))

describe('palimpsest import of what others wrote', () => {
  const file = folder.file('any.name', `\uFEFF${JSON.stringify(conversations)}`)

  test('puts each conversation into a session of its own; a repeat adds nothing', async () => {
    const args = [file, '--session', 'chatgpt', ...db('several')]
    const sessions = [
      { session: 'chatgpt:c-1', title: 'Trip to Oslo', messages: 3, added: 3, duplicates: 0 },
      { session: 'chatgpt:c-3', title: 'Bread', messages: 2, added: 2, duplicates: 0 },
    ]
    expect(await json(args)).toEqual({ sessions })
    expect((await run(['import', ...args])).stdout).toBe(
      '"chatgpt:c-1" ("Trip to Oslo"): 0 added, 3 there already\n"chatgpt:c-3" ("Bread"): 0 added, 2 there already\n',
    )
    const exported = JSON.parse((await run(['export', 'chatgpt:c-1', ...db('several')])).stdout)
    expect(JSON.stringify(exported)).toContain('Oslo 🇳🇴')
  })

  test('picks one conversation, by title or by id', async () => {
    const args = [file, '--session', 'oslo', ...db('one')]
    const result = { session: 'oslo', messages: 3, added: 3, duplicates: 0 }
    expect(await json([...args, '--conversation', 'Trip to Oslo'])).toEqual(result)
    expect(await json([...args, '--conversation', 'c-1'])).toEqual({ ...result, added: 0, duplicates: 3 })
    expect(await run(['import', ...args, '--conversation', 'Rome'])).toMatchObject({
      code: 64,
      stdout: '',
      stderr: expect.stringContaining('c-1 ("Trip to Oslo"), c-3 ("Bread")'),
    })
  })

  test('takes messages of OpenAI from standard input; one that has grown adds what is new', async () => {
    const args = ['-', '--session', 's', ...db('openai')]
    expect(await json(args, { stdin: JSON.stringify(openai(4)) })).toEqual({
      session: 's',
      messages: 4,
      added: 4,
      duplicates: 0,
    })
    expect(await json(args, { stdin: JSON.stringify({ messages: openai(6) }, null, 2) })).toMatchObject({
      added: 2,
      duplicates: 4,
    })
    const lines = [2, 3].map(length => JSON.stringify({ messages: openai(length) })).join('\n')
    expect(await json(args, { stdin: lines })).toMatchObject({
      sessions: [
        { session: 's:1', title: null, added: 2 },
        { session: 's:2', title: null, added: 3 },
      ],
    })
  })

  test('takes a chat of Telegram, with the assistant that it is told', async () => {
    const message = { type: 'message', date: '2026-01-15T08:00:00', date_unixtime: '1768464000' }
    const chat = {
      name: 'Ann',
      type: 'personal_chat',
      id: 5,
      messages: [
        { ...message, id: 1, from: 'Ann', from_id: 'user5', text: ['see ', { type: 'bold', text: 'this' }] },
        { ...message, id: 2, from: 'Bot Bo', from_id: 'user6', text: 'seen', reply_to_message_id: 1 },
      ],
    }
    const args = [
      folder.file('result.json', JSON.stringify(chat, null, 1)),
      '--session',
      't',
      ...db('telegram'),
    ]
    expect(await json([...args, '--self', 'Bot Bo'])).toMatchObject({ added: 2 })
    const exported = JSON.parse((await run(['export', 't', ...db('telegram')])).stdout)
    expect(exported).toMatchObject({
      kind: 'private',
      messages: [
        { role: 'user', content: 'see this', sender: { id: 'user5', name: 'Ann' } },
        { role: 'assistant', sender: { isSelf: true }, replyTo: '1', externalId: '2' },
      ],
    })
    expect(await run(['import', ...args, '--self', 'Nobody'])).toMatchObject({
      code: 64,
      stderr: expect.stringContaining('"Ann" (user5), "Bot Bo" (user6)'),
    })
  })

  test('takes UI messages of the AI SDK, tools and all', async () => {
    const tool = { type: 'tool-now', toolCallId: 'c', state: 'output-available', input: {}, output: 'noon' }
    const messages = [
      { id: 'u', role: 'user', parts: [{ type: 'text', text: 'Time?' }] },
      { id: 'a', role: 'assistant', parts: [tool, { type: 'text', text: 'Noon.' }] },
    ]
    const file = folder.file('ui.json', JSON.stringify(messages))
    expect(await json([file, '--session', 's', ...db('ui')])).toMatchObject({ messages: 4, added: 4 })
    expect(await json([file, '--session', 's', ...db('ui')])).toMatchObject({ added: 0, duplicates: 4 })
  })

  test('restores from standard input what export wrote', async () => {
    await run(['import', folder.file('x.jsonl', transcript(3)), '--session', 's', ...db('first')])
    const { stdout } = await run(['export', 's', ...db('first')])
    expect(await json(['-', ...db('second')], { stdin: stdout })).toMatchObject({ session: 's', added: 3 })
    expect((await run(['export', 's', ...db('second')])).stdout).toBe(stdout)
  })

  test('an empty list is an empty conversation', async () => {
    expect(await json([folder.file('empty.json', '[]'), '--session', 's', ...db('empty')])).toEqual({
      session: 's',
      messages: 0,
      added: 0,
      duplicates: 0,
    })
  })

  test.each([
    ['[{"role":"user","content":"hi"},\n]', 'line 2, column 1: is not JSON'],
    ['[{"role":"bot","content":"hi"}]', 'message 1: role: "bot" cannot be taken; allowed: system, user'],
    ['# Notes\n', 'Telegram Desktop: result.json'],
  ])('%j is a clear error, and nothing is done', async (stdin, message) => {
    const args = ['import', '-', '--session', 's', '--db', `${folder.path}/nothing.db`]
    expect(await run(args, { stdin })).toMatchObject({
      code: 65,
      stdout: '',
      stderr: expect.stringContaining(message),
    })
    expect(await run(['export', 's', ...db('nothing')])).toMatchObject({ code: 66 })
  })
})
