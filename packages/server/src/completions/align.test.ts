import type { Content } from 'palimpsest/internals/log/index'
import { describe, expect, test } from 'vitest'
import { type Alignment, alignWhole, type Known } from './align.ts'
import { Prints, type Said } from './fingerprint.ts'

interface Logged extends Said {
  readonly isElsewhere?: boolean
}

function align(ours: readonly Logged[], theirs: readonly Said[], { isWholeLog = true } = {}): Alignment {
  const prints = new Prints()
  const known = ours.map(
    (message): Known => ({
      ...prints.of(message),
      isElsewhere: message.isElsewhere ?? false,
    }),
  )
  const answered = theirs.findLastIndex(({ role }) => role === 'assistant') + 1
  return alignWhole(known, { prints: theirs.map(message => prints.of(message)), answered }, { isWholeLog })
}

const user = (content: Content): Logged => ({ role: 'user', content })
const reply = (content: Content): Logged => ({ role: 'assistant', content })
const elsewhere = (content: Content): Logged => ({ role: 'user', content, isElsewhere: true })
const broken = (text: string): Logged => reply([{ type: 'text', text, interrupted: 'aborted' }])
const call = (input: string): Logged =>
  reply([{ type: 'tool-call', toolCallId: `call ${input}`, toolName: 'look', input }])
const result = (output: string): Logged => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId: 'any', output }],
})

const [u1, a1, u2, a2, u3, a3] = [user('1'), reply('2'), user('3'), reply('4'), user('5'), reply('6')]
const u4 = user('7')

type Case = [string, readonly Logged[], readonly Said[], Partial<Alignment>]

describe('what is new is added', () => {
  test.each<Case>([
    ['all to an empty log', [], [u1, a1, u2], { theirEnd: 0, isClear: true }],
    ['what follows our end', [u1, a1], [u1, a1, u2], { theirEnd: 2, isClear: true }],
    ['nothing of what is there, unanswered', [u1, a1, u2], [u1, a1, u2], { theirEnd: 3, isClear: true }],
    ['after a list without its beginning', [u1, a1, u2, a2], [u2, a2, u3], { theirEnd: 2, isClear: true }],
    ['after one that begins with the last reply', [u1, a1], [a1, u2], { theirEnd: 1 }],
    ['after one without its middle', [u1, a1, u2, a2, u3, a3], [u1, a1, u3, a3, u4], { theirEnd: 4 }],
    ['after a summary and the last reply', [u1, a1], [user('They said'), a1, u2], { theirEnd: 2 }],
    [
      'after a question that the client keeps otherwise',
      [user('Of x: 1'), a1],
      [u1, a1, u2],
      { theirEnd: 2 },
    ],
    ['behind what came from elsewhere', [u1, a1, elsewhere('x')], [u1, a1, u2], { theirEnd: 2 }],
    ['also later', [u1, a1, elsewhere('x'), u2, a2], [u1, a1, u2, a2, u3], { theirEnd: 4, score: 4 }],
    ['to what only others said', [elsewhere('x')], [u1, a1, u2], { theirEnd: 0, score: 0 }],
    ['behind a reply that broke off', [u1, a1, u2, broken('x')], [u1, a1, u2, u3], { theirEnd: 3 }],
    ['behind one that the client kept', [u1, broken('x y')], [u1, reply('x'), u2], { theirEnd: 2 }],
    ['and decorated', [u1, broken('x y')], [u1, reply('x y — sent with z'), u2], { theirEnd: 2 }],
    ['behind a reply that was decorated', [u1, a1], [u1, reply('2, by z'), u2], { theirEnd: 2, anchor: 1 }],
    [
      'behind the right one of two that are alike',
      [u1, reply('Yes, it is.'), u2, reply('Yes, it is. Noted.')],
      [u1, reply('Yes, it is. (z)'), u2, reply('Yes, it is.'), u3],
      { theirEnd: 4, anchor: 3, isClear: false },
    ],
    [
      'behind one that is decorated, in a window',
      [u1, a1, u2, reply('I shall tell him tomorrow at noon.')],
      [reply('z: I shall tell him tomorrow at noon.'), u3],
      { theirEnd: 1, anchor: 3 },
    ],
    ['behind a reply that the client has not seen', [u1, a1, u2, a2], [u1, a1, u2, u3], { theirEnd: 3 }],
    ['behind the second of two', [u1, a1, u2, a2, a3], [u1, a1, u2, a2, u3], { theirEnd: 4 }],
    ['but once, also behind such a one', [u1, a1, u2, a2, u3], [u1, a1, u2, u3], { theirEnd: 4 }],
    ['the results of calls', [u1, call('x')], [u1, call('x'), result('y')], { theirEnd: 2 }],
    [
      'where the client keeps no calls and results',
      [u1, call('x'), result('y'), a1],
      [u1, a1, u2],
      { theirEnd: 2, score: 2, isClear: true },
    ],
    [
      'or other results',
      [u1, call('x'), result('y'), a1, u2, a2],
      [u1, call('x'), result('cleared'), a1, u2, a2, u3],
      { theirEnd: 6, score: 5, isClear: true },
    ],
    ['what others answered meanwhile', [u1, a1, u2], [u1, a1, u2, a2, u3], { theirEnd: 3, anchor: null }],
    ['also the first', [u1, broken('x')], [u1, a2, u3], { theirEnd: 1, anchor: null }],
    ['what is said again', [u1, a1], [u1, a1, u1], { theirEnd: 2 }],
    ['also in a window', [u1, a1, u1, a1, u1, a1], [a1, u1, a1, u1], { theirEnd: 3, anchor: 5 }],
    ['of two equal places after the latest', [u1, a1, u3, u1, a1], [u1, a1, u2], { theirEnd: 2, anchor: 4 }],
  ])('%s', (_, ours, theirs, expected) => {
    expect(align(ours, theirs)).toMatchObject({ outcome: 'continues', ...expected })
  })
})

