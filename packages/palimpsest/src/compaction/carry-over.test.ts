import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateTokens } from '../tokens/index.ts'
import { boundEvents, carryDetails, carryEvents } from './carry-over.ts'

const event = (on: string, text: string) => ({ on, text, seq: 1 })

test('details are taken in turn from each segment, none twice, none that the summary has', () => {
  const segments = [
    { details: ['a1', 'a2', 'a3'], events: [] },
    { details: ['b1', 'a1', 'told', 'b2'], events: [] },
  ]
  expect(carryDetails(segments, { summary: 'It was told.', tokens: 1000 })).toEqual([
    'a1',
    'b1',
    'a2',
    'a3',
    'b2',
  ])
  expect(carryDetails(segments, { summary: '', tokens: 0 })).toEqual([])
})

test('what is to come goes first, then the newest of what is past', () => {
  const segments = [
    {
      details: [],
      events: [event('2026-01-01', 'old'), event('2026-05-01', 'far'), event('2026-03-09', 'soon')],
    },
    { details: [], events: [event('2026-02-20', 'recent'), event('2026-03-09', 'soon')] },
  ]
  expect(carryEvents(segments, '2026-03-01').map(each => (each as { text: string }).text)).toEqual([
    'soon',
    'far',
    'recent',
    'old',
  ])
})

test('both stay bounded, however many there are', () => {
  const details = fc.array(fc.array(fc.string({ maxLength: 12 }), { maxLength: 80 }), { maxLength: 6 })
  fc.assert(
    fc.property(details, fc.nat(400), (lists, tokens) => {
      const segments = lists.map(list => ({
        details: list,
        events: list.map((text, index) => event(`2026-01-${10 + (index % 20)}`, text)),
      }))
      const kept = carryDetails(segments, { summary: '', tokens })
      expect(kept.length).toBeLessThanOrEqual(60)
      expect(new Set(kept).size).toBe(kept.length)
      expect(estimateTokens(kept.join(''))).toBeLessThanOrEqual(tokens + 1)
      expect(carryEvents(segments, '2026-01-15').length).toBeLessThanOrEqual(40)
    }),
  )
  const many = Array.from({ length: 500 }, (_, index) => event(`2026-01-${10 + (index % 20)}`, `${index}`))
  const bounded = boundEvents(many, '2026-01-20')
  expect(bounded).toHaveLength(100)
  expect(bounded).toEqual(many.filter(each => bounded.includes(each)))
  expect(boundEvents(many.slice(0, 5), '2026-01-20')).toEqual(many.slice(0, 5))
})
