import { expect, test } from 'vitest'
import type { ErasureTarget } from '../store/index.ts'
import { checkTarget } from './check-target.ts'

test('takes what can be erased, each message once and in order', () => {
  expect(checkTarget({ kind: 'messages', sessionId: 'a', seqs: [3, 1, 3] })).toEqual({
    kind: 'messages',
    sessionId: 'a',
    seqs: [1, 3],
  })
  const [session, person] = [
    { kind: 'session', sessionId: 'a:b' } as const,
    { kind: 'person', id: '安' } as const,
  ]
  expect(checkTarget(session)).toEqual(session)
  expect(checkTarget(person)).toEqual(person)
})

test.each([
  null,
  undefined,
  {},
  { kind: 'everything' },
  { kind: 'session' },
  { kind: 'session', sessionId: '' },
  { kind: 'person', id: 7 },
  { kind: 'namespace', id: 'x' },
  { kind: 'session', sessionId: 'a', seqs: [1] },
  { kind: 'messages', sessionId: 'a' },
  { kind: 'messages', sessionId: 'a', seqs: [] },
  { kind: 'messages', sessionId: 'a', seqs: [0] },
  { kind: 'messages', sessionId: 'a', seqs: [1.5] },
  { kind: 'messages', sessionId: 'a', seqs: ['1'] },
  { kind: 'messages', sessionId: 'a', seqs: Array.from({ length: 10_001 }, (_, index) => index + 1) },
])('refuses %j, and says what is allowed', target => {
  expect(() => checkTarget(target as ErasureTarget)).toThrow(/allowed: /i)
})
