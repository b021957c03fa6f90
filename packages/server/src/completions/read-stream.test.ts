import { expect, test } from 'vitest'
import type { Piece } from './answering.ts'
import { type StreamPart, StreamReader } from './read-stream.ts'

function read(parts: readonly StreamPart[]) {
  const reader = new StreamReader()
  const pieces: Piece[] = parts.flatMap(part => [...reader.take(part)])
  return { reader, pieces }
}

test('two blocks of text are two lines, and thoughts have lines of their own', () => {
  const { pieces } = read([
    { type: 'reasoning-delta', id: 'r1', text: 'hm' },
    { type: 'text-delta', id: 't1', text: 'One' },
    { type: 'text-delta', id: 't1', text: ' moment.' },
    { type: 'text-delta', id: 't2', text: '' },
    { type: 'text-delta', id: 't2', text: 'Here.' },
    { type: 'reasoning-delta', id: 'r2', text: 'well' },
  ])
  expect(pieces.map(piece => 'text' in piece && piece.text)).toEqual([
    'hm',
    'One',
    ' moment.',
    '\nHere.',
    '\nwell',
  ])
})

test('a call in one piece has its arguments, and a call without any an empty object', () => {
  const { reader, pieces } = read([
    { type: 'tool-call', toolCallId: 'a', toolName: 'f', input: { x: 1 } },
    { type: 'tool-input-start', id: 'b', toolName: 'g' },
    { type: 'tool-call', toolCallId: 'b', toolName: 'g', input: {} },
    { type: 'finish', finishReason: 'other', totalUsage: { inputTokens: 5 } },
  ])
  expect(pieces).toEqual([
    { type: 'call', index: 0, id: 'a', name: 'f' },
    { type: 'arguments', index: 0, text: '{"x":1}' },
    { type: 'call', index: 1, id: 'b', name: 'g' },
    { type: 'arguments', index: 1, text: '{}' },
  ])
  expect(reader.end(99)).toMatchObject({ finishReason: 'tool_calls', usage: { inputTokens: 5 } })
  expect(reader.argumentsOf('a')).toBe('{"x":1}')
})

test('what the provider runs itself is no call for the client', () => {
  const { reader, pieces } = read([
    { type: 'tool-input-start', id: 's', toolName: 'web_search', providerExecuted: true },
    { type: 'tool-input-delta', id: 's', delta: '{"query":"tides"}' },
    { type: 'tool-call', toolCallId: 's', toolName: 'web_search', input: {}, providerExecuted: true },
    { type: 'text-delta', id: 't', text: 'At noon.' },
    { type: 'finish', finishReason: 'stop', totalUsage: {} },
  ])
  expect(pieces).toEqual([{ type: 'text', text: 'At noon.' }])
  expect(reader.end(9)).toMatchObject({ finishReason: 'stop' })
})

test('what nobody counted is estimated', () => {
  const { reader } = read([{ type: 'text-delta', id: 't', text: 'Hello there, how are you?' }])
  const end = reader.end(99)
  expect(end).toMatchObject({ type: 'end', finishReason: 'stop', usage: { inputTokens: 99 } })
  expect(end.type === 'end' && end.usage.outputTokens).toBeGreaterThan(0)
})
