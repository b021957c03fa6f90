import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { createPalimpsest, type MessageInput, type Palimpsest } from '../../packages/palimpsest/src/index.ts'
import { runs } from '../runs.ts'
import { smallTalk } from '../scenarios/small-talk.ts'
import { PLACES, type StorePlace, sqlitePlace } from '../stores.ts'

const opened: { place: StorePlace; palimpsest: Palimpsest }[] = []

async function open(place = sqlitePlace(), namespace?: string): Promise<Palimpsest> {
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    folding: 'manual',
    ...(namespace !== undefined && { namespace }),
  })
  opened.push({ place, palimpsest })
  return palimpsest
}

afterEach(async () => {
  for (const { place, palimpsest } of opened.splice(0)) {
    await palimpsest.close()
    await place.remove()
  }
})

const TALK: readonly MessageInput[] = [
  {
    content: 'Shall we meet at the harbour on Friday?',
    sender: { id: 'u1', name: 'Ann' },
    at: '2026-01-15T08:00Z',
  },
  {
    content: 'I would rather go swimming in the lake.',
    sender: { id: 'u2', name: 'Bo' },
    at: '2026-01-15T08:01Z',
  },
  { content: 'Fine, the lake it is. Bring the tickets, order ABC-1234.', sender: { id: 'u1', name: 'Ann' } },
  { content: '我们星期五去湖边游泳吧', sender: { id: 'u3', name: '小明' }, at: '2026-02-10T09:00Z' },
  { content: 'See https://example.com/lake/map?zoom=12 for the way.', sender: { id: 'u2', name: 'Bo' } },
].map(message => ({ role: 'user', at: '2026-02-10T10:00Z', ...message }))

const SEQS = async (chat: ReturnType<Palimpsest['session']>, query: string, options = {}) =>
  (await chat.search(query, options)).results.map(({ seq }) => seq)

