import { describe, expect, test } from 'vitest'
import { normalizeMessage } from '../../packages/palimpsest/src/log/index.ts'
import { NO_MEMORY, replayBaseline } from '../../packages/replay/src/baselines.ts'
import { conditionsOf } from '../../packages/replay/src/conditions.ts'
import { PRICE_PRESETS, type Run } from '../../packages/replay/src/index.ts'
import { tryTokens } from '../scenarios/default-policy.ts'
import { SHAPES, synthetic } from '../scenarios/synthetic.ts'

/** One that marks prefixes and forgets after 5 minutes, one that caches by itself, one for which cached is next to free. */
const PRESETS = ['claude-haiku-4-5', 'gpt-5-mini', 'deepseek-flash']
const SWEEP = [0.1, 0.2, 0.4, 0.7].map(lowWater => ({ lowWater }))

const cases = Object.keys(SHAPES).flatMap(shape => PRESETS.map(preset => [shape, preset] as const))

describe('the default policy', () => {
  test.each(cases)('%s, at the prices of %s: within 10% of the best', async (name, preset) => {
    const { turns, toolCalls = 0 } = SHAPES[name]!
    const shape = { ...SHAPES[name]!, turns: Math.min(turns, toolCalls > 0 ? 40 : 150) }
    const conversation = {
      kind: shape.chatter ? ('group' as const) : ('private' as const),
      messages: [...synthetic(shape)],
    }
    const { byDefault, tried } = await tryTokens(conversation, PRICE_PRESETS[preset]!, SWEEP)
    const best = Math.min(...tried.map(({ run }) => run.cost.total))
    expect(byDefault.cost.total).toBeLessThanOrEqual(best * 1.1)
    // A fold comes before a context has to be cut for it.
    expect(byDefault.breaks.filter(({ cause }) => cause === 'cut')).toEqual([])
  })

  test.each(['claude-haiku-4-5', 'gpt-5-mini'])(
    '1,000 turns at the prices of %s: at most 15% of sending everything, replies left out',
    async preset => {
      const prices = PRICE_PRESETS[preset]!
      const messages = [...synthetic(SHAPES['long, chatty']!)]
      const { byDefault } = await tryTokens({ kind: 'private', messages }, prices, [])
      const conditions = conditionsOf({ prices }, { hasReplies: true, policies: [] })
      const read = () => messages.map(message => normalizeMessage(message, { zone: 'UTC' }))
      const everything = await replayBaseline(NO_MEMORY, [{ kind: 'private', read }], conditions)
      const withoutReplies = ({ cost }: Run) =>
        cost.total - (cost.calls.reply.outputTokens * prices.output) / 1_000_000
      expect(byDefault.cost.calls.reply.calls).toBe(1_000)
      expect(withoutReplies(byDefault)).toBeLessThanOrEqual(0.15 * withoutReplies(everything))
    },
  )
})
