import fc from 'fast-check'
import { expect, test } from 'vitest'
import { compose } from './policy.ts'
import { count, resize, rounds, tokens, window } from './presets.ts'
import type { RawMessage } from './raw-message.ts'
import type { Figures } from './snapshot.ts'
import { asksForTail, countLargestTail, takeSnapshot } from './tail.ts'

const policies = fc
  .uniqueArray(
    fc.constantFrom(
      count({ threshold: 8, keepLast: 3 }),
      count({ threshold: 8, keepLast: 0 }),
      rounds({ fullContextTurns: 2, cachedContextTurns: 1 }),
      window({ tailKeepSize: 6, contextSize: 20 }),
      tokens({ budget: 100 }),
      resize({ maxMessagesTextLength: 80 }),
      resize({ maxMessagesTextLength: 80, maxKeepMessagesCount: 4 }),
      resize({ maxMessagesTextLength: 0 }),
    ),
    { minLength: 1, maxLength: 3 },
  )
  .map(parts => compose(...parts))

/** Raw messages in turns, the first of which may have begun below the cursor. */
const logs = fc
  .array(fc.record({ begins: fc.boolean(), characters: fc.nat(30), tokens: fc.nat(20) }), {
    minLength: 1,
    maxLength: 30,
  })
  .map(drawn => {
    let turn = 1
    return drawn.map(({ begins, characters, tokens }, index): RawMessage => {
      if (begins && index > 0) turn += 1
      return { seq: index + 1, turn, characters, tokens, links: { opens: [], closes: [] } }
    })
  })

test('the backlog from figures is the backlog counted message by message', () => {
  fc.assert(
    fc.property(policies, logs, fc.nat(60), fc.boolean(), (policy, raw, fixedTokens, complete) => {
      const sum = (field: 'characters' | 'tokens') =>
        raw.reduce((total, message) => total + message[field], 0)
      const begunTurns = raw.at(-1)!.turn
      const figures: Figures = {
        raw: {
          messages: raw.length,
          turns: complete ? begunTurns : begunTurns - 1,
          characters: sum('characters'),
          tokens: sum('tokens'),
        },
        begunTurns,
        lastTurnMessages: raw.filter(message => message.turn === begunTurns).length,
        messagesSinceDecision: 0,
        repliesSinceDecision: 0,
        secondsSinceFold: null,
        idleSeconds: 0,
        backoffSeconds: 0,
        stalled: {},
        fixedTokens,
        overheadTokens: fixedTokens,
      }
      const counted = raw.length - countLargestTail(policy.tails, raw.toReversed(), fixedTokens)
      const tail = asksForTail(policy, figures) ? raw.length - counted : null
      const snapshot = takeSnapshot(policy, figures, tail)
      expect(snapshot.hasBacklog).toBe(counted > 0)
      expect(snapshot.backlogMessages).toBeOneOf([counted, null])
      if (policy.rules.some(rule => rule.countsBacklog)) expect(snapshot.backlogMessages).toBe(counted)
    }),
    { numRuns: 3000 },
  )
})