describe.each(Object.entries(PLACES))('search on %s', (_, place) => {
  test('finds words by their stems, ids, links, phrases and Chinese of any length', async () => {
    const palimpsest = await open(place())
    const chat = palimpsest.session('chat', { kind: 'group' })
    await chat.append(TALK)
    for (const isIndexed of [false, true]) {
      if (isIndexed) await palimpsest.settled()
      expect((await SEQS(chat, 'swim'))[0]).toBe(2)
      expect((await SEQS(chat, 'ticket'))[0]).toBe(3)
      expect((await SEQS(chat, 'abc-1234'))[0]).toBe(3)
      expect((await SEQS(chat, 'https://example.com/lake/map?zoom=12'))[0]).toBe(5)
      expect(await SEQS(chat, '"the lake"')).toEqual(expect.arrayContaining([2, 3]))
      expect(await SEQS(chat, '"lake the"')).toEqual([])
      for (const part of ['湖', '游泳', '星期五', '去湖边游泳', '我', '吧'])
        expect((await SEQS(chat, part))[0], part).toBe(4)
      expect(await SEQS(chat, '海')).toEqual([])
      expect(await SEQS(chat, '')).toEqual([])
      expect(await SEQS(chat, '?! …')).toEqual([])
    }
  })

  test('says who, when and where, with the words marked and what was said around it', async () => {
    const chat = (await open(place())).session('chat', { kind: 'group' })
    await chat.append({ ...TALK[0]!, externalId: 'm-1' })
    await chat.append(TALK.slice(1))
    const { results } = await chat.search('swimming', { limit: 1 })
    const [found] = results
    expect(found).toMatchObject({
      sessionId: 'chat',
      seq: 2,
      externalId: null,
      role: 'user',
      sender: { id: 'u2', name: 'Bo' },
      at: new Date('2026-01-15T08:01Z'),
      archived: false,
      excerpt: 'I would rather go swimming in the lake.',
      before: [{ seq: 1, excerpt: 'Shall we meet at the harbour on Friday?' }],
      after: [{ seq: 3 }],
    })
    const [[from, to]] = found!.highlights as [[number, number]]
    expect(found!.excerpt.slice(from, to)).toBe('swimming')
    const { results: alone } = await chat.search('swimming', { limit: 1, neighbours: 0 })
    expect(alone[0]).toMatchObject({ before: [], after: [] })
    expect((await chat.search('harbour')).results[0]?.externalId).toBe('m-1')
  })

  test('narrows down by sender, role and time, and goes on page by page', async () => {
    const palimpsest = await open(place())
    const chat = palimpsest.session('chat', { kind: 'group' })
    await chat.append(TALK)
    await chat.append({ role: 'assistant', content: 'The lake opens at nine.' })
    await palimpsest.settled()
    expect((await SEQS(chat, 'lake', { sender: 'u1' })).sort()).toEqual([3])
    expect((await SEQS(chat, 'lake', { sender: 'Bo' })).sort()).toEqual([2, 5])
    expect(await SEQS(chat, 'lake', { role: 'assistant' })).toEqual([6])
    expect(await SEQS(chat, 'lake', { before: '2026-01-16' })).toEqual([2])
    expect(
      (await SEQS(chat, 'lake', { after: new Date('2026-02-01'), before: '2026-03-01' })).sort(),
    ).toEqual(expect.arrayContaining([3, 5]))
    const whole = await SEQS(chat, 'lake')
    const paged: number[] = []
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const page = await chat.search('lake', { limit: 2, cursor })
      paged.push(...page.results.map(({ seq }) => seq))
      cursor = page.next
    }
    expect(paged).toEqual(whole)
    expect(new Set(paged).size).toBe(paged.length)
  })

  test('finds the newest at once, an edited message by what it says now, and nothing that was rolled back', async () => {
    const palimpsest = await open(place())
    const chat = palimpsest.session('chat')
    await chat.append({ role: 'user', content: 'the zebra is asleep' })
    expect(await SEQS(chat, 'zebra')).toEqual([1])
    await palimpsest.settled()
    await chat.edit(1, 'the giraffe is asleep')
    for (const isIndexed of [false, true]) {
      if (isIndexed) await palimpsest.settled()
      expect(await SEQS(chat, 'zebra')).toEqual([])
      expect(await SEQS(chat, 'giraffe')).toEqual([1])
    }
    await chat.append({ role: 'user', content: 'a second giraffe' })
    expect((await SEQS(chat, 'giraffe')).sort()).toEqual([1, 2])
    await chat.rollback(1)
    expect(await SEQS(chat, 'giraffe')).toEqual([1])
    await palimpsest.settled()
    expect(await SEQS(chat, 'giraffe')).toEqual([1])
  })

  test('reaches the sessions that it is told to, and never another namespace', async () => {
    const where = place()
    const palimpsest = await open(where)
    const other = await createPalimpsest({ store: await where.open(), namespace: 'other', folding: 'manual' })
    await palimpsest.session('a', { user: 'ann' }).append({ role: 'user', content: 'a secret of Ann' })
    await palimpsest
      .session('b', { user: 'bo', scope: 'team' })
      .append({ role: 'user', content: 'a secret of Bo' })
    await palimpsest
      .session('c', { kind: 'group', scope: 'team' })
      .append({ role: 'user', content: 'no secret' })
    await other.session('a').append({ role: 'user', content: 'a secret elsewhere' })
    const found = async (options = {}) =>
      (await palimpsest.search('secret', options)).results.map(({ sessionId }) => sessionId).sort()
    for (const isIndexed of [false, true]) {
      if (isIndexed) await Promise.all([palimpsest.settled(), other.settled()])
      expect(await found()).toEqual(['a', 'b', 'c'])
      expect(await found({ user: 'ann' })).toEqual(['a'])
      expect(await found({ scope: 'team' })).toEqual(['b', 'c'])
      expect(await found({ sessions: ['c', 'nobody'] })).toEqual(['c'])
      expect(
        (await palimpsest.session('a').search('secret')).results.map(({ sessionId }) => sessionId),
      ).toEqual(['a'])
      expect((await other.search('secret')).results.map(({ excerpt }) => excerpt)).toEqual([
        'a secret elsewhere',
      ])
    }
    await other.close()
  })

  test('does not find what memory tools gave back', async () => {
    const chat = (await open(place())).session('chat')
    await chat.append({ role: 'user', content: 'the code word is swordfish' })
    const tools = await chat.memoryTools()
    const output = await tools.execute('query_history', { query: 'code word' })
    expect(JSON.stringify(output)).toContain('swordfish')
    const call = { toolCallId: 't1', toolName: 'query_history' }
    await chat.append([
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: { query: 'swordfish' } }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output }] },
    ])
    expect(await SEQS(chat, 'swordfish')).toEqual([1])
  })
})

