import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { createPalimpsest } from 'palimpsest/internals/palimpsest'
import { sqlite } from 'palimpsest/internals/store/sqlite/index'
import { afterAll, describe, expect, test } from 'vitest'
import { runs } from '../../../../../test/runs.ts'
import { openTranscripts } from '../open-transcripts.ts'
import { toSessionFile } from './to-session-file.ts'

const folder = mkdtempSync(join(tmpdir(), 'older-'))
afterAll(() => rmSync(folder, { recursive: true }))

const NOW = Date.parse('2026-11-18T12:00:00Z')
let files = 0

function write(content: string | Uint8Array, name = `file-${++files}.json`): string {
  const path = join(folder, name)
  mkdirSync(join(path, '..'), { recursive: true })
  writeFileSync(path, content)
  return path
}

async function sessionsIn(content: unknown, options: { zone?: string } = {}) {
  const text = typeof content === 'string' ? content : JSON.stringify(content)
  return sessionsOf(write(text), options)
}

async function sessionsOf(path: string, options: { zone?: string } = {}) {
  const transcripts = await openTranscripts(path, { now: NOW, ...options })
  return Promise.all(transcripts.map(transcript => toSessionFile(transcript, { now: NOW })))
}

const user = (content: string, more: object = {}) => ({ role: 'user', content, ...more })
const bot = (content: string, more: object = {}) => ({ role: 'assistant', content, ...more })

/** `count` messages, a minute apart. */
function chat(count: number, timed = true) {
  return Array.from({ length: count }, (_, index) => ({
    ...(index % 2 === 0 ? user(`question ${index + 1}`) : bot(`answer ${index + 1}`)),
    ...(timed && { timestamp: new Date(Date.UTC(2026, 0, 15, 8, index)).toISOString() }),
  }))
}

