import { expect, test } from 'vitest'
import { createPalimpsest, rounds } from '../../packages/palimpsest/src/index.ts'
import { sqlitePlace } from '../stores.ts'

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2026, 0, 5, 9)

function dayOfTurn(turn: number): number {
  // Days pass between some turns, and none between others.
  return FIRST_DAY + Math.floor(turn / 2) * 3 * DAY_MS
}

test('whatever level a line has come to, it stands under the day on which it was said', async () => {
  const place = sqlitePlace()
  let now = FIRST_DAY
  const palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: rounds(),
    clock: () => now,
  })
  const chat = palimpsest.session('months')
  for (let turn = 0; turn < 240; turn++) {
    now = dayOfTurn(turn)
    const at = new Date(now)
    const text = `Remember fact-${turn}: the key to house number ${turn * 7} hangs behind the blue door.`
    await chat.append([
      { role: 'user', text, at, sender: { id: 'ann', name: 'Ann' } },
      { role: 'assistant', text: 'Noted, I will tell you when you need it.', at },
    ])
    await palimpsest.settled()
  }
  const segments = await chat.segments('all')
  expect(Math.max(...segments.map(({ level }) => level))).toBeGreaterThanOrEqual(2)
  const wrong: string[] = []
  let facts = 0
  let dated = 0
  for (const { summary, level } of segments) {
    let day: string | null = null
    for (const line of summary.split('\n')) {
      day = /^- (\d{4}-\d{2}-\d{2}) /.exec(line)?.[1] ?? day
      for (const [, turn] of line.matchAll(/fact-(\d+)/g)) {
        facts++
        if (day !== null) dated++
        const said = new Date(dayOfTurn(Number(turn))).toISOString().slice(0, 10)
        // Where a few words leave no room for days, none is told: who said them goes first.
        if (day !== null && day !== said)
          wrong.push(`level ${level}: fact-${turn} of ${said} stands under ${day}`)
      }
    }
  }
  expect(wrong).toEqual([])
  expect(facts).toBeGreaterThan(90)
  expect(dated).toBeGreaterThan(60)
  await palimpsest.close()
  await place.remove()
})
