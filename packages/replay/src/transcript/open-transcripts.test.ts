import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { PalimpsestError } from 'palimpsest/internals/errors'
import { afterAll, describe, expect, test } from 'vitest'
import { lineId } from './check-messages.ts'
import { openTranscripts } from './open-transcripts.ts'
import type { Source } from './source.ts'
import type { Transcript, TranscriptMessage } from './transcript.ts'

const folder = mkdtempSync(join(tmpdir(), 'palimpsest-transcripts-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function source(content: string | Buffer | object): Source {
  const text = typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content)
  const bytes = Buffer.from(text as string)
  return { path: 'x', bytes: bytes.length, chunks: () => [bytes] }
}

const open = (content: string | Buffer | object, options = {}) => openTranscripts(source(content), options)
const failure = (content: string | Buffer | object): Promise<PalimpsestError> =>
  open(content).then(
    () => expect.unreachable(),
    error => error,
  )

async function entries(transcript: Transcript) {
  const all: TranscriptMessage[] = []
  for await (const entry of transcript.read()) all.push(entry)
  return all
}

const contents = async (transcript: Transcript) =>
  (await entries(transcript)).map(({ message }) => message.content)

const openai = [
  { role: 'user', content: 'hi\u2028你好 🦊' },
  { role: 'assistant', content: 'yo' },
]
const telegram = {
  name: 'Trip',
  type: 'private_group',
  id: 1,
  messages: [
    { id: 1, type: 'message', date: '2026-01-15T08:00:00', from: 'Ann', from_id: 'user1', text: 'hi' },
    { id: 2, type: 'message', date: '2026-01-15T08:00:00', from: 'Bo', from_id: 'user2', text: 'yo' },
  ],
}
const chatgpt = (id: string, text: string) => ({
  id,
  title: `About ${id}`,
  current_node: 'a',
  mapping: {
    a: {
      parent: null,
      message: { id: 'm', author: { role: 'user' }, content: { parts: text ? [text] : [] } },
    },
  },
})
const ui = [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'hi' }] }]
const ours =
  '{"role":"user","text":"hi","sender":"Ann","at":"2026-01-15T08:00:00Z"}\n{"role":"user","text":"hi"}\n'