describe('a file with last_consolidated', () => {
  test('74: the cursor is the cursor, and the times are the times', async () => {
    const [session] = await sessionsIn({
      messages: chat(10),
      last_consolidated: 6,
      last_consolidated_at: '2026-01-15T09:00:00+00:00',
    })
    const { file, notes } = session!
    expect(file).toMatchObject({
      compactedThrough: 6,
      counters: { lastFoldAt: Date.parse('2026-01-15T09:00:00Z') },
      createdAt: '2026-01-15T08:00:00.000Z',
    })
    expect(file.segments.at(-1)).toMatchObject({ toSeq: 6, createdAt: '2026-01-15T09:00:00.000Z' })
    expect(file.segments[0]!.summary).toContain('question 1')
    expect(file.messages.map(({ at }) => at)).toEqual(chat(10).map(({ timestamp }) => timestamp))
    expect(notes).toEqual([])
  })

  test('73: one without the time of the last consolidation loads', async () => {
    const [session] = await sessionsIn({ messages: chat(10), last_consolidated: 6 })
    expect(session!.file).toMatchObject({
      compactedThrough: 6,
      counters: { lastFoldAt: Date.parse('2026-01-15T08:05:00Z') },
    })
  })

  test('a summary that is there covers what it stood for, word for word', async () => {
    const [session] = await sessionsIn({ messages: chat(8), last_consolidated: 4, summary: '她住在榆树街。' })
    expect(session!.file.segments).toMatchObject([
      { fromSeq: 1, toSeq: 4, messageCount: 4, summary: '她住在榆树街。', summarizer: 'imported' },
    ])
  })

  test('a summary of messages that are no longer there stands in the chat memory', async () => {
    const [session] = await sessionsIn({
      messages: chat(2),
      last_consolidated: 0,
      summary: 'She lives in Porto.',
    })
    expect(session!.file).toMatchObject({
      compactedThrough: 0,
      documents: [
        { day: null, versions: [{ content: '# Chat memory\n\n## History\n\nShe lives in Porto.\n' }] },
      ],
    })
  })

  test.each([
    [99, 10, 'last_consolidated is 99 of 10 messages: it is taken as the end'],
    ['6', 6, null],
    [-1, 0, 'makes no sense'],
    [2.5, 0, 'makes no sense'],
    ['six', 0, 'makes no sense'],
    [null, 0, null],
  ])('a cursor of %j is one of %j', async (cursor, expected, note) => {
    const [session] = await sessionsIn({ messages: chat(10), last_consolidated: cursor })
    expect(session!.file.compactedThrough).toBe(expected)
    expect(session!.notes.join()).toMatch(note ?? /^$/)
  })

  test('nothing is dated 1970, and what had no time has that of its neighbour', async () => {
    const times = [
      null,
      '2026-01-15T08:00:00Z',
      undefined,
      0,
      '',
      'yesterday',
      1768467600,
      '1970-01-01T00:00:00Z',
    ]
    const messages = times.map((timestamp, index) => user(`message ${index}`, { timestamp }))
    const [session] = await sessionsIn({ messages, last_consolidated: 3 })
    const [early, late] = ['2026-01-15T08:00:00.000Z', '2026-01-15T09:00:00.000Z']
    expect(session!.file.messages.map(({ at }) => at)).toEqual([
      ...[early, early, early, early, early, early],
      ...[late, late],
    ])
    expect(session!.notes).toEqual([
      '4 times cannot be read (the first at message 4): taken as none',
      '6 messages without a time: each takes the time of the message beside it',
    ])
  })

  test('where nothing has a time, it is that of the session, or else of the import', async () => {
    const messages = chat(3, false)
    const [own] = await sessionsIn({
      messages,
      last_consolidated: 0,
      created_at: '2026-01-15 08:00:00+08:00',
    })
    expect(own!.file.messages[2]!.at).toBe('2026-01-15T00:00:00.000Z')
    const [none] = await sessionsIn({ messages, last_consolidated: 2 })
    expect(new Set(none!.file.messages.map(({ at }) => at))).toEqual(new Set([new Date(NOW).toISOString()]))
    expect(none!.notes).toEqual(['3 messages without a time: each takes the time of this import'])
  })

  test('times without an offset are read in the zone, and it says so', async () => {
    const messages = [user('早', { timestamp: '2026-01-15T08:00:00.123456' })]
    const [session] = await sessionsIn({ messages, last_consolidated: 0 }, { zone: 'Asia/Shanghai' })
    expect(session!.file.messages[0]!.at).toBe('2026-01-15T00:00:00.123Z')
    expect(session!.notes[0]).toContain('Asia/Shanghai')
  })

  test('empty messages are left out, and the cursor still means the same messages', async () => {
    const messages = [user('one'), bot(''), user('two'), bot('three'), user('four')]
    const [session] = await sessionsIn({ messages, last_consolidated: 3 })
    expect(session!.file).toMatchObject({ compactedThrough: 2 })
    expect(session!.file.messages).toHaveLength(4)
    expect(session!.notes[0]).toBe('1 message with nothing in it left out')
  })

  test('people, roles of other names and tool calls stay what they are', async () => {
    const messages = [
      { role: 'human', text: 'When?', sender_id: 7, sender_name: 'Ann', message_id: 501 },
      bot(null as never, {
        tool_calls: [{ id: 'c', function: { name: 'now', arguments: '{"zone":"UTC"}' } }],
      }),
      { role: 'tool', tool_call_id: 'c', content: 'noon' },
      { role: 'ai', content: 'Noon.', user_id: 7, id: 3 },
    ]
    const [session] = await sessionsIn({ messages, last_consolidated: 2 })
    expect(session!.file.messages).toMatchObject([
      { role: 'user', content: 'When?', sender: { id: '7', name: 'Ann' }, externalId: '501' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', input: { zone: 'UTC' } }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', output: 'noon' }] },
      { role: 'assistant', content: 'Noon.', sender: null, externalId: 'id:3' },
    ])
  })

  test('Windows line ends, a byte order mark and an empty list are no obstacle', async () => {
    const json = `\ufeff${JSON.stringify({ messages: chat(4), last_consolidated: 2 }, null, 2)}`
    const [session] = await sessionsIn(json.replaceAll('\n', '\r\n'))
    expect(session!.file).toMatchObject({ compactedThrough: 2 })
    const [empty] = await sessionsIn({ messages: [], last_consolidated: 0 })
    expect(empty!.file).toMatchObject({
      messages: [],
      compactedThrough: 0,
      createdAt: new Date(NOW).toISOString(),
    })
  })

  test('lines under a line with the cursor are the same session', async () => {
    const head = { _type: 'metadata', key: 'telegram:42', last_consolidated: 4 }
    const [session] = await sessionsIn([head, ...chat(6)].map(line => JSON.stringify(line)).join('\r\n'))
    expect(session!.file).toMatchObject({ id: 'telegram:42', compactedThrough: 4 })
    expect(session!.file.messages).toHaveLength(6)
  })

  test('what cannot be taken is named by its place, all of it at once', async () => {
    const messages = [
      user('fine'),
      { role: 'wizard', content: 'x' },
      'text',
      user('', { content: undefined }),
    ]
    await expect(sessionsIn({ messages, last_consolidated: 1 })).rejects.toMatchObject({
      code: 'invalid_transcript',
      details: { total: 3, problems: [2, 3, 4].map(number => ({ place: `message ${number}` })) },
    })
  })
})

