import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Content } from '../../log/index.ts'
import { alignWhole, type Known, repliesToRepeat } from './align.ts'
import { fingerprint, type Said } from './fingerprint.ts'

const user = (content: Content): Known => ({ role: 'user', content, isElsewhere: false })
const reply = (content: Content): Known => ({ role: 'assistant', content, isElsewhere: false })
const elsewhere = (content: Content): Known => ({ role: 'user', content, isElsewhere: true })
const broken = (text: string): Known => reply([{ type: 'text', text, interrupted: 'aborted' }])

const [u1, a1, u2, a2, u3, a3] = [user('1'), reply('2'), user('3'), reply('4'), user('5'), reply('6')]

describe('a whole history', () => {
  test.each<[string, readonly Known[], readonly Said[], object]>([
    ['an empty log takes all', [], [u1, a1, u2], { outcome: 'continues', theirEnd: 0 }],
    ['what follows our end is new', [u1, a1], [u1, a1, u2], { outcome: 'continues', theirEnd: 2 }],
    ['nothing is new', [u1, a1, u2], [u1, a1, u2], { outcome: 'continues', theirEnd: 3 }],
    ['a list without its beginning', [u1, a1, u2, a2], [u2, a2, u3], { outcome: 'continues', theirEnd: 2 }],
    ['a list that begins with the last reply', [u1, a1], [a1, u2], { outcome: 'continues', theirEnd: 1 }],
    [
      'one message in the middle is no run',
      [u1, a1],
      [user('x'), a1, u2],
      { outcome: 'contradicts', run: 0 },
    ],
    ['the answer is asked for again', [u1, a1, u2, a2], [u1, a1, u2], { outcome: 'asks-again', ourEnd: 3 }],
    [
      'a reply that broke off is asked for again',
      [u1, broken('4')],
      [u1],
      { outcome: 'asks-again', ourEnd: 1 },
    ],
    [
      'a reply that broke off may be left out',
      [u1, a1, u2, broken('x')],
      [u1, a1, u2, u3],
      { outcome: 'continues', theirEnd: 3 },
    ],
    [
      'also before what followed it',
      [u1, a1, u2, broken('x'), u3, a3],
      [u1, a1, u2, u3, a3, user('7')],
      { outcome: 'continues', theirEnd: 5 },
    ],
    [
      'or may have been kept',
      [u1, a1, u2, broken('x')],
      [u1, a1, u2, reply('x'), u3],
      { outcome: 'continues', theirEnd: 4 },
    ],
    [
      'what came from elsewhere is left alone',
      [u1, a1, elsewhere('x')],
      [u1, a1, u2],
      { outcome: 'continues', theirEnd: 2 },
    ],
    [
      'also before what followed it',
      [u1, a1, elsewhere('x'), u2, a2],
      [u1, a1, u2, a2, u3],
      { outcome: 'continues', theirEnd: 4 },
    ],
    ['alone it contradicts nothing', [elsewhere('x')], [u1, a1, u2], { outcome: 'continues', theirEnd: 0 }],
    [
      'an edited question',
      [u1, a1, u2, a2],
      [u1, a1, u3],
      { outcome: 'contradicts', ourEnd: 2, theirEnd: 2 },
    ],
    [
      'an edited reply',
      [u1, a1, u2, a2],
      [u1, a1, u2, a3, u3],
      { outcome: 'contradicts', ourEnd: 3, theirEnd: 3 },
    ],
    ['another conversation', [u1, a1], [u2, a2, u3], { outcome: 'contradicts', ourEnd: 0, theirEnd: 0 }],
    [
      'an unanswered question that the list lacks',
      [u1, a1, u2],
      [u1, a1, u3],
      { outcome: 'contradicts', ourEnd: 2 },
    ],
    ['what is said again is new', [u1, a1], [u1, a1, u1, a1, u2], { outcome: 'continues', theirEnd: 2 }],
    [
      'of two equal runs the latest of ours',
      [u1, a1, u3, u1, a1],
      [u1, a1, u2],
      { outcome: 'continues', ourEnd: 5 },
    ],
  ])('%s', (_, ours, theirs, expected) => {
    expect(alignWhole(ours, theirs)).toMatchObject(expected)
  })

  test('spaces, thoughts and the order of results in a message are no difference', () => {
    const results = (...ids: string[]): Known => ({
      role: 'tool',
      content: ids.map(toolCallId => ({ type: 'tool-result', toolCallId, output: 'x' })),
      isElsewhere: false,
    })
    const thought = reply([
      { type: 'reasoning', text: 'hm' },
      { type: 'text', text: 'Yes,\n it is.' },
    ])
    const ours = [u1, results('a', 'b'), thought, reply([{ type: 'reasoning', text: 'alone' }])]
    const theirs = [u1, results('b', 'a'), reply(' Yes, it is. '), u2]
    expect(alignWhole(ours, theirs)).toMatchObject({ outcome: 'continues', theirEnd: 3 })
  })

  test('another picture is another question', () => {
    const shown = (image: string) =>
      user([
        { type: 'text', text: 'What is it?' },
        { type: 'image', image },
      ])
    const long = (end: string) => `data:image/png;base64,${'A'.repeat(2_000)}${end}`
    expect(fingerprint(shown('https://a.org/1.png'))).not.toBe(fingerprint(shown('https://a.org/2.png')))
    expect(fingerprint(shown(long('B')))).not.toBe(fingerprint(shown(long('C'))))
    expect(fingerprint(shown(long('B')))).toBe(fingerprint(shown(long('B'))))
  })
})

