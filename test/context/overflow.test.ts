import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  ContextOverflowError,
  createPalimpsest,
  type Palimpsest,
} from '../../packages/palimpsest/src/index.ts'
import { runs } from '../runs.ts'
import { PLACES } from '../stores.ts'
import { expectToAddUp } from './adds-up.ts'

describe.each(Object.entries(PLACES))('on %s', (_, newPlace) => {
  const place = newPlace()
  let palimpsest: Palimpsest

  beforeAll(async () => {
    palimpsest = await createPalimpsest({ store: await place.open(), folding: 'manual' })
    const { memory } = palimpsest
    await memory.persona.replace('You are Pal, who runs our releases. You are brief.')
    await memory.global.replace(`# Facts\n${'- The office is closed on Mondays.\n'.repeat(30)}`)
    const chat = palimpsest.session('calibrated', { user: 'ann' })
    for (let turn = 1; turn <= 30; turn++)
      await chat.append([
        { role: 'user', content: `Question ${turn}: what about the harbour? ${'words '.repeat(turn)}` },
        { role: 'assistant', content: `Answer ${turn}. ${'more words '.repeat(turn)}` },
      ])
    await chat.pin(3)
    // A model that counts more than we do: what it is told is in its own tokens.
    for (let time = 0; time < 12; time++) {
      const context = await chat.context({ model: 'dense' })
      const inputTokens = Math.ceil(context.estimatedInputTokens * 1.4)
      await chat.observeUsage(context, { model: 'dense', inputTokens })
    }
    await chat.compact({ force: true })
  })

  afterAll(async () => {
    await palimpsest.close()
    await place.remove()
  })

  const options = fc.record(
    {
      budget: fc.integer({ min: 1, max: 1_500 }),
      instructions: fc.integer({ min: 0, max: 300 }).map(words => 'Be brief. '.repeat(words)),
      outputReserve: fc.nat(600),
      tools: fc
        .integer({ min: 0, max: 20 })
        .map(count =>
          Array.from({ length: count }, (_, place) => ({ name: `tool ${place}`, description: 'Does it.' })),
        ),
      model: fc.constantFrom('dense', 'other'),
    },
    { requiredKeys: ['budget'] },
  )

  test('what an overflow lists adds up to what is compared with the budget', async () => {
    const seen = { overflows: 0, contexts: 0, attempts: 0 }
    const chat = palimpsest.session('calibrated', { user: 'ann' })
    await fc.assert(
      fc.asyncProperty(options, async asked => {
        try {
          expect((await chat.context(asked)).report.tokens).toBeLessThanOrEqual(asked.budget)
          seen.contexts += 1
        } catch (error) {
          if (!(error instanceof ContextOverflowError)) throw error
          expectToAddUp(error, asked.budget)
          seen.overflows += 1
          if (error.details.parts.conversation !== 100) seen.attempts += 1
        }
      }),
      { numRuns: runs(100, 300) },
    )
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(0)
  })
})
