import fc from 'fast-check'
import { expect, test } from 'vitest'
import { rawChunks, tokensAt } from './raw-chunks.ts'

const at = '2026-01-01T00:00:00Z'

test('chunks cover every raw message once, newest first, and begin at round numbers', () => {
  fc.assert(
    fc.property(fc.nat(3_000), fc.nat(3_000), (after, raw) => {
      const newest = after + raw
      const points = [
        { seq: 1, at, tokens: 10 },
        { seq: newest, at, tokens: newest * 10 },
      ].filter(({ seq }) => seq > 0 && raw > 0)
      const chunks = rawChunks(after, points)
      const seqs = chunks
        .toReversed()
        .flatMap(({ fromSeq, toSeq }) => Array.from({ length: toSeq - fromSeq + 1 }, (_, i) => fromSeq + i))
      expect(seqs).toEqual(Array.from({ length: raw }, (_, i) => after + 1 + i))
      for (const { fromSeq } of chunks.slice(0, -1)) expect(fromSeq % 50).toBe(1)
      for (const { estimate } of chunks) expect(estimate).toBeGreaterThan(0)
    }),
  )
})

test('between two points the log is taken to have grown evenly', () => {
  const points = [
    { seq: 1, at, tokens: 10 },
    { seq: 11, at, tokens: 110 },
  ]
  expect([0, 1, 6, 11, 50].map(seq => tokensAt(points, seq))).toEqual([0, 10, 60, 110, 110])
})
