import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { answerWords, contentWords, shareFound } from './words.ts'

function survives(answer: string, text: string): boolean {
  const words = answerWords(answer)
  return words.size === 0 || shareFound(words, contentWords(text)) === 1
}

describe('the words of an answer survive', () => {
  test.each([
    ['Adoption agencies', 'I have been looking at an adoption agency near us'],
    ['the red bicycle', 'A Red Bicycle!'],
    ["Anna's violin", 'Anna plays the violin'],
    ['Painting, and camping', 'we camped and she painted'],
    ['two dogs', '2 dogs'],
    ['the 3rd floor', 'on the third floor'],
    ['1,249 EUR', '1249 EUR'],
    ['at 14:35', 'the train leaves at 14:35.'],
    ['7 May 2023', '- 2023-05-07 Ann: there we were'],
    ['May 7th, 2023', 'on the 7th of May, 2023'],
    ['7 May', 'until 2023-05-07'],
    ['June 2023', 'camping in June 2023'],
    ['June 2023', '- 2023-06-09 Ann: camping'],
    ['September', 'since Sept. 2021'],
    ['2023', 'in May 2023'],
    ['The Sunday before 25 May 2023', '- 2023-05-25 Ann: I ran last Sunday'],
    ['Café', 'the cafe\u0301 on the corner'],
    ['去上海旅行', '我们决定下个月去上海旅行。'],
  ])('%j in %j', (answer, text) => expect(survives(answer, text)).toBe(true))

  test.each([
    ['Adoption agencies', 'they want to adopt'],
    ['7 May 2023', '- 2023-05-08 Ann: I have 7 of them'],
    ['7 May 2023', '7 May'],
    ['June 2023', 'in June'],
    ['12', 'on 2023-12-01 at 12:30'],
    ['去上海旅行', '去北京旅行'],
  ])('not %j in %j', (answer, text) => expect(survives(answer, text)).toBe(false))
})

test('a part of an answer survives in part', () => {
  expect(shareFound(answerWords('pottery, camping and swimming'), contentWords('She swims.'))).toBeCloseTo(
    1 / 3,
  )
})

test('grammar is no word, small talk is one', () => {
  expect(answerWords('It was on the way to her')).toEqual(new Set(['wai']))
  expect(answerWords("Yes, she doesn't")).toEqual(new Set(['ye']))
  expect(answerWords('to the ')).toEqual(new Set())
})

test('whatever a text says, it says all that it says', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 60 }), text => survives(text, text)),
    { examples: [['99 May 2023'], ['2023-13-45'], ['\ud800 1,2,3 中文abc中']] },
  )
})

test.each(['a', '1', ' ', "'", '中', ',1', '1 may '])('a megabyte of %j is read at once', piece => {
  const begun = performance.now()
  contentWords(piece.repeat(1_000_000 / piece.length))
  expect(performance.now() - begun).toBeLessThan(10_000)
})