describe('replies are given anew', () => {
  test.each<Case>([
    ['where the list ends before them', [u1, a1, u2, a2], [u1, a1, u2], { ourEnd: 3 }],
    [
      'with the calls that led to them',
      [u1, a1, u2, call('x'), result('y'), a2],
      [u1, a1, u2],
      { ourEnd: 3 },
    ],
    ['where they broke off', [u1, a1, u2, broken('x')], [u1, a1, u2], { ourEnd: 3 }],
    ['in a window', [u1, a1, u2, a2], [a1, u2], { ourEnd: 3 }],
    ['after results', [u1, call('x'), result('y'), a1], [u1, call('x'), result('y')], { ourEnd: 3 }],
  ])('%s', (_, ours, theirs, expected) => {
    expect(align(ours, theirs)).toMatchObject({ outcome: 'asks-again', ...expected })
  })

  test('but not where others have spoken since: they stay, and nothing is added', () => {
    expect(align([u1, a1, u2, a2, elsewhere('x')], [u1, a1, u2])).toMatchObject({
      outcome: 'continues',
      theirEnd: 3,
    })
  })
})

describe('a contradiction', () => {
  test.each<Case>([
    ['an edited question', [u1, a1, u2, a2], [u1, a1, u3], { ourEnd: 2, theirEnd: 2 }],
    ['an edited reply', [u1, a1, u2, a2], [u1, a1, u2, a3, u3], { ourEnd: 3, theirEnd: 3 }],
    ['an edited first reply', [u1, a1], [u1, a3, u3], { ourEnd: 1, theirEnd: 1 }],
    ['another conversation', [u1, a1], [u2, a2, u3], { ourEnd: 0, theirEnd: 0 }],
    ['a question that the list lacks', [u1, a1, u2], [u1, a1, u3], { ourEnd: 2, theirEnd: 2 }],
    [
      'an earlier answer that is asked for again',
      [u1, a1, u2, a2, u3],
      [u1, a1, u2],
      { ourEnd: 3, theirEnd: 3 },
    ],
    ['one message in the middle is no place', [u1, a1, u2], [u3, u2, a3, u4], { ourEnd: 0, theirEnd: 0 }],
  ])('%s', (_, ours, theirs, expected) => {
    expect(align(ours, theirs)).toMatchObject({ outcome: 'contradicts', isClear: false, ...expected })
  })

  test('the first message of what was read is not the first of the log', () => {
    expect(align([u1, a1], [u1, a3, u3], { isWholeLog: false })).toMatchObject({ ourEnd: 0, theirEnd: 0 })
  })
})

test('a place is clear only where nothing before it differs, as far as was read', () => {
  expect(align([u1, a1], [u2, a1, u3])).toMatchObject({ outcome: 'continues', isClear: false })
  expect(align([a1], [u1, a1, u3], { isWholeLog: false })).toMatchObject({ isClear: false })
  expect(align([a1], [a1, u3], { isWholeLog: false })).toMatchObject({ isClear: true })
})

test.each([
  ['all different', (place: number) => `message ${place}`],
  ['all the same', () => 'ok'],
])('the longest that are aligned take no time: %s', (_, textOf) => {
  const said = (place: number) => (place % 2 === 0 ? user : reply)(textOf(place))
  const prints = new Prints()
  const ours = Array.from({ length: 4_000 }, (_, place) => ({
    ...prints.of(said(place)),
    isElsewhere: false,
  }))
  const theirs = [...ours.slice(2_000), prints.of(user('new'))]
  const edited = [...ours.slice(2_000, -1), prints.of(reply('edited')), prints.of(user('new'))]
  // The time of this process alone, and the best of several: the machine has other work.
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    const options = { isWholeLog: true }
    expect(alignWhole(ours, { prints: theirs, answered: 2_000 }, options)).toMatchObject({ theirEnd: 2_000 })
    expect(alignWhole(ours, { prints: edited, answered: 2_000 }, options)).toMatchObject({ theirEnd: 1_999 })
    return process.cpuUsage(before).user / 1_000
  })
  expect(Math.min(...times)).toBeLessThan(500)
})
