import fc from 'fast-check'
import { expect, test } from 'vitest'
import { estimateTokens } from '../../tokens/index.ts'
import type { Entry } from './render-source.ts'
import { cutText, takePiece } from './take-piece.ts'

const words = fc
  .array(
    fc.oneof(
      fc.lorem({ maxCount: 30 }),
      fc.constant('\n    '),
      fc.constant('四十箱柠檬星期五运往波尔图'),
      fc.string({ unit: 'grapheme' }),
    ),
  )
  .map(parts => parts.join(' ').trim())

function entry(seq: number, text: string): Entry {
  return { seq, day: '[Monday 2026-03-02, UTC]', head: `#${seq} 2026-03-02 10:00 Ann`, text }
}

function withoutSpace(text: string): string {
  return text.replace(/\s/g, '')
}

test('the pieces hold everything once, in order, and each fits', () => {
  fc.assert(
    fc.property(
      fc.array(words, { minLength: 1, maxLength: 12 }),
      fc.integer({ min: 120, max: 900 }),
      (texts, room) => {
        const bodies: string[] = []
        let rest: readonly Entry[] = texts.map((text, index) => entry(index + 1, text))
        for (let pieces = 0; rest.length > 0; pieces++) {
          const piece = takePiece(rest, room)
          expect(estimateTokens(piece.text)).toBeLessThanOrEqual(room * 1.05)
          expect(piece.seqs.length).toBeGreaterThan(0)
          bodies.push(
            piece.text.replace(/^(?:\[Monday.*\]|#\d+ 2026-03-02 10:00 Ann(?: \(continued\))?: ?)/gm, ''),
          )
          rest = piece.rest
          expect(pieces).toBeLessThan(500)
        }
        expect(withoutSpace(bodies.join(''))).toBe(withoutSpace(texts.join('')))
      },
    ),
  )
})

test('no character is cut in two, and time is linear', () => {
  const [head, rest] = cutText('😀'.repeat(50), 10)
  expect(head.isWellFormed() && rest.isWellFormed()).toBe(true)
  expect(head + rest).toBe('😀'.repeat(50))
  const started = performance.now()
  let text = 'x'.repeat(2_000_000)
  while (text !== '') text = cutText(text, 20_000)[1]
  expect(performance.now() - started).toBeLessThan(20_000)
})
