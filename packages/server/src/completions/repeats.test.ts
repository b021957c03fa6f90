import { expect, test } from 'vitest'
import { Prints } from './fingerprint.ts'
import { RETRY_MS, repliesToRepeat, type Stored } from './repeats.ts'

const prints = new Prints()
const said = (role: 'user' | 'assistant', text: string, { age = 0, isBrokenOff = false } = {}): Stored => ({
  ...prints.of({
    role,
    content: [{ type: 'text', text, ...(isBrokenOff && { interrupted: 'aborted' as const }) }],
  }),
  age,
})
const [u1, a1, u2] = [said('user', '1'), said('assistant', '2'), said('user', '3')]
const broken = said('assistant', 'x', { isBrokenOff: true })
const long = { age: RETRY_MS }

test.each<[string, readonly Stored[], readonly Stored[], boolean, number | null]>([
  ['is new', [u1, a1], [u2], false, null],
  ['is new in an empty log', [], [u1], false, null],
  ['is not, where it stands there unanswered', [u1, a1, u2], [u2], false, 0],
  ['is not, where its answer broke off', [u1, broken], [u1], false, 1],
  ['is, where it was answered', [u1, a1], [u1], false, null],
  ['is not, where it was answered and the client tries again', [u1, a1], [u1], true, 1],
  ['is, where that was long ago', [said('user', '1', long), said('assistant', '2', long)], [u1], true, null],
  ['is not, where it is unanswered since long', [said('user', '1', long)], [u1], true, 0],
  ['is, where something else was answered', [u1, a1], [u2], true, null],
  ['is, where only a part of it stands there', [u1], [u1, u2], false, null],
  ['is not, where all of it stands there', [a1, u1, u2], [u1, u2], false, 0],
])('a list that is all new %s', (_, ours, theirs, isRetry, expected) => {
  expect(repliesToRepeat(ours, theirs, { isRetry })).toBe(expected)
})
