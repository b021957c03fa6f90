import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { planCover } from './plan-cover.ts'

const said = (from: number, to: number, text = `${from}-${to}`) => ({ from, to, text, at: null })
const plan = (folded: number, ...summaries: ReturnType<typeof said>[]) =>
  planCover({ folded, summaries, window: null })
const ranges = (folded: number, ...summaries: ReturnType<typeof said>[]) =>
  plan(folded, ...summaries).covers.map(({ from, to, text }) => [from, to, text])

describe('what stands for the folded messages', () => {
  test('is the old summary where it is, and an extract where it is not', () => {
    expect(ranges(0)).toEqual([])
    expect(ranges(10)).toEqual([[0, 10, null]])
    expect(ranges(10, said(0, 10))).toEqual([[0, 10, '0-10']])
    expect(ranges(20, said(4, 8), said(12, 16))).toEqual([
      [0, 4, null],
      [4, 8, '4-8'],
      [8, 12, null],
      [12, 16, '12-16'],
      [16, 20, null],
    ])
  })

  test('is no message twice: an overlap is cut, and what lies inside is told with the other', () => {
    expect(ranges(20, said(0, 10), said(8, 20))).toEqual([
      [0, 10, '0-10'],
      [10, 20, '8-20'],
    ])
    expect(ranges(20, said(0, 20), said(5, 10))).toEqual([[0, 20, '0-20\n\n5-10']])
    expect(ranges(4, said(0, 4), said(0, 4))).toEqual([[0, 4, '0-4']])
  })

  test('leaves no summary out whose messages are gone', () => {
    expect(plan(4, said(0, 4), said(0, 0, 'before the file began')).homeless).toEqual([
      said(0, 0, 'before the file began'),
    ])
  })

  test('follows each other from the first message through the cursor, with all words', () => {
    const summary = fc.tuple(fc.nat(30), fc.nat(30)).map(([from, to]) => said(from, to, `[${from}-${to}]`))
    fc.assert(
      fc.property(fc.nat(30), fc.array(summary, { maxLength: 8 }), (cursor, summaries) => {
        const folded = Math.max(cursor, 0, ...summaries.map(({ from, to }) => (to > from ? to : 0)))
        const { covers, homeless } = plan(folded, ...summaries)
        let through = 0
        for (const { from, to } of covers) {
          expect(from).toBe(through)
          expect(to).toBeGreaterThan(from)
          through = to
        }
        expect(through).toBe(folded)
        const words = [...covers, ...homeless].map(({ text }) => text).join('\n')
        for (const { text } of summaries) expect(words).toContain(text)
      }),
    )
  })
})
