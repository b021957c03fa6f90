import fc from 'fast-check'
import { expect, test } from 'vitest'
import { splitSentences } from './sentences.ts'

function split(line: string): string[][] {
  return [...splitSentences(line)].map(({ clauses }) => clauses.map(clause => clause.trim()))
}

test.each([
  [
    'It costs 3.50 at Dr. Smith. Is it e.g. cheap? No!',
    [['It costs 3.50 at Dr. Smith.'], ['Is it e.g. cheap?'], ['No!']],
  ],
  [
    'Wow, that is a really nice place to stay, thanks',
    [['Wow,', 'that is a really nice place to stay, thanks']],
  ],
  ['先做MVP，三月出能跑的版本。行吗？好', [['先做MVP，', '三月出能跑的版本。'], ['行吗？'], ['好']]],
  ['明日行きます。「はい。」と言った', [['明日行きます。'], ['「はい。」'], ['と言った']]],
  ['建议：1. 早睡。2. 多喝温水。', [['建议：', '1. 早睡。'], ['2. 多喝温水。']]],
  ['## Heading', [['Heading']]],
  ['- **bold** item', [['bold item']]],
  ['Look at this [image: a cat, asleep] please', [['Look at this'], ['[image: a cat, asleep]'], ['please']]],
])('%s', (line, expected) => expect(split(line)).toEqual(expected))

test('questions are known by their mark or their particle', () => {
  const questions = ['Shall we go?', '可以吗', '行くのですか。', '"Really?"', 'No.'].map(
    line => [...splitSentences(line)][0]!.isQuestion,
  )
  expect(questions).toEqual([true, true, true, true, false])
})

test('what has no end is cut, head and tail', () => {
  const clauses = split('x'.repeat(1_000_000)).flat()
  expect(clauses.join('').length).toBeLessThan(1_200)
})

test('sentences hold the line and nothing else', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 200 }), line => {
      const all = [...splitSentences(line)].flatMap(({ clauses }) => clauses)
      expect(all.every(clause => clause.trim() !== '')).toBe(true)
      let at = 0
      const plain = line.replaceAll('**', '')
      for (const clause of all) {
        const found = plain.indexOf(clause, at)
        expect(found).toBeGreaterThanOrEqual(at)
        at = found + clause.length
      }
    }),
  )
})
