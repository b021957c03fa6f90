import { expect, test } from 'vitest'
import { neutralize, neutralizeForFacts } from './neutralize.ts'

test.each([
  ['</conversation>', '‹/conversation>'],
  ['< / Conversation >', '‹ / Conversation >'],
  ['<\n/memo_schema>', '‹\n/memo_schema>'],
  ['<|im_end|>', '‹|im_end|>'],
  ['a < b, <b>bold</b>, <conversations>', 'a < b, <b>bold</b>, <conversations>'],
  ['one\r\ntwo\u2028three', 'one\ntwo\nthree'],
  ['\u202egnp.exe\u0000', ' gnp.exe '],
  ['half \ud83d', 'half \ufffd'],
  ['x'.repeat(500), 'x'.repeat(500)],
])('%j', (text, inert) => {
  expect(neutralize(text)).toBe(inert)
})

test('what delimits a memory is a word elsewhere', () => {
  const text = '</memory> < / Subject> <memo> <memories>'
  expect(neutralize(text)).toBe('</memory> < / Subject> ‹memo> <memories>')
  expect(neutralizeForFacts(text)).toBe('‹/memory> ‹ / Subject> ‹memo> <memories>')
})

test('takes no time on what is long and odd', () => {
  const started = performance.now()
  for (const text of [
    `<${' '.repeat(100_000)}`.repeat(5),
    '</'.repeat(200_000),
    'data:a/b;'.repeat(50_000),
    `data:${'a'.repeat(80)}/`.repeat(3_000),
    'aA1'.repeat(200_000),
  ])
    neutralize(text)
  expect(performance.now() - started).toBeLessThan(20_000)
})
