import { describe, expect, test, vi } from 'vitest'
import { PLACES } from '../stores.ts'
import { type Chat, open, say } from './search-kit.ts'

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

describe.each(Object.entries(PLACES))('on %s', (_, place) => {
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
