import { expect, test } from 'vitest'
import { type RhythmFold, rhythmOf, typicalStep } from './rhythm.ts'

/** As rounds does it with two messages a turn. */
function folds({ first, every, folded, upTo }: Record<'first' | 'every' | 'folded' | 'upTo', number>) {
  const all: RhythmFold[] = []
  for (let at = first, cursor = 0; at <= upTo; at += every, cursor += folded)
    all.push({ at, fromSeq: cursor + 1, toSeq: cursor + folded })
  return all
}

test('A = 4 and B = 3: the sawtooth of 7 turns, of which 3 are folded and 4 stay', () => {
  const all = folds({ first: 14, every: 6, folded: 6, upTo: 240 })
  const { columns, groupSize, steps } = rhythmOf({ messages: 240, folds: all })
  expect(groupSize).toBe(1)
  expect(steps.map(({ at }) => at)).toEqual([14, 20, 26, 32, 38])
  expect(columns).toHaveLength(38)
  expect(columns[7]).toEqual({ messages: 8, segments: 0, backlog: 0, tail: 8, isFolded: false })
  expect(columns[13]).toEqual({ messages: 14, segments: 0, backlog: 6, tail: 8, isFolded: true })
  expect(columns[14]).toEqual({ messages: 15, segments: 1, backlog: 1, tail: 8, isFolded: false })
  expect(columns.at(-1)).toEqual({ messages: 38, segments: 4, backlog: 6, tail: 8, isFolded: true })
})

test('one that folds late is drawn in groups, up to its third fold and with every fold in sight', () => {
  const all = folds({ first: 130, every: 101, folded: 100, upTo: 800 })
  const { columns, groupSize, steps } = rhythmOf({ messages: 800, folds: all })
  expect(steps.map(({ at }) => at)).toEqual([130, 231, 332])
  expect(groupSize).toBe(7)
  expect(columns.length).toBeLessThanOrEqual(48)
  expect(columns.filter(({ isFolded }) => isFolded).map(({ messages }) => messages)).toEqual([130, 231, 332])
  expect(columns.at(-1)).toMatchObject({ messages: 332, segments: 2, isFolded: true })
})

test('one that folds all the time is drawn up to its twelfth fold', () => {
  const all = folds({ first: 4, every: 2, folded: 2, upTo: 240 })
  expect(rhythmOf({ messages: 240, folds: all }).steps).toHaveLength(12)
})

test('small folds in between neither end the drawing nor stand for the others', () => {
  const small = [
    { at: 8, fromSeq: 1, toSeq: 1 },
    { at: 54, fromSeq: 2, toSeq: 14 },
    { at: 60, fromSeq: 15, toSeq: 18 },
    { at: 61, fromSeq: 19, toSeq: 19 },
    { at: 73, fromSeq: 20, toSeq: 33 },
    { at: 87, fromSeq: 34, toSeq: 47 },
    { at: 88, fromSeq: 48, toSeq: 48 },
  ]
  const { columns, steps } = rhythmOf({ messages: 400, folds: small })
  expect(typicalStep(steps)?.at).toBe(54)
  expect(columns.at(-1)).toMatchObject({ messages: 87, backlog: 14, tail: 40, isFolded: true })
})

test('a single fold is drawn with what comes after it', () => {
  const { columns, steps } = rhythmOf({ messages: 200, folds: [{ at: 100, fromSeq: 1, toSeq: 60 }] })
  expect(steps).toHaveLength(1)
  expect(columns.at(-1)).toEqual({ messages: 160, segments: 1, backlog: 60, tail: 40, isFolded: false })
})

test('without a fold all stays as it was said', () => {
  const { columns, steps } = rhythmOf({
    messages: 60,
    folds: [{ at: 8, fromSeq: null, toSeq: null }],
  })
  expect(steps).toEqual([])
  expect(columns).toHaveLength(40)
  expect(columns.at(-1)).toEqual({ messages: 40, segments: 0, backlog: 0, tail: 40, isFolded: false })
})

test('two folds of one moment are one step', () => {
  const { steps, columns } = rhythmOf({
    messages: 40,
    folds: [
      { at: 20, fromSeq: 1, toSeq: 6 },
      { at: 20, fromSeq: 7, toSeq: 10 },
    ],
  })
  expect(steps).toEqual([{ at: 20, fromSeq: 1, toSeq: 10, folded: 10, stays: 10 }])
  expect(columns[20]).toMatchObject({ messages: 21, segments: 1 })
})

test('every column holds all messages that no segment covers', () => {
  for (let every = 1; every < 60; every += 3)
    for (let stays = 0; stays < 90; stays += 7) {
      const all = folds({ first: every + stays, every, folded: every, upTo: 500 })
      const { columns } = rhythmOf({ messages: 500, folds: all })
      for (const { messages, segments, backlog, tail } of columns) {
        expect(segments * every + backlog + tail).toBe(messages)
        expect(Math.min(backlog, tail)).toBeGreaterThanOrEqual(0)
      }
    }
})