describe('openTranscripts', () => {
  test.each<[string, string | object, string]>([
    ['ours', ours, 'palimpsest'],
    ['ours, a line', '{"role":"user","text":"hi"}', 'palimpsest'],
    ['nothing', '', 'palimpsest'],
    ['empty lines', '\uFEFF\r\n \n', 'palimpsest'],
    ['ChatGPT', [chatgpt('c', 'hi')], 'chatgpt'],
    ['ChatGPT, one', chatgpt('c', 'hi'), 'chatgpt'],
    ['Telegram', telegram, 'telegram'],
    ['Telegram, all', { about: '', chats: { list: [telegram] } }, 'telegram'],
    ['Telegram, nothing said', { ...telegram, messages: [] }, 'telegram'],
    ['Telegram, no chats', { chats: { list: [] } }, 'telegram'],
    ['OpenAI', openai, 'openai'],
    ['OpenAI, wrapped', { messages: openai }, 'openai'],
    ['OpenAI, in lines', [1, 2].map(() => JSON.stringify({ messages: openai })).join('\r\n'), 'openai'],
    ['an empty list', '[]', 'openai'],
    ['AI SDK', ui, 'ai-sdk'],
    ['AI SDK, wrapped', { id: 'chat', messages: ui }, 'ai-sdk'],
  ])('knows what it reads: %s', async (_, content, format) => {
    const pretty = typeof content === 'string' ? content : `\uFEFF${JSON.stringify(content, null, 2)}`
    for (const text of [content, pretty, pretty.toString().replaceAll('\n', '\r\n')]) {
      const [first] = await open(text)
      expect(first).toMatchObject({ format, path: 'x' })
    }
  })

  test('reads our own lines again and again, with the ids of always', async () => {
    const path = join(folder, 'chat.dat')
    writeFileSync(path, ours)
    const [transcript] = await openTranscripts(path)
    expect(transcript).toMatchObject({ messages: 2, kind: 'group', bytes: ours.length, id: null, number: 1 })
    for (let time = 0; time < 2; time++) {
      const read = await entries(transcript!)
      expect(read.map(({ place, position }) => [place, position])).toEqual([
        ['line 1', 71],
        ['line 2', 99],
      ])
      expect(read.map(lineId)).toEqual(['line:1:YqcLzUK-1eVqMi2I', 'line:2:Q7D4ViGjtuYFH2ou'])
    }
  })

  test('gives each conversation with its id, title, kind and share of the file', async () => {
    const file = source([chatgpt('a', 'hi'), chatgpt('empty', ''), chatgpt('b', 'yo \ud800')])
    const found = await openTranscripts(file)
    expect(found.map(({ id, title, number, messages }) => [id, title, number, messages])).toEqual([
      ['a', 'About a', 1, 1],
      ['b', 'About b', 3, 1],
    ])
    expect(await contents(found[1]!)).toEqual(['yo \ud800'])
    expect(await contents(found[1]!)).toEqual(['yo \ud800'])
    const [last] = await entries(found[1]!)
    expect(last?.position).toBe(found[1]!.bytes)
    expect((await open(telegram))[0]).toMatchObject({ kind: 'group', title: 'Trip' })
    expect((await open(telegram, { self: 'Bo' }))[0]).toMatchObject({ kind: 'private' })
    expect(await contents((await open(openai))[0]!)).toEqual(['hi\u2028你好 🦊', 'yo'])
  })

  test('one line of a fine-tuning file is one conversation', async () => {
    const lines = ['hi', 'ho'].map(content => JSON.stringify({ messages: [{ role: 'user', content }] }))
    const found = await open(`${lines.join('\n\n')}\n`)
    expect(await Promise.all(found.map(contents))).toEqual([['hi'], ['ho']])
    const error = await failure(`${lines[0]}\n{"messages":[{"role":"bot","content":"x"}]}\n{broken\n{"a":1}`)
    expect(error.details['problems']).toEqual([
      { place: 'line 3', line: 3, problem: expect.stringContaining('is not JSON') },
      { place: 'line 4', problem: expect.stringContaining('holds no conversation') },
      { place: 'line 2, message 1', problem: expect.stringContaining('role: "bot" cannot be taken') },
    ])
  })

  test('names every message that it cannot take, the first twenty of them', async () => {
    const bad = { role: 'user', content: 5 }
    const one = await failure([...openai, bad])
    expect(one).toMatchObject({ code: 'invalid_transcript', name: 'InvalidTranscriptError' })
    expect(one.message).toContain('\n  message 3: content: 5 cannot be taken; allowed: text')
    const several = [
      { messages: openai },
      { title: 'Trip to Oslo', messages: [...openai, ...Array.from({ length: 30 }, () => bad)] },
    ]
    const { message, details } = await failure(several)
    expect(message).toContain('\n  conversation 2 "Trip to Oslo", message 3: content: 5')
    expect(message).toContain('\n  and 10 more')
    expect(details).toMatchObject({ total: 30, format: 'openai' })
  })

  test('an id that stands for two messages is named; a repeat is counted once', async () => {
    const repeat = { ...telegram, messages: [telegram.messages[0]!, telegram.messages[0]!] }
    expect((await open(repeat))[0]).toMatchObject({ messages: 1 })
    const conflict = { ...telegram, messages: telegram.messages.map(message => ({ ...message, id: 1 })) }
    expect((await failure(conflict)).message).toContain(
      'message 2: externalId "1" stood in an earlier message with other content',
    )
  })

  test.each([
    ['[{"role":"user","content":"hi"},\n]', 'line 2, column 1: is not JSON'],
    ['[{"role":"user","content":"hi"}', 'line 1, column 32: is not JSON'],
    ['{\n  "messages": [\n    {"role": "user", content: "hi"}\n  ]\n}', 'line 3, column 22: is not JSON'],
    [Buffer.from([0x5b, 0x0a, 0x22, 0xff, 0x22, 0x5d]), 'line 2: is not UTF-8 text'],
  ])('says where JSON is broken: %j', async (content, place) => {
    const error = await failure(content)
    expect(error.code).toBe('invalid_transcript')
    expect(error.message).toContain(place)
  })

  test.each([
    'hello there',
    '5',
    '"text"',
    '<html></html>',
    '{"a":1}',
    '{\n"a":1\n}',
    '[1,2]',
    '[{"role":"user","text":"hi"}]',
    Buffer.from([0x50, 0x4b, 3, 4, 0xff, 0xfe]),
  ])('lists the formats for what is in none: %j', async content => {
    const error = await failure(content)
    expect(error.code).toBe('invalid_transcript')
    for (const name of ['one message a line', 'ChatGPT', 'Telegram', 'OpenAI', 'AI SDK'])
      expect(error.message).toContain(name)
  })

  test('lines of ours stay lines, whichever of them is broken', async () => {
    for (const text of [
      'not json\n{"role":"user","text":"hi"}',
      '{"role":"user","tex\n{"role":"user","text":"hi"}',
      '{"role":"user","text":"cut',
    ]) {
      const { message, details } = await failure(text)
      expect(message).toContain('A transcript has one message a line')
      expect(details['problems']).toMatchObject([
        { line: 1, problem: expect.stringContaining('is not JSON') },
      ])
    }
    expect((await failure('{"text":"hi"}')).message).toContain('line 1: role: nothing is given')
  })

  test('says what is too large to be read whole; lines of ours may have any size', async () => {
    const large = (text: string): Source => ({ ...source(text), bytes: 500_000_001 })
    await expect(openTranscripts(large('[]'))).rejects.toThrow(
      'x has 500000001 bytes. A file of conversations',
    )
    await expect(openTranscripts(large(JSON.stringify({ messages: openai })))).rejects.toThrow(
      '500000001 bytes',
    )
    expect((await openTranscripts(large(ours)))[0]).toMatchObject({ messages: 2 })
  })

  test('reads characters and lines that lie across chunks', async () => {
    for (const text of [
      JSON.stringify(openai),
      `${JSON.stringify(openai[0])}\r\n${JSON.stringify(openai[1])}`,
    ]) {
      const bytes = Buffer.from(text)
      const chunks = () => Array.from(bytes, byte => Buffer.from([byte]))
      const [transcript] = await openTranscripts({ path: 'x', bytes: bytes.length, chunks })
      expect(await contents(transcript!)).toEqual(openai.map(({ content }) => content))
    }
  })

  test('says how far it is', async () => {
    const shares: number[] = []
    await open(openai, { onProgress: (share: number) => shares.push(share) })
    expect(shares).toEqual(shares.toSorted((a, b) => a - b))
    expect(shares.at(-1)).toBe(1)
  })
})
