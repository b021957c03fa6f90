import { afterEach, describe, expect, test, vi } from 'vitest'
import { createPalimpsest, type MessageInput, type Palimpsest } from '../../packages/palimpsest/src/index.ts'
import { PLACES, type StorePlace, sqlitePlace } from '../stores.ts'

/** What readers of the code found. */

const opened: { place: StorePlace; palimpsest: Palimpsest }[] = []

async function open(place = sqlitePlace(), options: { zone?: string } = {}): Promise<Palimpsest> {
  const palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual', ...options })
  opened.push({ place, palimpsest })
  return palimpsest
}

afterEach(async () => {
  for (const { place, palimpsest } of opened.splice(0)) {
    await palimpsest.close()
    await place.remove()
  }
})

type Chat = ReturnType<Palimpsest['session']>

const say = (content: string, at?: string): MessageInput => ({ role: 'user', content, ...(at && { at }) })

async function seqs(chat: Chat, query: string, options = {}): Promise<number[]> {
  return (await chat.search(query, { limit: 100, ...options })).results
    .map(({ seq }) => seq)
    .sort((a, b) => a - b)
}

describe('dates', () => {
  test('alone, they find all that was said then, indexed or not', async () => {
    const palimpsest = await open()
    const chat = palimpsest.session('chat')
    await chat.append([
      say('The harbour is calm.', '2026-05-10T09:00Z'),
      say('So is the lake.', '2026-05-10T10:00Z'),
      say('Nothing to see.', '2026-08-01T10:00Z'),
      say('…', '2026-08-01T11:00Z'),
    ])
    for (const isIndexed of [false, true]) {
      if (isIndexed) await palimpsest.settled()
      for (const query of ['2026-05-10', '10 May 2026', 'May 10', '5月10日'])
        expect(await seqs(chat, query), `${query}, ${isIndexed}`).toEqual([1, 2])
      expect((await palimpsest.search('2026-05-10')).results).toHaveLength(2)
    }
  })

  test('without a year they are meant in every year, also where times are out of order', async () => {
    const palimpsest = await open()
    const chat = palimpsest.session('chat')
    await chat.append([
      say('In the year one.', '0001-05-10T09:00Z'),
      say('Lately.', '2026-05-10T09:00Z'),
      say('Then something older.', '2024-01-01T09:00Z'),
    ])
    await palimpsest.settled()
    expect(await seqs(chat, 'May 10')).toEqual([1, 2])
  })

  test('are days in the zone of the instance', async () => {
    const chat = (await open(sqlitePlace(), { zone: 'Asia/Shanghai' })).session('chat')
    await chat.append([say('早上好', '2026-05-10T07:00:00+08:00'), say('晚安', '2026-05-12T23:00:00+08:00')])
    expect((await chat.search('2026-05-10')).results[0]?.seq).toBe(1)
    expect(await seqs(chat, '早上', { after: '2026-05-10', before: '2026-05-11' })).toEqual([1])
  })

  test('thousands of years away are still in order', async () => {
    const palimpsest = await open()
    const chat = palimpsest.session('chat')
    await chat.append([say('far away', '9999-05-10T00:00Z'), say('near by', '2026-05-10T00:00Z')])
    for (const isIndexed of [false, true]) {
      if (isIndexed) await palimpsest.settled()
      expect(await seqs(chat, 'far', { after: '2026-01-01' })).toEqual([1])
      expect(await seqs(chat, 'far', { before: '1900-01-01' })).toEqual([])
    }
  })
})

