import { expect, test } from 'vitest'
import { askedIn } from './asked.ts'
import type { Said } from './fingerprint.ts'

const user = (content: string): Said => ({ role: 'user', content })
const answer: Said = { role: 'assistant', content: 'Yes.' }
const call: Said = {
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId: 'a', toolName: 'look', input: {} }],
}
const result: Said = { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'a', output: 'found' }] }

test.each<[string, readonly Said[], readonly string[]]>([
  ['what was said since the last reply', [user('one'), answer, user('two'), user('three')], ['two', 'three']],
  ['what began a loop of calls', [user('one'), answer, user('two'), call, result, call, result], ['two']],
  ['what followed a call that nobody answered', [user('one'), call, user('two')], ['two']],
  ['nothing, where all is answered', [user('one'), answer], []],
  ['nothing, where only results are there', [result], []],
])('asked is %s', (_, messages, expected) => {
  expect(askedIn(messages).map(({ content }) => content)).toEqual(expected)
})
