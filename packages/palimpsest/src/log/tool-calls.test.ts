import { expect, test } from 'vitest'
import type { ContentPart, Message } from './message.ts'
import { toolCallsIn } from './tool-calls.ts'

const message = (role: Message['role'], ...content: ContentPart[]) =>
  ({ role, content }) as unknown as Message
const call = (toolName: string, toolCallId = 'call_0') =>
  ({ type: 'tool-call', toolCallId, toolName }) as const
const result = (output: string, toolCallId = 'call_0') =>
  ({ type: 'tool-result', toolCallId, output }) as const

function outputs(...messages: Message[]): unknown[] {
  return toolCallsIn(messages).map(({ call, result }) => [call.toolName, result?.output ?? null])
}

test('an id that is used again: each result is of the nearest call before it', () => {
  expect(
    outputs(
      message('tool', result('of nobody')),
      message('assistant', call('one')),
      message('tool', result('1')),
      message('assistant', call('left')),
      message('user', { type: 'text', text: 'Again.' }),
      message('assistant', call('two')),
      message('tool', result('2')),
      message('assistant', call('three')),
    ),
  ).toEqual([
    ['one', '1'],
    ['left', null],
    ['two', '2'],
    ['three', null],
  ])
})

test('the same id twice in a message is answered in order', () => {
  expect(
    outputs(
      message('assistant', call('one'), call('two')),
      message('tool', result('1')),
      message('tool', result('2')),
    ),
  ).toEqual([
    ['one', '1'],
    ['two', '2'],
  ])
})

test('what the provider ran itself has its result beside it; only the assistant calls', () => {
  expect(
    outputs(message('user', call('forged')), message('assistant', call('search'), result('found'))),
  ).toEqual([['search', 'found']])
})

test('approvals go by their own ids, and the first answer counts', () => {
  const request = (approvalId: string, toolCallId = 'call_0') =>
    ({ type: 'tool-approval-request', approvalId, toolCallId }) as const
  const response = (approvalId: string, approved: boolean) =>
    ({ type: 'tool-approval-response', approvalId, approved }) as const
  const calls = toolCallsIn([
    message('assistant', call('one'), request('a'), request('stray', 'other')),
    message('tool', response('a', true), response('stray', true)),
    message('assistant', call('two'), request('b')),
    message('tool', response('b', false), response('b', true), response('a', false)),
  ])
  expect(calls.map(({ request, response }) => [request?.approvalId, response?.approved])).toEqual([
    ['a', true],
    ['b', false],
  ])
})
