import type { ContentPart } from 'palimpsest/internals/log/index'
import { expect, test } from 'vitest'
import { namesOfCalls, renamedCalls, withOurCalls } from './tool-ids.ts'

const call = (toolCallId: string, input: unknown, toolName = 'look'): ContentPart => ({
  ...{ type: 'tool-call', toolCallId, toolName, input },
})

test.each<[string, ContentPart[], ContentPart[], Record<string, string>]>([
  ['by their arguments', [call('a', 1), call('b', 2)], [call('x', 2), call('y', 1)], { x: 'b', y: 'a' }],
  [
    'by their tools',
    [call('a', 1), call('b', 1, 'find')],
    [call('x', 1, 'find'), call('y', 1)],
    { x: 'b', y: 'a' },
  ],
  ['by their order', [call('a', 1), call('b', 1)], [call('x', 1), call('y', 1)], { x: 'a', y: 'b' }],
  ['by their ids first', [call('a', 1), call('b', 1)], [call('b', 1), call('a', 1)], { a: 'a', b: 'b' }],
  ['as far as there are any', [call('a', 1)], [call('x', 1), call('y', 1)], { x: 'a' }],
])('calls that were renamed are known %s', (_, ours, theirs, expected) => {
  expect(Object.fromEntries(renamedCalls(ours, theirs))).toEqual(expected)
})

test('a result finds its call, and the name of its tool', () => {
  const result = { type: 'tool-result' as const, toolCallId: 'x', output: 'found' }
  const names = namesOfCalls([{ role: 'assistant', content: [call('a', 1)] }])
  const message = { role: 'tool' as const, content: [result] }
  expect(withOurCalls(message, new Map([['x', 'a']]), names).content).toEqual([
    { ...result, toolCallId: 'a', toolName: 'look' },
  ])
  expect(withOurCalls(message, new Map(), names)).toEqual(message)
})
