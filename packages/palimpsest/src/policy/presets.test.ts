import { replay } from '@palimpsest/replay'
import { describe, expect, test } from 'vitest'
import { InvalidSettingsError } from '../errors.ts'
import type { MessageInput } from '../log/index.ts'
import { compose, type Policy } from './policy.ts'
import { count, PRESET_NAMES, presetFromSettings, resize, rounds, tokens, window } from './presets.ts'

const START = Date.UTC(2026, 0, 15, 8)

/** Users and assistants in turn, a second apart. */
function conversation(length: number, text = (index: number) => `message ${index}`): MessageInput[] {
  return Array.from({ length }, (_, index) => ({
    role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
    content: text(index + 1),
    at: START + index * 1000,
  }))
}

async function folds(policy: Policy, messages: readonly MessageInput[]) {
  const result = await replay(messages, { policy })
  return result.folds.map(({ at, fromSeq, toSeq, type, reason, severity }) => [
    at,
    fromSeq,
    toSeq,
    type,
    reason,
    severity,
  ])
}

describe('the table of presets', () => {
  test('count: at 21 messages folds 1–11, at 32 folds 12–22', async () => {
    expect(await folds(count(), conversation(42))).toEqual([
      [21, 1, 11, 'lite', 'count', 50],
      [32, 12, 22, 'lite', 'count', 50],
    ])
  })

  test('rounds: folds turns 1–3 when turn 7 completes, 4–6 at 10, 7–9 at 13', async () => {
    expect(await folds(rounds(), conversation(27))).toEqual([
      [14, 1, 6, 'lite', 'rounds', 40],
      [20, 7, 12, 'lite', 'rounds', 40],
      [26, 13, 18, 'lite', 'rounds', 40],
    ])
    expect(await folds(rounds(), conversation(13))).toEqual([])
  })

  test('rounds: a turn may be any number of messages', async () => {
    const turn: MessageInput[] = [
      { role: 'user', content: 'a' },
      { role: 'user', content: 'b' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: '1', toolName: 'look' }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: '1', output: 'x' }] },
      { role: 'assistant', content: 'c' },
    ]
    expect(await folds(rounds(), Array.from({ length: 7 }, () => turn).flat())).toEqual([
      [35, 1, 15, 'lite', 'rounds', 40],
    ])
  })

  test('window: fires at 52, 64, 76 messages, folding 1–12, 13–24, 25–36', async () => {
    expect(await folds(window(), conversation(76))).toEqual([
      [52, 1, 12, 'lite', 'window', 30],
      [64, 13, 24, 'lite', 'window', 30],
      [76, 25, 36, 'lite', 'window', 30],
    ])
  })

  test('window: after the cooldown a smaller backlog is folded too, on arrival or by the timer', async () => {
    const messages = conversation(58)
    const late = START + 51_000 + 901_000
    const onArrival = [...messages.slice(0, 52), { role: 'user' as const, content: 'late', at: late }]
    expect(await folds(window(), onArrival)).toEqual([
      [52, 1, 12, 'lite', 'window', 30],
      [53, 13, 13, 'lite', 'cooldown', 5],
    ])
    const byTimer = [...messages, { role: 'user' as const, content: 'late', at: late }]
    expect(await folds(window(), byTimer)).toEqual([
      [52, 1, 12, 'lite', 'window', 30],
      [58, 13, 18, 'lite', 'cooldown', 5],
    ])
  })

  test('window: with no earlier fold the cooldown is not running', async () => {
    const sparse = conversation(51).map((message, index) => ({ ...message, at: START + index * 86_400_000 }))
    expect(await folds(window(), sparse)).toEqual([])
  })

  test('resize: length, then count, then turns', async () => {
    const both: MessageInput[] = [
      { role: 'user', content: 'twenty characters ok' },
      { role: 'assistant', content: 'a reply' },
    ]
    expect(await folds(resize({ maxMessagesTextLength: 10 }), both)).toEqual([
      [1, null, null, 'deep', 'max_messages_text_length', 100],
      [2, 1, 1, 'deep', 'max_messages_text_length', 100],
    ])
    const three = conversation(3)
    expect(await folds(resize({ maxMessagesTextLength: 1e6, maxKeepMessagesCount: 2 }), three)).toEqual([
      [3, 1, 1, 'lite', 'max_keep_messages_count', 50],
    ])
    expect(await folds(resize({ everyNTurns: 1 }), conversation(2))).toEqual([
      [1, null, null, 'lite', 'every_n_turns', 10],
      [2, null, null, 'lite', 'every_n_turns', 10],
    ])
    expect(await folds(resize({ everyNTurns: 1, turnUnit: 'reply' }), conversation(2))).toEqual([
      [2, null, null, 'lite', 'every_n_turns', 10],
    ])
    // Where several fire at once, the first of them decides.
    const all = { maxMessagesTextLength: 10, maxKeepMessagesCount: 1, everyNTurns: 1 }
    const reasons = async (settings: typeof all) =>
      (await folds(resize(settings), conversation(2))).map(([, , , , reason]) => reason).at(-1)
    expect(await reasons(all)).toBe('max_messages_text_length')
    expect(await reasons({ ...all, maxMessagesTextLength: 1e6 })).toBe('max_keep_messages_count')
    expect(await reasons({ ...all, maxMessagesTextLength: 1e6, maxKeepMessagesCount: 9 })).toBe(
      'every_n_turns',
    )
    const off = { everyNTurns: 0, maxMessagesTextLength: -1, maxKeepMessagesCount: null }
    expect(await folds(resize(off), conversation(100))).toEqual([])
  })

  test('resize: a length rule that moved nothing fires again only after a quarter more', async () => {
    const policy = resize({ maxMessagesTextLength: 100, everyNTurns: 0 })
    const one = { role: 'user' as const, content: 'x'.repeat(120) }
    const short = { role: 'assistant' as const, content: 'y'.repeat(29) }
    expect(await folds(policy, [one, short])).toEqual([
      [1, null, null, 'deep', 'max_messages_text_length', 100],
    ])
    expect(await folds(policy, [one, short, { role: 'user', content: 'z' }])).toEqual([
      [1, null, null, 'deep', 'max_messages_text_length', 100],
      [3, 1, 1, 'deep', 'max_messages_text_length', 100],
    ])
  })

  test('resize: keeps what fits into half the length', async () => {
    const policy = resize({ maxMessagesTextLength: 100, everyNTurns: 0 })
    expect(
      await folds(
        policy,
        conversation(10, () => 'ten chars.'),
      ),
    ).toEqual([[10, 1, 5, 'deep', 'max_messages_text_length', 100]])
  })

  test('tokens: never over its budget, and folds in silence once the cache is dead', async () => {
    const policy = tokens({ budget: 1000, idleSec: 300 })
    const text = 'one two three four five six seven eight nine ten'
    const result = await replay(
      conversation(400, () => text),
      { policy },
    )
    expect(result.tokens.peakContext).toBeLessThan(1000)
    expect(result.folds.every(fold => fold.reason === 'max_tokens')).toBe(true)
    const later = [
      ...conversation(60, () => text),
      { role: 'user' as const, content: 'hi', at: START + 86_400_000 },
    ]
    expect((await replay(later, { policy })).folds.at(-1)).toMatchObject({
      at: 60,
      reason: 'idle',
      severity: 5,
    })
  })

  test('tokens: a turn that never ends is folded before it is over the budget, and keeps what was said last', async () => {
    const loop = Array.from({ length: 600 }, (_, index) => {
      const call = { toolCallId: `call-${index}`, toolName: 'look' }
      return [
        { role: 'assistant' as const, content: [{ type: 'tool-call' as const, ...call, input: {} }] },
        {
          role: 'tool' as const,
          content: [{ type: 'tool-result' as const, ...call, output: 'one two three '.repeat(20) }],
        },
      ]
    }).flat()
    const run = await replay([{ role: 'user', content: 'Go.' }, ...loop], { policy: tokens() })
    expect(run.folds.length).toBeGreaterThan(2)
    expect(run.folds.every(({ fromSeq }) => fromSeq !== null)).toBe(true)
    expect(run.breaks.filter(({ cause }) => cause === 'cut')).toEqual([])
    // Between two folds there is at least what the first one left.
    const left = run.folds.slice(1).map((fold, index) => fold.at - run.folds[index]!.at)
    expect(Math.min(...left)).toBeGreaterThan(50)
    for (const { at, toSeq } of run.folds) expect(at - toSeq!).toBeGreaterThan(20)
  })

  test.each([1_000, 8_000, 11_200, 12_000, 12_800])(
    'tokens: with %i tokens of instructions a fold is not due again at once',
    async overheadTokens => {
      const talk = conversation(600, () => 'one two three four five '.repeat(12))
      const { folds } = await replay(talk, { policy: tokens({ idleSec: 0 }), overheadTokens })
      expect(folds.length).toBeLessThan(80)
      expect(folds.every(({ fromSeq }) => fromSeq !== null)).toBe(true)
    },
  )

  test('tokens: in silence it folds only what is worth it, composed or not', async () => {
    const talk = conversation(800, () => 'one two three four five '.repeat(12)).map((message, index) => ({
      ...message,
      at: START + index * 3_600_000,
    }))
    const idle = async (policy: Policy) =>
      (await replay(talk, { policy })).folds.filter(({ reason }) => reason === 'idle').length
    expect(await idle(tokens())).toBeLessThan(40)
    expect(await idle(compose(tokens(), count({ threshold: 200, keepLast: 100 })))).toBeLessThan(40)
  })

  test('a rule that moved nothing holds back no other', async () => {
    const policy = resize({ everyNTurns: 8, maxKeepMessagesCount: 8, maxMessagesTextLength: 0 })
    expect(await folds(policy, conversation(9))).toEqual([
      [8, null, null, 'lite', 'every_n_turns', 10],
      [9, 1, 1, 'lite', 'max_keep_messages_count', 50],
    ])
  })

  test('a composed policy leaves the largest tail, whichever rule fires', async () => {
    const policy = compose(
      rounds({ fullContextTurns: 10, cachedContextTurns: 10 }),
      rounds({ fullContextTurns: 1, cachedContextTurns: 1 }),
    )
    const moved = (await folds(policy, conversation(44))).filter(([, fromSeq]) => fromSeq !== null)
    for (const [at, , toSeq] of moved) expect((at as number) - (toSeq as number)).toBeGreaterThanOrEqual(19)
    expect(moved.length).toBeGreaterThan(0)
  })

  test('where the overhead alone is over the budget, nothing fires for ever; where the segments are, it does', () => {
    const raw = { messages: 3, turns: 1, characters: 9, tokens: 9 }
    const rule = tokens({ budget: 100 }).rules.find(({ reason }) => reason === 'max_tokens')!
    expect(rule.fires({ raw, fixedTokens: 120, overheadTokens: 95, stalled: {} } as never)).toBe(true)
    expect(rule.fires({ raw, fixedTokens: 120, overheadTokens: 100, stalled: {} } as never)).toBe(false)
  })

  test('other parameters follow the same arithmetic', async () => {
    for (const [a, b] of [
      [1, 1],
      [2, 5],
      [6, 2],
    ] as const) {
      const policy = rounds({ fullContextTurns: a, cachedContextTurns: b })
      const expected = [1, 2, 3].map(n => [
        2 * (a + n * b),
        2 * (n - 1) * b + 1,
        2 * n * b,
        'lite',
        'rounds',
        40,
      ])
      expect(await folds(policy, conversation(2 * (a + 3 * b)))).toEqual(expected)
    }
    expect(await folds(count({ threshold: 5, keepLast: 2 }), conversation(10))).toEqual([
      [6, 1, 4, 'lite', 'count', 50],
      [10, 5, 8, 'lite', 'count', 50],
    ])
  })
})