describe('a list that is all new', () => {
  test.each<[string, readonly Known[], readonly Said[], boolean, number | null]>([
    ['is new', [u1, a1], [u2], false, null],
    ['is new in an empty log', [], [u1], false, null],
    ['is not, where it stands there unanswered', [u1, a1, u2], [u2], false, 0],
    ['is not, where its answer broke off', [u1, broken('x')], [u1], false, 1],
    ['is, where it was answered', [u1, a1], [u1], false, null],
    ['is not, where it was answered and the client tries again', [u1, a1], [u1], true, 1],
    ['is, where something else was answered', [u1, a1], [u2], true, null],
    ['is, where only a part of it stands there', [u1], [u1, u2], false, null],
    ['is not, where all of it stands there', [a1, u1, u2], [u1, u2], false, 0],
  ])('%s', (_, ours, theirs, isRetry, expected) => {
    expect(repliesToRepeat(ours, theirs, { isRetry })).toBe(expected)
  })
})

/** Few words, so that much is said twice. */
const words = fc.constantFrom('ok', 'yes', 'no', 'why', 'go on')

const step = fc.oneof(
  fc.record({ type: fc.constant('turn' as const), question: words, answer: words }),
  fc.record({ type: fc.constant('lost' as const), question: words, answer: words }),
  fc.record({ type: fc.constant('failed' as const), question: words }),
  fc.record({ type: fc.constant('broken' as const), question: words }),
  fc.record({ type: fc.constant('elsewhere' as const) }),
)

test('a client that always sends its whole history never loses a message and never doubles one', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), steps => {
      let log: readonly Known[] = []
      const unseen: Known[] = []
      const mine: Said[] = []
      const send = () => {
        const { outcome, ourEnd, theirEnd } = alignWhole(log, mine)
        expect(outcome).not.toBe('contradicts')
        if (outcome === 'asks-again') {
          for (const message of log.slice(ourEnd)) unseen.splice(unseen.indexOf(message), 1)
          log = log.slice(0, ourEnd)
        } else log = [...log, ...mine.slice(theirEnd).map(message => ({ ...message, isElsewhere: false }))]
      }
      for (const [place, each] of steps.entries()) {
        if (each.type === 'elsewhere') {
          const message = elsewhere(`from elsewhere ${place}`)
          unseen.push(message)
          log = [...log, message]
          continue
        }
        mine.push(user(each.question))
        send()
        if (each.type === 'broken') {
          const message = broken(`broke off ${place}`)
          unseen.push(message)
          log = [...log, message]
        }
        if (each.type === 'lost') {
          const message = reply(each.answer)
          unseen.push(message)
          log = [...log, message]
          send()
        }
        if (each.type === 'turn' || each.type === 'lost') {
          log = [...log, reply(each.answer)]
          mine.push(reply(each.answer))
        }
      }
      expect(log.filter(message => !unseen.includes(message)).map(fingerprint)).toEqual(mine.map(fingerprint))
    }),
    { numRuns: 2_000 },
  )
})

test('a history without its older part is aligned as the whole one is', () => {
  const scenario = fc.record({
    turns: fc.integer({ min: 1, max: 20 }),
    kept: fc.integer({ min: 1, max: 40 }),
  })
  fc.assert(
    fc.property(scenario, ({ turns, kept }) => {
      const log = Array.from({ length: turns * 2 }, (_, place) =>
        place % 2 === 0 ? user(`question ${place}`) : reply(`answer ${place}`),
      )
      const theirs = [...log.slice(-kept), user('new')]
      expect(alignWhole(log, theirs)).toMatchObject({ outcome: 'continues', theirEnd: theirs.length - 1 })
    }),
  )
})

test('the run is the longest that there is', () => {
  const texts = fc.array(fc.constantFrom('a', 'b', 'c'), { maxLength: 12 })
  fc.assert(
    fc.property(texts, texts, (ours, theirs) => {
      let longest = 0
      for (let from = 0; from < theirs.length; from++)
        for (let length = 1; from + length <= theirs.length; length++) {
          const isThere = ours.some((_, at) =>
            theirs.slice(from, from + length).every((text, place) => ours[at + place] === text),
          )
          if (isThere && (length > 1 || from === 0)) longest = Math.max(longest, length)
        }
      const { run, ourEnd, theirEnd } = alignWhole(ours.map(user), theirs.map(user))
      expect(run).toBe(longest)
      expect(ours.slice(ourEnd - run, ourEnd)).toEqual(theirs.slice(theirEnd - run, theirEnd))
    }),
    { numRuns: 1_000 },
  )
})

test.each([
  ['all different', (place: number) => `message ${place}`],
  ['all the same', () => 'ok'],
])('the longest that are aligned take no time: %s', (_, textOf) => {
  const ours = Array.from({ length: 4_000 }, (_, place) => user(textOf(place)))
  const theirs = Array.from({ length: 2_000 }, (_, place) => user(textOf(place + 2_000)))
  // The time of this process alone, and the best of several: the machine has other work.
  const times = Array.from({ length: 5 }, () => {
    const before = process.cpuUsage()
    expect(alignWhole(ours, theirs)).toMatchObject({ outcome: 'continues', run: 2_000 })
    return process.cpuUsage(before).user / 1_000
  })
  expect(Math.min(...times)).toBeLessThan(150)
})

test('of a list that is longer than that, the end is aligned', () => {
  const log = Array.from({ length: 3_000 }, (_, place) => user(`message ${place}`))
  expect(alignWhole(log, [...log, user('new')])).toMatchObject({ run: 1_999, theirEnd: 3_000 })
})
