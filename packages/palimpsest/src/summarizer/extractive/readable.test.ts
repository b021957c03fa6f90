import { expect, test } from 'vitest'
import { readableText, readPassages } from './readable.ts'

test('tools are one short line each, attachments a label, reasoning nothing', () => {
  const passages = [
    ...readPassages([
      { type: 'text', text: 'Look:\nhere' },
      { type: 'reasoning', text: 'I wonder' },
      { type: 'tool-call', toolCallId: '1', toolName: 'weather', input: { city: 'Lisbon', days: 3 } },
      {
        type: 'tool-result',
        toolCallId: '1',
        toolName: 'weather',
        output: { type: 'json', value: { high: 24, note: 'sun\nny' } },
      },
      { type: 'image', url: 'https://example.com/photos/cat.png' },
      { type: 'image', data: 'data:image/png;base64,AAAA' },
      { type: 'file', name: 'plan.pdf', bytes: 'JVBERi0' },
    ]),
  ]
  expect(passages.map(({ text }) => text)).toEqual([
    'Look:',
    'here',
    '[weather] city Lisbon, days 3',
    '[weather] → json, high 24, note sun ny',
    '[image: cat.png]',
    '[image]',
    '[file: plan.pdf]',
  ])
})

test('a huge result is looked into, not read', () => {
  const rows = Array.from({ length: 100_000 }, (_, id) => ({ id }))
  const text = readableText([{ type: 'tool-result', toolCallId: '1', toolName: 'query', output: rows }])
  expect(text.length).toBeLessThan(200)
})

test('what stands between fences is code', () => {
  const kinds = [...readPassages('see\n```ts\nconst a = 1\n```\ndone')].map(
    ({ kind, text }) => `${kind} ${text}`,
  )
  expect(kinds).toEqual(['prose see', 'code const a = 1', 'prose done'])
})