test('what is wrong with a search is said, and nothing is searched', async () => {
  const chat = (await open()).session('chat')
  for (const [options, field] of [
    [{ limit: 0 }, 'limit'],
    [{ limit: 1_000 }, 'limit'],
    [{ neighbours: 9 }, 'neighbours'],
    [{ cursor: 'x' }, 'cursor'],
    [{ role: 'boss' }, 'role'],
    [{ after: 'yesterday' }, 'after'],
  ] as const)
    await expect(chat.search('x', options as never)).rejects.toThrow(field)
  await expect(chat.search(7 as never)).rejects.toThrow('query')
  expect(await chat.search('nothing here')).toEqual({ results: [], next: null })
})

const WORDS = [
  'lake',
  'boat',
  'Anna',
  'swim',
  'swimming',
  '湖',
  '游泳',
  '去湖边',
  '42',
  'ABC-12',
  '😀',
  'über',
  'the',
  '?',
]

test('the answer is the same however far the index has come', async () => {
  const text = fc
    .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 8 })
    .map(words => words.join(' '))
  const change = fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({ kind: fc.constant('append' as const), text, sender: fc.constantFrom('a', 'b') }),
    },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('edit' as const), text, place: fc.nat() }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('rollback' as const), place: fc.nat() }) },
    { weight: 2, arbitrary: fc.record({ kind: fc.constant('index' as const) }) },
  )
  const place = sqlitePlace()
  const palimpsest = await open(place)
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(change, { maxLength: 25 }), text, async (changes, query) => {
      const chat = palimpsest.session(`chat ${run++}`, { kind: 'group' })
      await chat.append({ role: 'user', content: 'the beginning', at: '2026-01-01T00:00Z' })
      for (const change of changes) {
        const seqs = (await chat.messages()).map(({ seq }) => seq)
        if (change.kind === 'append')
          await chat.append({
            role: 'user',
            content: change.text,
            sender: change.sender,
            at: '2026-01-01T00:00Z',
          })
        else if (change.kind === 'edit') await chat.edit(seqs[change.place % seqs.length]!, change.text)
        else if (change.kind === 'rollback') await chat.rollback(seqs[change.place % seqs.length]!)
        else await palimpsest.settled()
      }
      const before = await chat.search(query, { limit: 100 })
      await palimpsest.settled()
      expect(await chat.search(query, { limit: 100 })).toEqual(before)
      const visible = new Map((await chat.messages()).map(({ seq, content }) => [seq, content]))
      for (const { seq, excerpt } of before.results) expect(visible.get(seq)).toBe(excerpt)
    }),
    { numRuns: runs(20, 60) },
  )
}, 120_000)

test('every question has the same ten results on SQLite and PostgreSQL, and in every state of the index', async () => {
  const talk = smallTalk(5)
  const messages = Array.from({ length: 600 }, () => talk.next().value)
  const [one, other] = [await open(), await open(PLACES.PostgreSQL())]
  for (const palimpsest of [one, other])
    for (let from = 0; from < messages.length; from += 200)
      await palimpsest.session('chat', { kind: 'group' }).append(messages.slice(from, from + 200))
  await one.settled()
  const questions = messages.filter((_, place) => place % 15 === 0).map(({ content }) => String(content))
  for (const question of [
    ...questions,
    'What did Anna say about the order in March 2024?',
    '预算',
    '我们决定',
  ]) {
    const results = await one.session('chat').search(question)
    expect(results.results.length, question).toBeGreaterThan(0)
    expect(await other.session('chat').search(question), question).toEqual(results)
  }
}, 120_000)
