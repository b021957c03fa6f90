import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitText } from './split-text.ts'

const words = fc
  .array(
    fc.oneof(
      fc.string({ unit: 'grapheme', maxLength: 12 }),
      fc.constantFrom('\n\n', '\n', '. ', '。', '👩‍👩‍👧'),
    ),
    {
      maxLength: 60,
    },
  )
  .map(parts => parts.join(' '))

test('every piece fits, nothing but blanks is lost, and no character is cut', () => {
  fc.assert(
    fc.property(words, fc.integer({ min: 30, max: 120 }), (text, most) => {
      const pieces = splitText(text, most)
      for (const piece of pieces) {
        expect(piece.length).toBeLessThanOrEqual(most)
        if (text.isWellFormed()) expect(piece.isWellFormed()).toBe(true)
      }
      expect(pieces.join('').replace(/\s/g, '')).toBe(text.replace(/\s/g, ''))
    }),
  )
})

test('pieces that are full stay what they are while the text grows', () => {
  fc.assert(
    fc.property(words, words, fc.integer({ min: 20, max: 80 }), (text, more, most) => {
      const before = splitText(text, most)
      const after = splitText(text + more, most)
      expect(after.slice(0, before.length - 1)).toEqual(before.slice(0, -1))
    }),
  )
})

test('is cut between paragraphs, lines, sentences or words, where one is near', () => {
  expect(splitText('one two three\n\nfour five', 20)).toEqual(['one two three', 'four five'])
  expect(splitText('One is here. Two is there.', 20)).toEqual(['One is here.', 'Two is there.'])
  expect(splitText('第一句话很长很长。第二句话也很长', 12)).toEqual(['第一句话很长很长。', '第二句话也很长'])
  expect(splitText('x'.repeat(25), 10)).toEqual(['x'.repeat(9), 'x'.repeat(9), 'x'.repeat(7)])
  expect(splitText('👍🏽'.repeat(5), 10)).toEqual(['👍🏽👍🏽', '👍🏽👍🏽', '👍🏽'])
  expect(splitText('', 10)).toEqual([''])
  expect(splitText('short', Infinity)).toEqual(['short'])
})

test.each(['👩‍👩‍👧‍👦', '🇩🇪', '👍🏽', 'é', '각'])('no %s is cut, wherever it stands', character => {
  for (const most of [63, 64, 65, 66, 67, 68, 4_096])
    for (const before of ['', 'a', 'ab', 'abc']) {
      const pieces = splitText(before + character.repeat(400), most)
      for (const piece of pieces)
        expect(piece.replaceAll(character, '')).toBe(piece === pieces[0] ? before : '')
    }
})