describe('what is named verbatim', () => {
  const pages = async (chat: Chat, query: string): Promise<number[]> => {
    const found: number[] = []
    for (let cursor: string | null = '0'; cursor !== null; ) {
      const page = await chat.search(query, { limit: 10, cursor })
      found.push(...page.results.map(({ seq }) => seq))
      cursor = page.next
    }
    return found
  }

  test.each([
    [
      'C++',
      'vitamin C is good',
      'We write it in C++ because of the old library that nobody dares to replace, and so on.',
    ],
    [
      'ORD-7-2291-B',
      'ord 7 b 2291',
      'The long story of the parcel, which is late once more, is that of ORD-7-2291-B.',
    ],
    [
      '人民大会堂',
      '人民 民大 大会 会堂 都在这里',
      '昨天下午我们一起去参观了人民大会堂，里面的天花板特别高，大家拍了很多照片。',
    ],
  ])('%s comes first, and pages neither repeat nor leave out', async (query, noise, wanted) => {
    const palimpsest = await open()
    const chat = palimpsest.session('chat')
    await chat.append(Array.from({ length: 300 }, (_, place) => say(place === 100 ? wanted : noise)))
    await palimpsest.settled()
    expect((await chat.search(query)).results[0]?.seq).toBe(101)
    const all = await pages(chat, query)
    expect(new Set(all).size).toBe(all.length)
    expect(all[0]).toBe(101)
  })

  test('a phrase of common words that stands nowhere is looked for without stopping everything', async () => {
    const palimpsest = await open()
    const chat = palimpsest.session('chat')
    for (let from = 0; from < 3; from++)
      await chat.append(Array.from({ length: 1_000 }, () => say('the old man and the blue sea')))
    await palimpsest.settled()
    let turns = 0
    let timer = setImmediate(function next() {
      turns++
      timer = setImmediate(next)
    })
    // As on a slow machine: every look at the clock finds it 10 ms later.
    let now = 0
    const clock = vi.spyOn(performance, 'now').mockImplementation(() => (now += 10))
    expect((await chat.search('"blue old man"')).results).toEqual([])
    expect((await chat.search('"the blue sea"', { limit: 3 })).results).toHaveLength(3)
    clock.mockRestore()
    clearImmediate(timer)
    expect(turns).toBeGreaterThan(10)
  })
})

test('over several sessions scores do not depend on how far the index has come', async () => {
  const palimpsest = await open()
  for (const [id, text] of [
    ['a', 'the ferry leaves at nine'],
    ['b', 'is there a ferry?'],
    ['c', 'nothing here'],
    ['d', 'shall we go?'],
  ] as const)
    await palimpsest.session(id).append(say(text, '2026-01-01T00:00Z'))
  const before = await palimpsest.search('when does the ferry leave')
  await palimpsest.settled()
  expect(await palimpsest.search('when does the ferry leave')).toEqual(before)
})

test('of many small sessions little is kept', async () => {
  const palimpsest = await open()
  for (let session = 0; session < 1_200; session++)
    await palimpsest.session(`s${session}`).append(say('hello word'))
  await palimpsest.settled()
  const before = process.memoryUsage().arrayBuffers
  expect((await palimpsest.search('word', { limit: 100 })).results).toHaveLength(100)
  expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(20_000_000)
}, 60_000)

describe.each(Object.entries(PLACES))('on %s', (_, place) => {
  test('what cannot be an id or a number is refused by name', async () => {
    const palimpsest = await open(place())
    const chat = palimpsest.session('chat')
    await chat.append(say('hello'))
    for (const options of [
      { sessions: 'a' },
      { sessions: [5] },
      { sessions: [''] },
      { user: 7 },
      { scope: '' },
    ])
      await expect(palimpsest.search('x', options as never)).rejects.toMatchObject({
        code: 'invalid_argument',
      })
    for (const options of [
      { segment: 1.5 },
      { segment: Number.NaN },
      { segment: 'x' },
      { fromSeq: 1, after: 'x' },
    ])
      await expect(chat.expand(options as never)).rejects.toMatchObject({ code: 'invalid_argument' })
    await expect(chat.expand(undefined as never)).rejects.toMatchObject({ code: 'invalid_argument' })
  })

  test('a very long message is found and shown where the word stands', async () => {
    const palimpsest = await open(place())
    const chat = palimpsest.session('chat')
    await chat.append(
      say(`${'lorem ipsum '.repeat(40_000)} the needle is here ${'dolor sit '.repeat(10_000)}`),
    )
    for (const isIndexed of [false, true]) {
      if (isIndexed) await palimpsest.settled()
      const [found] = (await chat.search('needle')).results
      expect(found?.excerpt).toContain('the needle is here')
      const [[from, to]] = found!.highlights as [[number, number]]
      expect(found!.excerpt.slice(from, to)).toBe('needle')
    }
  })
})

test('an excerpt never begins inside of a keycap', async () => {
  const chat = (await open()).session('chat')
  await chat.append(say(`${'aaaa '.repeat(40)}#\uFE0F\u20E3 ship ${'bbbb '.repeat(60)}`))
  const [found] = (await chat.search('ship')).results
  expect(found?.excerpt).not.toMatch(/^…?[\uFE0F\u20E3]/u)
})
