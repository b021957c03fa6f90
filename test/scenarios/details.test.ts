import { expect, it } from 'vitest'
import { createPalimpsest, tokens } from '../../packages/palimpsest/src/index.ts'
import { sqlitePlace } from '../stores.ts'
import { smallTalk } from './small-talk.ts'

/** Said once, early on, in the middle of small talk. */
const DETAILS = [
  'https://example.com/contracts/2024/A-17?version=3#page=2',
  '+49 30 901820',
  'IBAN DE89 3704 0044 0532 0130 00',
  'f3a9c2e1-77b0-4c55-9d3e-5a1b6f20c4d8',
  '1,249.95 EUR',
]

it('ids, links and numbers are there word for word after ten folds and more, and segments stay bounded', async () => {
  const place = sqlitePlace()
  const policy = tokens({ budget: 4_000 })
  const palimpsest = await createPalimpsest({ store: await place.open(), policy, folding: 'manual' })
  const chat = palimpsest.session('details')
  const talk = smallTalk(11)
  let folds = 0
  for (let index = 0; index < 3_000; index++) {
    const detail = index >= 20 && index % 10 === 0 ? DETAILS[(index - 20) / 10] : undefined
    const message =
      detail === undefined ? talk.next().value : { role: 'user' as const, content: `It is ${detail}.` }
    const { decision } = await chat.append(message)
    if (decision && (await chat.compact()).outcome === 'applied') folds += 1
  }
  expect(folds).toBeGreaterThan(10)
  const all = await chat.segments('all')
  const kept = JSON.stringify(
    all.filter(({ level }) => level === 1).map(({ summary, details }) => [summary, details]),
  )
  for (const detail of DETAILS) expect(kept).toContain(detail)
  const shown = await chat.segments()
  expect(shown.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0)).toBeLessThanOrEqual(1_000)
  // Level by level, each stands for the ones below it: whoever expands the oldest gets to them.
  const covering = all.filter(({ fromSeq, toSeq }) => fromSeq <= 21 && toSeq >= 21)
  expect(covering.map(({ level }) => level)).toEqual(covering.map((_, index) => index + 1))
  // Each message was summarised once per level.
  for (const level of new Set(all.map(segment => segment.level))) {
    const ranges = all.filter(segment => segment.level === level).sort((a, b) => a.fromSeq - b.fromSeq)
    for (const [index, range] of ranges.entries())
      if (index > 0) expect(range.fromSeq).toBeGreaterThan(ranges[index - 1]!.toSeq)
  }
  await palimpsest.close()
  await place.remove()
})