describe('a session with two histories', () => {
  const full = chat(6)

  test('what was trimmed is covered by an extract, and the memo is kept', async () => {
    const [session] = await sessionsIn({
      full_chat_history: full,
      current_chat_history: full.slice(4),
      memo: { city: 'Porto', last_resize: { type: 'lite' } },
      memo_cursor: 5,
      last_resize_turn: 4,
    })
    expect(session!.file).toMatchObject({
      compactedThrough: 4,
      memo: { value: { city: 'Porto', last_resize: { type: 'lite' } }, throughSeq: 5 },
      counters: { decided: { messages: 4 } },
    })
    expect(session!.file.segments).toMatchObject([{ fromSeq: 1, toSeq: 4, summarizer: 'verbatim' }])
  })

  test('what stood for the rest still does', async () => {
    const gist = { role: 'system', content: 'They talk about Porto.' }
    const [session] = await sessionsIn({
      full_chat_history: full,
      current_chat_history: [gist, ...full.slice(4)],
      memo: {},
    })
    expect(session!.file.segments).toMatchObject([
      { fromSeq: 1, toSeq: 4, window: [gist], summary: '- system: They talk about Porto.' },
    ])
    expect(session!.file.memo).toBeNull()
  })

  test('nothing was folded where both are the same', async () => {
    const [session] = await sessionsIn({
      full_chat_history: full,
      current_chat_history: full,
      memo: { a: 1 },
    })
    expect(session!.file).toMatchObject({ compactedThrough: 0, memo: { value: { a: 1 }, throughSeq: 0 } })
  })

  test('a current history alone is the history', async () => {
    const [session] = await sessionsIn({ full_chat_history: [], current_chat_history: full, memo: null })
    expect(session!.file.messages).toHaveLength(6)
  })
})

describe('60: compressedThroughRound', () => {
  test('is the end of that round, and A and B are the settings of the session', async () => {
    const [session] = await sessionsIn({
      sessionId: 's',
      messages: [user('a'), user('b'), bot('c'), user('d'), bot('e'), bot('f'), user('g'), bot('h')],
      compressedThroughRound: 2,
      agent: { contextWindow: { fullContextTurns: 2, cachedContextTurns: 1 } },
      sessionMemory: [
        { fromRound: 1, toRound: 1, summary: 'a and b' },
        { fromRound: 2, toRound: 2, summary: 'd' },
      ],
    })
    expect(session!.file).toMatchObject({
      id: 's',
      compactedThrough: 6,
      settings: { policy: 'rounds', fullContextTurns: 2, cachedContextTurns: 1 },
    })
    expect(session!.file.segments).toMatchObject([
      { fromSeq: 1, toSeq: 3, summary: 'a and b' },
      { fromSeq: 4, toSeq: 6, summary: 'd' },
    ])
  })

  test('counts the rounds of the file, where it has them', async () => {
    const rounds = [1, 2, 3].map(round => ({
      user: `q${round}`,
      assistant: `a${round}`,
      timestamp: 1768464000 + round,
    }))
    const [session] = await sessionsIn({ rounds, compressedThroughRound: 2, sessionMemory: 'two rounds' })
    expect(session!.file).toMatchObject({ compactedThrough: 4, segments: [{ summary: 'two rounds' }] })
    const messages = chat(4).map((message, index) => ({ ...message, round: index < 3 ? 1 : 2 }))
    const [said] = await sessionsIn({ messages, compressedThroughRound: 1 })
    expect(said!.file.compactedThrough).toBe(3)
    const [beyond] = await sessionsIn({ messages, compressedThroughRound: 9 })
    expect(beyond!.file.compactedThrough).toBe(4)
    expect(beyond!.notes.join()).toContain('9 of 2 rounds')
  })
})

