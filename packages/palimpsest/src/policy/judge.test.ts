import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { InvalidDecisionError } from '../errors.ts'
import { BUILT_IN_TYPES } from './decision.ts'
import { compose, custom, forcedDecision, judge, judgeAll, secondsUntilDue } from './policy.ts'
import { count, resize, rounds, tokens, window } from './presets.ts'
import type { Snapshot } from './snapshot.ts'

function snapshot(changes: Partial<Snapshot> = {}): Snapshot {
  return {
    raw: { messages: 0, turns: 0, characters: 0, tokens: 0 },
    lastTurnMessages: 1,
    begunTurns: 1,
    hasBacklog: false,
    backlogMessages: 0,
    messagesSinceDecision: 0,
    repliesSinceDecision: 0,
    secondsSinceFold: null,
    idleSeconds: 0,
    backoffSeconds: 0,
    stalled: {},
    fixedTokens: 0,
    overheadTokens: 0,
    ...changes,
  }
}

const full = snapshot({
  raw: { messages: 100, turns: 50, characters: 50_000, tokens: 20_000 },
  begunTurns: 50,
  hasBacklog: true,
  backlogMessages: 60,
  messagesSinceDecision: 100,
  repliesSinceDecision: 50,
  secondsSinceFold: 10_000,
  idleSeconds: 10_000,
})

describe('judging', () => {
  test('the highest severity wins, and among equals the first in the table', () => {
    const all = compose(window(), rounds(), count(), resize({ maxKeepMessagesCount: 5 }), tokens())
    expect(all.rules.map(rule => rule.reason)).toEqual([
      'max_tokens',
      'max_messages_text_length',
      'hard_limit',
      'max_keep_messages_count',
      'count',
      'rounds',
      'window',
      'every_n_turns',
      'cooldown',
      'idle',
    ])
    expect(judge(all, full)).toMatchObject({ type: 'deep', reason: 'max_tokens', severity: 100 })
    expect(judge(compose(window(), rounds()), full)).toMatchObject({ reason: 'hard_limit', severity: 80 })
    expect(
      judge(compose(count(), resize({ maxKeepMessagesCount: 5, maxMessagesTextLength: 0 })), full),
    ).toMatchObject({
      reason: 'max_keep_messages_count',
    })
    expect(judge(all, snapshot())).toBeNull()
  })

  test('the decision says which figure met which limit', () => {
    expect(judge(count(), full)?.meta).toEqual({ rule: 'count', figure: 100, limit: 20 })
  })

  test('a budget counts the fixed parts in', () => {
    const raw = { messages: 3, turns: 1, characters: 100, tokens: 100 }
    // A sixteenth before it is reached: the fold takes its time.
    expect(judge(tokens({ budget: 1600 }), snapshot({ raw, fixedTokens: 1399 }))).toBeNull()
    expect(judge(tokens({ budget: 1600 }), snapshot({ raw, fixedTokens: 1400 }))).toMatchObject({
      reason: 'max_tokens',
    })
  })

  test('in a back-off only the hard limit fires, without a model', async () => {
    const failing = { ...full, backoffSeconds: 30 }
    expect(judge(window(), failing)).toMatchObject({ reason: 'hard_limit', meta: { extractive: true } })
    expect(judge(compose(rounds(), count()), failing)).toBeNull()
    expect(
      await judgeAll(
        custom(() => 'deep'),
        failing,
        BUILT_IN_TYPES,
      ),
    ).toBeNull()
    expect(forcedDecision(true, BUILT_IN_TYPES)).toMatchObject({
      type: 'deep',
      reason: 'force',
      severity: 1000,
    })
    expect(forcedDecision('lite', BUILT_IN_TYPES)).toMatchObject({
      type: 'lite',
      reason: 'force',
      severity: 1000,
    })
    expect(() => forcedDecision('huge', BUILT_IN_TYPES)).toThrow('a type that has a handler: lite, deep')
  })

  test('rules about time say when they are due', () => {
    const { hasBacklog, backlogMessages, raw } = full
    const busy = snapshot({
      hasBacklog,
      backlogMessages,
      messagesSinceDecision: 1,
      raw,
      secondsSinceFold: 100,
      idleSeconds: 20,
    })
    expect(secondsUntilDue(window(), busy)).toBe(800)
    expect(secondsUntilDue(tokens(), busy)).toBe(280)
    expect(secondsUntilDue(compose(window(), tokens()), busy)).toBe(280)
    expect(secondsUntilDue(tokens(), { ...busy, backoffSeconds: 1000 })).toBe(1000)
    expect(
      secondsUntilDue(window({ compressionWindowSize: 100, compressionHardLimit: 100 }), {
        ...busy,
        secondsSinceFold: null,
      }),
    ).toBeNull()
    expect(secondsUntilDue(count(), { ...full, backoffSeconds: 30 })).toBe(30)
    expect(secondsUntilDue(count(), { ...snapshot(), backoffSeconds: 30 })).toBeNull()
    expect(secondsUntilDue(tokens(), { ...busy, raw: { ...raw, tokens: 3_000 } })).toBeNull()
    const composed = compose(window(), tokens())
    expect(secondsUntilDue(composed, { ...busy, secondsSinceFold: null, hasBacklog: false })).toBeNull()
    expect(secondsUntilDue(count(), busy)).toBeNull()
  })

  test('without new content a rule about time is not tried again', () => {
    const stalled = { ...full, messagesSinceDecision: 0 }
    expect(
      judge(compose(window({ compressionWindowSize: 1000, compressionHardLimit: 1000 })), stalled),
    ).toBeNull()
    expect(secondsUntilDue(tokens(), stalled)).toBeNull()
  })
})

