import { describe, expect, test } from 'vitest'
import type { Fold, GrowthPoint } from '../../../api/types.ts'
import { contextSizes } from './context-sizes.ts'

function grow(...tokens: readonly [number, number][]): GrowthPoint[] {
  return tokens.map(([seq, total]) => ({ seq, tokens: total, at: '2026-01-11T19:42:00.000Z' }))
}

function fold(changes: Partial<Fold>): Fold {
  return {
    id: '1',
    at: '2026-01-11T20:00:00.000Z',
    outcome: 'applied',
    type: 'lite',
    reason: 'rounds',
    fromSeq: 1,
    toSeq: 3,
    throughSeq: 3,
    tokensBefore: 60,
    tokensAfter: 20,
    durationMs: 3,
    usage: null,
    spendGuard: null,
    segmentIds: [1],
    ...changes,
  }
}

const pairs = (points: readonly { seq: number; tokens: number }[]) =>
  points.map(({ seq, tokens }) => [seq, tokens])

const LOG = grow([1, 10], [2, 30], [3, 60], [4, 100], [5, 110])

describe('what the conversation takes in a context', () => {
  test('without folds it is the log', () => {
    expect(pairs(contextSizes(LOG, []).points)).toEqual([
      [1, 10],
      [2, 30],
      [3, 60],
      [4, 100],
      [5, 110],
    ])
    expect(contextSizes([], [])).toEqual({ points: [], marks: [] })
  })

  test('falls straight down at a fold, and stays lower', () => {
    const { points, marks } = contextSizes(LOG, [fold({ throughSeq: 4 })])
    expect(pairs(points)).toEqual([
      [1, 10],
      [2, 30],
      [3, 60],
      [4, 100],
      [4, 60],
      [5, 70],
    ])
    expect(marks).toMatchObject([{ seq: 4, before: 100, after: 60 }])
  })

  test('takes the folds in their order, however they are given; several may come at one message', () => {
    const folds = [
      fold({ id: '2', throughSeq: 5, tokensBefore: 30, tokensAfter: 10, at: '2026-01-11T21:00:00.000Z' }),
      fold({ id: '3', throughSeq: 5, tokensBefore: 10, tokensAfter: 5, at: '2026-01-11T22:00:00.000Z' }),
      fold({ id: '1', throughSeq: 3 }),
    ]
    const { points, marks } = contextSizes(LOG, folds)
    expect(pairs(points).slice(-3)).toEqual([
      [5, 70],
      [5, 50],
      [5, 45],
    ])
    expect(marks.map(mark => [mark.fold.id, mark.before, mark.after])).toEqual([
      ['1', 60, 20],
      ['2', 70, 50],
      ['3', 50, 45],
    ])
  })

  test('a fold between two points lies on the line between them', () => {
    const { points } = contextSizes(grow([1, 0], [11, 100]), [fold({ throughSeq: 6, toSeq: 3 })])
    expect(pairs(points)).toEqual([
      [1, 0],
      [6, 50],
      [6, 10],
      [11, 60],
    ])
  })

  test('where it is not known when it was decided, it counts from its last message', () => {
    expect(contextSizes(LOG, [fold({ throughSeq: null })]).marks).toMatchObject([{ seq: 3 }])
  })

  test('what failed or moved nothing changes nothing, and nothing is ever less than empty', () => {
    const folds = [fold({ outcome: 'failed' }), fold({ fromSeq: null, toSeq: null })]
    expect(contextSizes(LOG, folds)).toEqual(contextSizes(LOG, []))
    const odd = contextSizes(LOG, [fold({ tokensBefore: 900, tokensAfter: 0 })])
    expect(Math.min(...odd.points.map(({ tokens }) => tokens))).toBe(0)
    expect(contextSizes(LOG, [fold({ tokensBefore: null })]).marks).toMatchObject([{ before: 60, after: 60 }])
  })

  test('condensing saves beside the fold that it came with', () => {
    const condensed = new Map([
      [7, 25],
      [8, 1_000],
    ])
    const { marks } = contextSizes(LOG, [fold({ throughSeq: 4, segmentIds: [6, 7] })], { condensed })
    expect(marks).toMatchObject([{ seq: 4, before: 100, after: 35 }])
  })

  test('ends where the session stands: what is not explained lies evenly on the folds', () => {
    const folds = [fold({ throughSeq: 3 }), fold({ throughSeq: 5, tokensBefore: 30, tokensAfter: 10 })]
    const { points, marks } = contextSizes(LOG, folds, { endsAt: 30 })
    expect(points.at(-1)).toEqual({ seq: 5, tokens: 30 })
    expect(marks.map(({ before, after }) => before - after)).toEqual([50, 30])
  })

  test('with older folds that are not given, it begins with the first that is', () => {
    const { points } = contextSizes(
      grow([1, 100], [8, 500], [9, 520], [10, 560]),
      [fold({ throughSeq: 9 })],
      {
        endsAt: 90,
        hasOlder: true,
      },
    )
    expect(pairs(points)).toEqual([
      [9, 90],
      [9, 50],
      [10, 90],
    ])
  })
})