describe('rows with is_archived and summaries with start_msg_id', () => {
  const rows = (session: string, first: number, count: number, archived: number) =>
    chat(count).map(({ timestamp, ...message }, index) => ({
      ...{ id: first + index, session_id: session, ...message, created_at: timestamp },
      is_archived: index < archived,
    }))
  const summary = (session: string, from: number, to: number) => ({
    ...{ session_id: session, summary: `of ${from} to ${to}`, start_msg_id: from, end_msg_id: to },
    ...{ msg_count: to - from + 1, created_at: '2026-01-15T10:00:00Z' },
  })
  const expected = {
    id: 'a',
    compactedThrough: 6,
    counters: { lastFoldAt: Date.parse('2026-01-15T10:00:00Z') },
    segments: [
      { fromSeq: 1, toSeq: 4, messageCount: 4, summary: 'of 1 to 4' },
      { fromSeq: 5, toSeq: 6, summarizer: 'verbatim' },
    ],
  }

  test('are sessions, as arrays in one file', async () => {
    const [a, b] = await sessionsIn({
      messages: [...rows('b', 11, 4, 0), ...rows('a', 1, 10, 6).reverse()],
      summaries: [summary('a', 1, 4)],
      users: [{ id: 1, name: 'Ann' }],
    }).then(sessions => sessions.toSorted((one, other) => one.file.id.localeCompare(other.file.id)))
    expect(a!.file).toMatchObject(expected)
    expect(a!.file.messages[0]).toMatchObject({ content: 'question 1', externalId: 'id:1' })
    expect(b!.file).toMatchObject({ id: 'b', compactedThrough: 0, segments: [] })
  })

  test('are the same as lines', async () => {
    const lines = [...rows('a', 1, 10, 6), summary('a', 1, 4)].map(row => JSON.stringify(row)).join('\n')
    const [a] = await sessionsIn(lines)
    expect(a!.file).toMatchObject(expected)
  })

  test('are the same in a SQLite database, which is only read', async () => {
    const path = join(folder, 'chat.db')
    const database = new DatabaseSync(path)
    database.exec(`CREATE TABLE messages (id INTEGER PRIMARY KEY, session_id TEXT, role TEXT, content TEXT,
        is_archived INTEGER, created_at TEXT);
      CREATE TABLE conversation_summaries (id INTEGER PRIMARY KEY, session_id TEXT, summary TEXT,
        start_msg_id INTEGER, end_msg_id INTEGER, msg_count INTEGER, created_at TEXT)`)
    for (const { id, role, content, is_archived: archived, created_at: at } of rows('a', 1, 10, 6))
      database
        .prepare('INSERT INTO messages VALUES (?, ?, ?, ?, ?, ?)')
        .run(id, 'a', role, content, Number(archived), at ?? null)
    const { summary: text, created_at: at } = summary('a', 1, 4)
    database
      .prepare('INSERT INTO conversation_summaries VALUES (1, ?, ?, 1, 4, 4, ?)')
      .run('a', text, at ?? null)
    database.close()
    const [a] = await sessionsOf(path)
    expect(a!.file).toMatchObject(expected)
    expect(a!.notes).toEqual([])
  })

  test('a database without such tables, and one of our own, are refused with a word', async () => {
    const path = join(folder, 'other.db')
    const database = new DatabaseSync(path)
    database.exec('CREATE TABLE songs (title TEXT)')
    database.close()
    await expect(openTranscripts(path)).rejects.toThrow('songs (title)')
    const own = join(folder, 'own.db')
    await (await createPalimpsest({ store: sqlite(own) })).close()
    await expect(openTranscripts(own)).rejects.toThrow('palimpsest copy')
  })

  test('a hole, a wrong count and a range that is gone are said', async () => {
    const holed = rows('a', 1, 6, 6).map(row => ({ ...row, is_archived: row.id !== 3 && row.id < 5 }))
    const [a] = await sessionsIn({
      messages: holed,
      summaries: [{ ...summary('a', 1, 2), msg_count: 5 }, summary('a', 90, 99)],
    })
    expect(a!.file.compactedThrough).toBe(4)
    expect(a!.notes).toEqual([
      'summaries 1: msg_count is 5, and 2 messages lie in its range',
      'summaries 2: the messages of this summary are not in the file',
      '1 message before the last archived one not archived: the cursor has one place, so they are folded, too',
      'a summary whose messages are not in the file stands in the chat memory',
    ])
    expect(a!.file.documents[0]!.versions[0]!.content).toContain('of 90 to 99')
  })
})

