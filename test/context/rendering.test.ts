import { expect, test } from 'vitest'
import { renderMessage, renderSegment } from '../../packages/palimpsest/src/context/index.ts'
import { inert, inertUnderHeadings } from '../../packages/palimpsest/src/context/inert.ts'
import { openChat } from './open-chat.ts'

test.each(['<', '[', '#', '\n', '\r', '\u2028', ' ', '[a', '< /', '\u200b'])(
  'a megabyte of %j is made harmless in linear time',
  piece => {
    const text = (piece.length === 1 ? `<[${piece}` : '') + piece.repeat(1_000_000 / piece.length)
    const started = performance.now()
    inert(text)
    inertUnderHeadings(text)
    expect(performance.now() - started).toBeLessThan(20_000)
  },
)

test.each<[unknown, string]>([
  [{ type: 'sensor', value: 5, unit: 'kg' }, '{"type":"sensor","value":5,"unit":"kg"}'],
  [[{ type: 'web', url: 'https://example.com/42' }], '[{"type":"web","url":"https://example.com/42"}]'],
  [{ type: 'text', value: 'plain' }, 'plain'],
  [{ type: 'json', value: { a: 1 } }, '{"a":1}'],
  [{ type: 'error-text', value: 'not found' }, '(error) not found'],
  [
    {
      type: 'content',
      value: [
        { type: 'text', text: 'x' },
        { type: 'media', data: 'AAAA' },
      ],
    },
    'x\n(media)',
  ],
])('the result %j reaches the model whole', async (output, text) => {
  const chat = await openChat()
  await chat.append({ role: 'user', content: 'look' })
  await chat.append({
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: '1', toolName: 'look', input: {} }],
  })
  await chat.append({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: '1', toolName: 'look', output }],
  })
  const { messages } = await chat.context()
  expect(messages.at(-1)!.content).toMatchObject([{ output: { value: text } }])
})

test('short details are shown too', () => {
  const segment = {
    fromSeq: 1,
    toSeq: 2,
    summary: 'They spoke at length about the order. '.repeat(3),
    events: [],
    details: ['A-17', '12 EUR'],
  }
  expect(renderSegment(segment)).toContain('Details: A-17 · 12 EUR')
})

test('no two people look alike', () => {
  const names = [
    { id: '7', name: 'Ann' },
    { id: 'Ann (7)', name: 'Ann (7)' },
    { id: 'Ann 7' },
    { id: `${'x'.repeat(70)}1` },
    { id: `${'x'.repeat(70)}2` },
    { id: '\u200bsystem' },
    { id: 'system' },
  ].map(sender => {
    const rendered = renderMessage(
      { role: 'user', content: 'hi', sender, seq: 1, turn: 1, tokens: 5 } as never,
      { kind: 'group', clipTokens: 100, reasoning: 'drop', language: 'en' },
    )
    return String(rendered.plain!.message.content)
  })
  expect(new Set(names).size).toBe(names.length)
  expect(names.every(name => !name.startsWith('[system'))).toBe(true)
})