describe('settings', () => {
  test('older names work, and the new name wins', async () => {
    const old = presetFromSettings('resize', {
      'session.resize.every_n_turns': 0,
      max_current_chars: 100,
      keep_last_messages: '3',
    })
    expect(old.rules.map(rule => [rule.name, rule.limit])).toEqual([
      ['maxMessagesTextLength', 100],
      ['maxKeepMessagesCount', 3],
    ])
    const both = presetFromSettings('resize', { max_current_chars: 100, maxMessagesTextLength: 7 })
    expect(both.rules[0]?.limit).toBe(7)
    const older = presetFromSettings('resize', {
      max_current_chars: 100,
      'session.resize.max_messages_text_length': 8,
    })
    expect(older.rules[0]?.limit).toBe(8)
  })

  test.each([
    [
      'rounds',
      { fullContextTurns: 0 },
      'fullContextTurns: 0 cannot be taken; allowed: a whole number of at least 1',
    ],
    ['rounds', { cachedContextTurns: 1.5 }, 'cachedContextTurns'],
    ['rounds', { threshold: 3 }, 'threshold is no setting here; allowed: the settings boundary, budget'],
    ['count', { threshold: 'many' }, 'threshold: "many" cannot be taken'],
    ['count', { threshold: 5, keepLast: 6 }, 'keepLast: 6 cannot be taken; allowed: at most threshold (5)'],
    ['window', { tailKeepSize: 75 }, 'tailKeepSize: 75 cannot be taken; allowed: less than contextSize (75)'],
    ['tokens', { lowWater: 1 }, 'lowWater: 1 cannot be taken; allowed: a number above 0 below 1'],
    ['tokens', { budget: Number.NaN }, 'budget'],
    ['resize', { turnUnit: 'word' }, 'turnUnit: "word" cannot be taken; allowed: message, reply'],
    ['resize', { boundary: '' }, 'boundary'],
  ] as const)('%s %j is named', (name, settings, message) => {
    expect(() => presetFromSettings(name, settings)).toThrow(InvalidSettingsError)
    expect(() => presetFromSettings(name, settings)).toThrow(message)
  })

  test('count: what to keep, where it is left out, gives way to a small threshold', () => {
    expect(count({ threshold: 5 }).tails).toEqual([{ messages: 5, atLeast: 'message' }])
    expect(count().tails).toEqual([{ messages: 10, atLeast: 'message' }])
  })

  test('every problem is named at once', () => {
    expect(() =>
      presetFromSettings('rounds', { fullContextTurns: -1, cachedContextTurns: 'x', nonsense: 1 }),
    ).toThrow(/nonsense.*fullContextTurns.*cachedContextTurns/s)
  })

  test('a tail and hard limit beyond the context is a warning', () => {
    expect(window().warnings).toEqual([])
    expect(window({ contextSize: 50 }).warnings[0]).toContain('tailKeepSize (40) + compressionHardLimit (30)')
  })

  test('a budget lies under every preset', () => {
    for (const name of PRESET_NAMES)
      expect(presetFromSettings(name, { budget: 5000 }).rules.map(rule => rule.name)).toContain('maxTokens')
  })
})