describe('a file of many chats', () => {
  const write2 = (name: string, content: string) => write(content, `bot-${files}/${name}`)
  const chats = (...ids: string[]) =>
    JSON.stringify(Object.fromEntries(ids.map(id => [id, { messages: chat(4), last_consolidated: 2 }])))

  test('gives each its own, with its chat memory and its part of the daily log', async () => {
    files += 1
    write2('chat_memories/telegram_42.md', '\ufeff# 聊天记忆\r\n\r\n## 历史摘要\r\n- 她搬到了波尔图\r\n')
    write2('chat_memories/qq%3agone.md', '# Chat memory\n')
    write2('memory/2026-01-15.md', '# 2026-01-15\n\n## telegram:42\n\n- moved\n\n## telegram:43\n- asked\n')
    write2('memory/2026-01-16.md', '- said to somebody\n')
    write2('memory/notes.md', 'no day')
    write2('SOUL.md', 'You are Bo.\n')
    write2('memory/MEMORY.md', 'We ship on Fridays.\n')
    const path = write2('current.json', chats('telegram:42', 'telegram:43'))
    const transcripts = await openTranscripts(path, { now: NOW })
    const sessions = await sessionsOf(path)
    const documents = sessions.map(({ file }) => [
      file.id,
      file.documents.map(({ day, versions }) => [day, versions[0]!.content]),
    ])
    expect(documents).toEqual([
      [
        'telegram:42',
        [
          [null, '# 聊天记忆\n\n## 历史摘要\n- 她搬到了波尔图\n'],
          ['2026-01-15', '- moved\n'],
        ],
      ],
      ['telegram:43', [['2026-01-15', '- asked\n']]],
      ['qq:gone', [[null, '# Chat memory\n']]],
      ['daily-log', [['2026-01-16', '- said to somebody\n']]],
    ])
    expect(transcripts[0]!.bot).toMatchObject({
      persona: { content: 'You are Bo.\n' },
      global: { content: 'We ship on Fridays.\n' },
    })
  })

  test('shows no chat what stands in a daily log under the name of a chat that has left the file', async () => {
    files += 1
    write2('chat_memories/qq%3agone.md', '# Chat memory\n')
    write2(
      'memory/2026-01-15.md',
      '- before\n\n## telegram:42\n- moved\n### where\n- Porto\n\n## telegram:7\n- secret of 7\n### why\n- because\n\n## qq:gone\n- secret of gone\n\n## telegram:42\n- again\n',
    )
    write2('memory/2026-01-16.md', '# telegram:42\n## Decisions\n- stay\n### telegram:43\n- ask\n')
    const sessions = await sessionsOf(write2('current.json', chats('telegram:42', 'telegram:43')))
    const days = sessions.map(({ file }) => [
      file.id,
      file.documents.filter(({ day }) => day !== null).map(({ versions }) => versions[0]!.content),
    ])
    expect(days).toEqual([
      ['telegram:42', ['- moved\n### where\n- Porto\n\n- again\n', '## Decisions\n- stay\n']],
      ['telegram:43', ['- ask\n']],
      ['qq:gone', ['- secret of gone\n']],
      ['daily-log', ['- before\n\n## telegram:7\n- secret of 7\n### why\n- because\n']],
    ])
  })

  test('of one chat does not give it what a daily log tells of others', async () => {
    files += 1
    write2('memory/2026-01-15.md', '- mine\n## telegram:7\n- secret of 7\n## 10:30\n- who?\n')
    write2('memory/2026-01-16.md', '## 10:30\n- mine too\n## Decisions\n- go\n')
    write2('memory/2026-01-17.md', '## me\n- mine as well\n## you\n- yours\n')
    const [only, other, ...more] = await sessionsOf(write2('current.json', chats('me')))
    expect(more).toEqual([])
    expect(only!.file.documents.map(({ versions }) => versions[0]!.content)).toEqual([
      '- mine\n',
      '## 10:30\n- mine too\n## Decisions\n- go\n',
      '- mine as well\n',
    ])
    expect(other!.file).toMatchObject({ id: 'daily-log' })
    expect(other!.file.documents.map(({ versions }) => versions[0]!.content)).toEqual([
      '## telegram:7\n- secret of 7\n## 10:30\n- who?\n',
      '## you\n- yours\n',
    ])
  })

  test('of one chat gives it the whole daily log', async () => {
    files += 1
    write2('memory/2026-01-16.md', '- said to somebody\n')
    const [only, ...others] = await sessionsOf(write2('current.json', chats('me')))
    expect(others).toEqual([])
    expect(only!.file.documents).toMatchObject([{ day: '2026-01-16' }])
  })

  test('names a chat memory that may be of two chats, and one that is no text', async () => {
    files += 1
    write2('chat_memories/a_b.md', 'whose?')
    write(Uint8Array.of(0xff, 0xfe, 0), `bot-${files}/chat_memories/c.md`)
    await expect(sessionsOf(write2('current.json', chats('a:b', 'a/b', 'c')))).rejects.toMatchObject({
      details: { problems: [{ place: 'chat_memories/a_b.md' }, { place: 'chat_memories/c.md' }] },
    })
  })
})

