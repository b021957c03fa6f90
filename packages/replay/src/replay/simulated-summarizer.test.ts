import { rounds } from 'palimpsest/internals/policy/index'
import { describe, expect, it } from 'vitest'
import { replay } from './replay.ts'

const MESSAGES = 80
const LINES: Readonly<Record<string, (number: number) => string>> = {
  English: number => `No. ${number}: forty crates of lemons sail to Porto on Friday, and Ann tells Bob. `,
  Chinese: number => `第${number}条：会议改到下周五下午三点，地点不变，请大家带上合同的复印件。`,
  Thai: number => `${number} เราจะไปดูบ้านในวันพุธหน้างบประมาณสามล้านบาทและเขาบอกว่าจะมาด้วย`,
  emoji: number => `${'🎉😀👍'.repeat(8)} ${number}`,
  numbers: number => `${Array.from({ length: 20 }, (_, index) => index * number * 977).join(' ')} `,
  // One word of a thousand characters.
  hex: number => (number * 0x9e3779b1).toString(16).padStart(12, 'e').repeat(25),
}

describe('a simulated summary', () => {
  it.each(Object.entries(LINES))(
    'is taken by the engine for one, with a call for each: %s',
    async (_, line) => {
      const messages = Array.from({ length: MESSAGES }, (_, index) => ({
        role: index % 2 === 0 ? ('user' as const) : ('assistant' as const),
        at: Date.UTC(2026, 2, 2, 12, index),
        content: line(index + 1).repeat(4),
      }))
      const { folds, cost, tokens } = await replay(messages, { policy: rounds(), summaryRatio: 0.2 })
      // Three turns at a time, from the seventh on.
      expect(folds.length).toBe(12)
      const { summary } = cost.calls
      // One for each fold; those above that condense old segments are few.
      expect(summary.calls).toBeGreaterThanOrEqual(12)
      expect(summary.calls).toBeLessThanOrEqual(16)
      const said = summary.outputTokens - summary.calls * 180
      expect(said / tokens.folded).toBeGreaterThan(0.1)
      expect(said / tokens.folded).toBeLessThan(0.35)
    },
  )
})
