import { expect, test } from 'vitest'
import { measureMessage } from './measure-message.ts'

test('characters are counted as people count them', () => {
  const characters = (content: string) => measureMessage({ content, sender: null }).characters
  expect(characters('abc')).toBe(3)
  expect(characters('你好')).toBe(2)
  expect(characters('👍👍')).toBe(2)
  expect(characters('a\ud800b')).toBe(3)
})

test('an attachment costs a flat figure, whatever its bytes', () => {
  const small = measureMessage({ content: [{ type: 'image', data: 'AAAA' }], sender: null })
  const large = measureMessage({ content: [{ type: 'image', data: 'A'.repeat(100_000) }], sender: null })
  expect(small).toEqual(large)
  expect(small.characters).toBe(0)
})

test('one that no provider can read costs its name', () => {
  const tokens = (part: object) =>
    measureMessage({ content: [{ type: 'image', ...part }], sender: null }).tokens
  const sent = [
    { url: 'https://example.com/a.png' },
    { image: new URL('https://example.com/a.png') },
    { data: 'AAAA' },
  ]
  const named = [{ path: 'photos/photo_2.jpg' }, { url: 'file:///a.png' }, { data: 'photos/a.jpg' }, {}]
  for (const part of sent) expect(tokens(part)).toBeGreaterThan(1_000)
  for (const part of named) expect(tokens(part)).toBeLessThan(20)
})

test('tools, reasoning and the sender count', () => {
  const plain = measureMessage({ content: 'look it up', sender: null })
  const named = measureMessage({ content: 'look it up', sender: { id: '7', name: 'Ann' } })
  expect(named.tokens).toBeGreaterThan(plain.tokens)
  const call = measureMessage({
    content: [
      { type: 'reasoning', text: 'I had better look it up' },
      {
        type: 'tool-call',
        toolCallId: '1',
        toolName: 'search',
        input: { query: 'weather in Lisbon tomorrow' },
      },
    ],
    sender: null,
  })
  expect(call.tokens).toBeGreaterThan(15)
})
