import { expect, it } from 'vitest'
import { createPalimpsest, tokens } from '../../packages/palimpsest/src/index.ts'
import { sqlitePlace } from '../stores.ts'
import { smallTalk } from './small-talk.ts'

const MESSAGES = 20_000
const BUDGET = 8_000
/** What a cached token costs of an ordinary one. */
const CACHED_PRICE = 0.1

it('20,000 messages stay within 8k tokens, and the last thousand turns cost what the first did', async () => {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: tokens({ budget: BUDGET }),
    folding: 'manual',
  })
  const chat = palimpsest.session('long')
  const talk = smallTalk()
  const costs: number[] = []
  let before: { messages: readonly unknown[]; tokens: readonly number[] } = { messages: [], tokens: [] }
  let folds = 0
  for (let count = 0; count < MESSAGES; count += 2) {
    const asked = await chat.append(talk.next().value)
    if (asked.decision) folds += (await chat.compact()).outcome === 'applied' ? 1 : 0
    const { messages, report } = await chat.context()
    expect(report.tokens).toBeLessThanOrEqual(BUDGET)
    const sizes = messages.map(({ content }) => JSON.stringify(content).length / 4)
    const same = messages.findIndex((message, index) => message !== before.messages[index])
    const cached = sizes.slice(0, same === -1 ? messages.length : same).reduce((sum, size) => sum + size, 0)
    const all = sizes.reduce((sum, size) => sum + size, 0)
    costs.push(all - cached * (1 - CACHED_PRICE))
    before = { messages, tokens: sizes }
    const answered = await chat.append(talk.next().value)
    if (answered.decision) folds += (await chat.compact()).outcome === 'applied' ? 1 : 0
  }
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const first = mean(costs.slice(0, 1_000))
  const last = mean(costs.slice(-1_000))
  expect(last / first).toBeLessThan(1.2)
  expect(folds).toBeGreaterThan(50)
  const info = (await chat.info())!
  expect(info.messages).toBe(MESSAGES)
  const shown = await chat.segments()
  expect(shown.reduce((sum, segment) => sum + segment.tokensAfter, 0)).toBeLessThanOrEqual(BUDGET / 4)
  expect(shown[0]!.fromSeq).toBe(1)
  // Each message was summarised again a few times only, however many folds there were.
  expect(shown[0]!.level).toBeLessThan(10)
  await palimpsest.close()
  await place.remove()
})
