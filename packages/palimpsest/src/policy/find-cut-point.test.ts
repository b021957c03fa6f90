import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { findCutPoint } from './find-cut-point.ts'
import { planFold } from './plan.ts'
import { count, rounds, tokens } from './presets.ts'
import type { RawMessage } from './raw-message.ts'

/** `'u a+1 t-1 a | u a'`: a message each, `+` opens a call, `-` answers it, `|` begins a turn. */
function log(text: string): RawMessage[] {
  const messages: RawMessage[] = []
  let turn = 1
  for (const word of text.split(' ')) {
    if (word === '|') {
      turn += 1
      continue
    }
    const ids = (sign: RegExp) => [...word.matchAll(sign)].map(match => match[1]!)
    messages.push({
      seq: messages.length + 1,
      turn,
      characters: 10,
      tokens: 5,
      links: { opens: ids(/\+(\d+)/g), closes: ids(/-(\d+)/g) },
    })
  }
  return messages
}

describe('the cut', () => {
  test.each([
    ['u a | u a', 2, 'message', 2],
    ['u a | u a', 3, 'message', 3],
    ['u a | u a', 3, 'turn', 2],
    ['u a+1 t-1 a | u a', 2, 'message', 1],
    ['u a+1 t-1 a | u a', 3, 'message', 3],
    ['u a+1+2 t-1 t-2 a | u a', 3, 'message', 1],
    // Nothing left when going back: forward, behind the group.
    ['a+1 t-1 a | u a', 1, 'message', 2],
    ['a+1 t-1 a | u a', 1, 'turn', 3],
    // A late result holds everything in between together.
    ['u a+1 u a t-1 u', 4, 'message', 1],
    // An approval and its answer.
    ['u a+9 u-9 a | u', 2, 'message', 1],
    // Still open in the last turn: it may yet be answered.
    ['u a | u a+1 a', 4, 'message', 3],
    // Left behind by a later turn: no longer waited for.
    ['u a+1 | u a', 2, 'message', 2],
    // A result whose call is not here ties nothing.
    ['t-7 a | u', 1, 'message', 1],
    // The newest always stays raw.
    ['u', 1, 'message', 0],
    ['u a', 5, 'message', 1],
    // A call's number that is used again is another call.
    ['u a+0 t-0 a | u a+0 a', 5, 'message', 5],
    ['u a', 0, 'message', 0],
    // One group from end to end, with the newest in it.
    ['a+1 u t-1', 2, 'message', 0],
  ] as const)('%s wanted %i by %s → %i', (text, wanted, boundary, expected) => {
    expect(findCutPoint(log(text), wanted, boundary)).toBe(expected)
  })

  test('never separates what belongs together', () => {
    const words = fc.array(
      fc.tuple(
        fc.constantFrom('u', 'a', 't'),
        fc.array(fc.tuple(fc.constantFrom('+', '-'), fc.nat(4)), { maxLength: 2 }),
      ),
      { minLength: 1, maxLength: 40 },
    )
    fc.assert(
      fc.property(
        words,
        fc.nat(45),
        fc.constantFrom('message' as const, 'turn' as const),
        (drawn, wanted, boundary) => {
          const text = drawn
            .map(([role, links]) => `${role === 'u' ? '| u' : role}${links.flat().join('')}`)
            .join(' ')
          const messages = log(text)
          const cut = findCutPoint(messages, wanted, boundary)
          expect(cut).toBeGreaterThanOrEqual(0)
          expect(cut).toBeLessThan(messages.length)
          if (cut === 0) return
          if (boundary === 'turn') expect(messages[cut - 1]!.turn).not.toBe(messages[cut]!.turn)
          for (const [index, message] of messages.slice(cut).entries())
            for (const id of message.links.closes) {
              const answered = cut + index
              const call = messages.findLastIndex(
                ({ links }, place) => place < answered && links.opens.includes(id),
              )
              if (call !== -1 && !messages[call]!.links.closes.includes(id))
                expect(call).toBeGreaterThanOrEqual(cut)
            }
        },
      ),
      { numRuns: 2000 },
    )
  })
})

describe('the plan', () => {
  const decision = (reason: string) => ({ type: 'lite', reason, severity: 1, meta: {} })

  test('folds exactly the oldest turns, and says which turn it reaches', () => {
    const raw = log('u a | u a a | u | u a | u')
    const plan = planFold({
      policy: rounds({ fullContextTurns: 2, cachedContextTurns: 2 }),
      decision: decision('rounds'),
      raw,
      lastTurnComplete: false,
      snapshot: { fixedTokens: 0, hasBacklog: true },
    })
    expect(plan.range).toEqual({
      fromSeq: 1,
      toSeq: 5,
      amount: { messages: 5, characters: 50, tokens: 25 },
      throughTurn: 2,
    })
  })

  test('a cut inside a turn leaves that turn unfinished', () => {
    const raw = log('u a | u a | u a')
    const plan = planFold({
      policy: count({ threshold: 3, keepLast: 3 }),
      decision: decision('count'),
      raw,
      lastTurnComplete: true,
      snapshot: { fixedTokens: 0, hasBacklog: true },
    })
    expect(plan.range).toMatchObject({ toSeq: 3, throughTurn: 1 })
  })

  test('a turn larger than the whole budget is cut too', () => {
    const raw = log(`u ${Array.from({ length: 20 }, (_, index) => `a+${index} t-${index}`).join(' ')}`)
    const policy = tokens({ budget: 100 })
    const plan = planFold({
      policy,
      decision: decision('max_tokens'),
      raw,
      lastTurnComplete: false,
      snapshot: { fixedTokens: 0, hasBacklog: true },
    })
    expect(plan.range!.toSeq).toBeGreaterThan(20)
    expect((plan.range!.toSeq - 1) % 2).toBe(0)
  })

  test('where all lies in the tail nothing moves', () => {
    const plan = planFold({
      policy: count(),
      decision: decision('force'),
      raw: log('u a'),
      lastTurnComplete: true,
      snapshot: { fixedTokens: 0, hasBacklog: false },
    })
    expect(plan.range).toBeNull()
  })
})