test('each message is raw or covered by one segment, whatever the file counts, and a repeat has the same ids', async () => {
  const message = fc.record(
    {
      role: fc.constantFrom('user', 'assistant', 'system'),
      content: fc.constantFrom('ok', '好的', '😀', '', 'a longer sentence about Porto'),
      timestamp: fc.constantFrom(null, '2026-01-15T08:00:00Z', '2026-01-15T08:00:01', 1768464000, 0, 'soon'),
    },
    { requiredKeys: ['role', 'content'] },
  )
  const file = fc.record(
    {
      messages: fc.array(message, { maxLength: 20 }),
      last_consolidated: fc.integer({ min: -2, max: 25 }),
      summaries: fc.array(
        fc.record({ start: fc.nat(25), end: fc.nat(25), text: fc.constantFrom('one', 'two') }),
        { maxLength: 4 },
      ),
    },
    { requiredKeys: ['messages', 'last_consolidated'] },
  )
  await fc.assert(
    fc.asyncProperty(file, async value => {
      const [session] = await sessionsIn(value)
      const { messages, segments, compactedThrough } = session!.file
      let through = 0
      for (const { fromSeq, toSeq } of segments) {
        expect(fromSeq).toBe(through + 1)
        through = toSeq
      }
      expect(through).toBe(compactedThrough)
      expect(compactedThrough).toBeLessThanOrEqual(messages.length)
      expect(messages).toHaveLength(value.messages.filter(({ content }) => content !== '').length)
      for (const { at } of messages) expect(at >= '2026').toBe(true)
      const ids = messages.map(({ externalId }) => externalId)
      expect(new Set(ids).size).toBe(ids.length)
      const [again] = await sessionsIn(value)
      expect(again!.file.messages.map(({ externalId }) => externalId)).toEqual(ids)
    }),
    { numRuns: runs(20, 60) },
  )
})
