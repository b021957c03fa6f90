import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  BLOCK_MESSAGES,
  changeBlock,
  changePostings,
  endPostings,
  type PostingsRow,
  unpackColumns,
  unpackPostings,
} from './postings.ts'

describe('postings', () => {
  test('give back what was put in, whatever is added at the end, counted anew or taken out', () => {
    const slice = fc.array(fc.tuple(fc.integer({ min: 1, max: 3_000 }), fc.integer({ min: 0, max: 300 })), {
      maxLength: 300,
    })
    const change = fc.tuple(fc.nat(20_000), fc.integer({ min: 0, max: 300 }))
    fc.assert(
      fc.property(fc.array(fc.tuple(slice, fc.array(change, { maxLength: 5 })), { maxLength: 8 }), steps => {
        const expected = new Map<number, number>()
        let rows: readonly PostingsRow[] = []
        let through = 0
        for (const [slice, changes] of steps) {
          const places = [...new Map(slice.map(([step, count]) => [through + step, count]))]
          // What an unfinished slice left is written anew.
          for (const attempt of [places.slice(0, 7), places]) {
            const last = rows.findLastIndex(({ first }) => first <= through)
            const from = Math.max(0, last)
            rows = [
              ...rows.slice(0, from),
              ...endPostings(rows.slice(from), { above: through, places: attempt }),
            ]
          }
          for (const [seq, count] of places) if (count > 0) expected.set(seq, Math.min(count, 255))
          through = Math.max(through, ...places.map(([seq]) => seq))
          for (const [seq, count] of changes.filter(([seq]) => seq > 0 && seq <= through)) {
            const row = rows.findLast(({ first }) => first <= seq)
            const changed = changePostings(row, [[seq, count]])
            rows = [...rows.filter(each => each !== row), ...(changed ? [changed] : [])].sort(
              (one, other) => one.first - other.first,
            )
            if (count === 0) expected.delete(seq)
            else expected.set(seq, Math.min(count, 255))
          }
        }
        expect(new Set(rows.map(({ first }) => first)).size).toBe(rows.length)
        const { seqs, counts } = unpackPostings(rows)
        const found = [...seqs].map((seq, place) => [seq, counts[place]])
        expect(found).toEqual([...expected].sort(([one], [other]) => one - other))
      }),
      { numRuns: 300 },
    )
  })

  test('take about a byte for a message, in rows of bounded size', () => {
    const every = Array.from({ length: 10_000 }, (_, place) => [place + 1, 1] as const)
    const rows = endPostings([], { above: 0, places: every })
    expect(rows.reduce((sum, { data }) => sum + data.length, 0)).toBe(10_000)
    expect(Math.max(...rows.map(({ data }) => data.length))).toBeLessThan(900)
  })
})

describe('a block', () => {
  test('gives back what was put in', () => {
    const entry = fc.record({
      length: fc.oneof(fc.integer({ min: 1, max: 300 }), fc.integer({ min: 1, max: 65_535 })),
      speaker: fc.record({
        role: fc.integer({ min: 0, max: 3 }),
        senderId: fc.oneof(fc.constant(null), fc.integer({ min: 1, max: 2 ** 40 })),
      }),
      minute: fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    })
    const change = fc.record({
      place: fc.integer({ min: 0, max: BLOCK_MESSAGES - 1 }),
      entry: fc.option(entry),
    })
    fc.assert(
      fc.property(fc.array(fc.array(change, { maxLength: 30 }), { maxLength: 5 }), changes => {
        const expected = new Map<number, unknown>()
        let data: Uint8Array | undefined
        for (const some of changes) {
          data = changeBlock(data, some)
          for (const { place, entry } of some)
            if (entry === null) expected.delete(place)
            else expected.set(place, entry)
        }
        expect(unpacked(data)).toEqual(new Map([...expected].sort(([one], [other]) => one - other)))
      }),
      { numRuns: 300 },
    )
  })

  test('has room for more speakers than a byte can tell apart', () => {
    const changes = Array.from({ length: 700 }, (_, place) => ({
      place,
      entry: { length: 1, speaker: { role: 1, senderId: place + 1 }, minute: 30_000_000 + place },
    }))
    const found = unpacked(changeBlock(undefined, changes))
    expect(found.get(699)).toEqual(changes[699]!.entry)
    expect(found.get(3)).toEqual(changes[3]!.entry)
  })
})

function unpacked(data: Uint8Array | undefined) {
  const known: unknown[] = []
  const found = new Map<number, unknown>()
  if (!data) return found
  const { lengths, speakers, minutes } = unpackColumns(data, speaker => known.push(speaker) - 1)
  for (const [place, length] of lengths.entries())
    if (length > 0) found.set(place, { length, speaker: known[speakers[place]!], minute: minutes[place] })
  return found
}
