import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  extractive,
  type SourceMessage,
  type Summary,
} from '../../packages/palimpsest/src/summarizer/index.ts'
import { type Exchange, faultsOf, messagesOf, partsOf, readExchanges } from './exchanges.ts'

const exchanges = readExchanges()

function summarize(messages: readonly SourceMessage[], budgetTokens: number): Promise<Summary> {
  return extractive().summarize({
    messages,
    earlier: null,
    budgetTokens,
    detailTokens: Math.ceil(budgetTokens / 2),
    zone: 'UTC',
    extracts: { most: 3, language: 'en' },
  })
}

const BUDGETS = [8, 14, 20, 30, 45, 80]

describe('short exchanges', () => {
  test('are at least 120, half of them Chinese', () => {
    expect(exchanges.length).toBeGreaterThanOrEqual(120)
    const chinese = exchanges.filter(({ language }) => language === 'zh').length
    expect(chinese / exchanges.length).toBeGreaterThan(0.4)
    expect(chinese / exchanges.length).toBeLessThan(0.6)
  })

  test.each(exchanges.map(each => [each.name, each] as const))('%s', async (_, exchange) => {
    const messages = messagesOf([exchange])
    for (const budget of BUDGETS) {
      const summary = await summarize(messages, budget)
      expect(faultsOf(exchange, summary), `${budget}: ${partsOf(summary).join('\n')}`).toEqual([])
    }
    const { text } = await summarize(messages, BUDGETS.at(-1)!)
    for (const held of exchange.held) expect(text).toContain(held)
  })
})

describe('whatever range they make up', () => {
  const ranges = fc.record({
    chosen: fc.subarray([...exchanges.keys()], { minLength: 1, maxLength: 25 }),
    budget: fc.integer({ min: 5, max: 400 }),
  })

  test('no summary cuts a negation or a condition off from its clause', async () => {
    await fc.assert(
      fc.asyncProperty(ranges, async ({ chosen, budget }) => {
        const all = chosen.map(index => exchanges[index]!)
        const summary = await summarize(messagesOf(all), budget)
        const faults = all
          .filter(exchange => isOnlyHere(exchange, all))
          .flatMap(exchange => faultsOf(exchange, summary).filter(({ kind }) => kind === 'turned'))
        expect(faults, partsOf(summary).join('\n')).toEqual([])
      }),
      { numRuns: 300 },
    )
  })
})

/** What it says may be said by another one, and not be negated there. */
function isOnlyHere({ turned, said }: Exchange, all: readonly Exchange[]): boolean {
  const others = all.filter(each => each.said !== said).flatMap(each => each.said.map(({ text }) => text))
  return !turned.some(({ part }) => others.some(text => text.includes(part)))
}