describe("a caller's own policy", () => {
  test.each([
    [null, null],
    [undefined, null],
    ['deep', { type: 'deep', reason: 'custom', severity: 0, meta: {} }],
    [{ type: 'lite' }, { type: 'lite', reason: 'custom', severity: 0, meta: {} }],
    [
      { type: 'lite', reason: 'mine', severity: 7, meta: { a: 1 } },
      { type: 'lite', reason: 'mine', severity: 7, meta: { a: 1 } },
    ],
  ])('may return %j, at once or later', async (returned, decision) => {
    expect(
      await judgeAll(
        custom(() => returned),
        full,
        BUILT_IN_TYPES,
      ),
    ).toEqual(decision)
    expect(
      await judgeAll(
        custom(async () => returned),
        full,
        BUILT_IN_TYPES,
      ),
    ).toEqual(decision)
  })

  test.each([
    [true],
    [1],
    ['huge'],
    [{}],
    [{ type: 5 }],
    [[]],
    [{ type: 'lite', severity: Number.NaN }],
    [() => 'lite'],
  ])('may not return %s', async returned => {
    const judged = judgeAll(
      custom(() => returned),
      full,
      BUILT_IN_TYPES,
    )
    await expect(judged).rejects.toBeInstanceOf(InvalidDecisionError)
  })

  test('competes with the rules by severity', async () => {
    const own = (severity: number) =>
      compose(
        count(),
        custom(() => ({ type: 'deep', severity })),
      )
    expect(await judgeAll(own(50), full, BUILT_IN_TYPES)).toMatchObject({ reason: 'count' })
    expect(await judgeAll(own(51), full, BUILT_IN_TYPES)).toMatchObject({ reason: 'custom' })
  })
})

test('judging is a pure function of the snapshot', () => {
  const number = fc.nat({ max: 100_000 })
  const snapshots = fc.record({
    raw: fc.record({ messages: number, turns: number, characters: number, tokens: number }),
    lastTurnMessages: number,
    begunTurns: number,
    hasBacklog: fc.boolean(),
    backlogMessages: number,
    messagesSinceDecision: number,
    repliesSinceDecision: number,
    secondsSinceFold: fc.option(number),
    idleSeconds: number,
    backoffSeconds: fc.constantFrom(0, 10),
    stalled: fc.dictionary(
      fc.constantFrom('count', 'max_tokens', 'rounds', 'idle'),
      fc.record({ messages: number, characters: number, tokens: number }),
    ),
    fixedTokens: number,
    overheadTokens: number,
  })
  fc.assert(
    fc.property(snapshots, taken => {
      const policy = compose(resize(), count(), rounds(), window(), tokens())
      const frozen = structuredClone(taken)
      const decision = judge(policy, taken)
      expect(judge(policy, taken)).toEqual(decision)
      expect(taken).toEqual(frozen)
      // Whatever fires has the highest severity of all that fire on their own.
      const alone = policy.rules.filter(rule => judge({ ...policy, rules: [rule] }, taken) !== null)
      expect(decision?.severity ?? 0).toBe(Math.max(0, ...alone.map(rule => rule.severity)))
    }),
  )
})
