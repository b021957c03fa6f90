import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Decision } from './decision.ts'
import { isPlanFinal, type PlanInput, planFold } from './plan.ts'
import { compose } from './policy.ts'
import { count, resize, rounds, tokens, window } from './presets.ts'
import type { RawMessage } from './raw-message.ts'
import { decisionOf } from './rules.ts'
import type { Figures, Snapshot } from './snapshot.ts'
import { takeSnapshot } from './tail.ts'

const policies = fc
  .uniqueArray(
    fc.constantFrom(
      count({ threshold: 8, keepLast: 3 }),
      count({ threshold: 8, keepLast: 0, boundary: 'turn' }),
      rounds({ fullContextTurns: 2, cachedContextTurns: 1 }),
      rounds({ fullContextTurns: 1, cachedContextTurns: 1 }),
      rounds({ fullContextTurns: 1, cachedContextTurns: 2, budget: 300 }),
      window({ tailKeepSize: 6, contextSize: 20 }),
      tokens({ budget: 100 }),
      tokens({ budget: 400, boundary: 'turn' }),
      resize({ maxMessagesTextLength: 80 }),
      resize({ maxMessagesTextLength: 0 }),
    ),
    { minLength: 1, maxLength: 2 },
  )
  .map(parts => compose(...parts))

/** Raw messages in turns, some of which open a call that a later one closes, or none. */
const logs = fc
  .array(
    fc.record({
      begins: fc.boolean(),
      characters: fc.nat(30),
      tokens: fc.nat(20),
      opens: fc.nat(5).map(drawn => drawn === 0),
      closes: fc.option(fc.nat(20), { freq: 3 }),
    }),
    { minLength: 2, maxLength: 160, size: 'max' },
  )
  .map(drawn => {
    let turn = 1
    const unanswered: string[] = []
    return drawn.map(({ begins, opens, closes, ...size }, index): RawMessage => {
      if (begins && index > 0) turn += 1
      const closed =
        closes === null || unanswered.length === 0 ? [] : unanswered.splice(closes % unanswered.length, 1)
      const opened = opens ? [`call:${index}`] : []
      unanswered.push(...opened)
      return { seq: index + 1, turn, ...size, links: { opens: opened, closes: closed } }
    })
  })

function sumOf(raw: readonly RawMessage[], field: 'characters' | 'tokens'): number {
  return raw.reduce((total, message) => total + message[field], 0)
}

function snapshotOf(policy: PlanInput['policy'], raw: readonly RawMessage[], fixedTokens: number): Snapshot {
  const begunTurns = raw.at(-1)!.turn
  const figures: Figures = {
    raw: {
      messages: raw.length,
      turns: begunTurns - 1,
      characters: sumOf(raw, 'characters'),
      tokens: sumOf(raw, 'tokens'),
    },
    begunTurns,
    lastTurnMessages: raw.filter(message => message.turn === begunTurns).length,
    messagesSinceDecision: raw.length,
    repliesSinceDecision: 0,
    secondsSinceFold: null,
    idleSeconds: 0,
    backoffSeconds: 0,
    stalled: {},
    fixedTokens,
    overheadTokens: fixedTokens,
  }
  return takeSnapshot(policy, figures, null)
}

const force: Decision = { type: 'deep', reason: 'force', severity: 1000, meta: {} }

test('a plan from the oldest messages is the plan from all of them', () => {
  fc.assert(
    fc.property(
      policies,
      logs,
      fc.record({
        fixedTokens: fc.nat(60),
        mostTokens: fc.constantFrom(1, 40, 200, 100_000),
        mostMessages: fc.constantFrom(1, 10, 100_000),
        page: fc.integer({ min: 1, max: 30 }),
        rule: fc.nat(10),
      }),
      (policy, all, { fixedTokens, mostTokens, mostMessages, page, rule }) => {
        const snapshot = snapshotOf(policy, all, fixedTokens)
        const fired = policy.rules[rule % (policy.rules.length + 1)]
        const decision = fired ? decisionOf(fired, snapshot) : force
        const shared = { policy, decision, snapshot, lastTurnComplete: true, mostTokens, mostMessages }
        const whole = planFold({ ...shared, raw: all })
        for (let read = page; ; read += page) {
          const raw = all.slice(0, read)
          const rest = all.slice(read)
          const unread = {
            messages: rest.length,
            characters: sumOf(rest, 'characters'),
            tokens: sumOf(rest, 'tokens'),
            lastTurn: all.at(-1)!.turn,
            lastTurnMessages: snapshot.lastTurnMessages,
          }
          const input: PlanInput = { ...shared, raw, unread: rest.length === 0 ? undefined : unread }
          const plan = planFold(input)
          if (!isPlanFinal(input, plan)) {
            expect(rest.length).toBeGreaterThan(0)
            continue
          }
          expect(plan).toEqual(whole)
          return
        }
      },
    ),
    { numRuns: 1500 },
  )
})

/** Turns of two messages, ten tokens each. */
const chat = (turns: number): RawMessage[] =>
  Array.from({ length: turns * 2 }, (_, index) => ({
    seq: index + 1,
    turn: Math.floor(index / 2) + 1,
    characters: 40,
    tokens: 10,
    links: { opens: [], closes: [] },
  }))

test('rounds fold B turns at a time, and a multiple of them where they are far behind', () => {
  const policy = rounds()
  const plan = (turns: number, mostTokens: number) => {
    const raw = chat(turns)
    const taken = snapshotOf(policy, raw, 0)
    const snapshot = { ...taken, raw: { ...taken.raw, turns } }
    const decision = decisionOf(policy.rules[0]!, snapshot)
    return planFold({ policy, decision, raw, lastTurnComplete: true, snapshot, mostTokens }).range?.toSeq
  }
  expect(plan(7, 96_000)).toBe(6)
  expect(plan(12, 96_000)).toBe(6)
  expect(plan(60, 96_000)).toBe(6)
  // 1000 turns: 4 stay, 996 are 332 times three.
  expect(plan(1000, 96_000)).toBe(1992)
  expect(plan(1001, 96_000)).toBe(1992)
  // 50 turns fit: 48 of them are whole steps.
  expect(plan(1000, 1000)).toBe(96)
  expect(plan(1000, 10)).toBe(1)
})
