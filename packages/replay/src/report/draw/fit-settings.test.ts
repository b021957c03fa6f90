import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fitSettings } from './fit-settings.ts'
import { textWidth } from './text-width.ts'

test.each([
  ['budget=8000 lowWater=0.5 idleSec=none', 300, ['budget=8000 lowWater=0.5 idleSec=none']],
  ['budget=8000 lowWater=0.5 idleSec=none', 196, ['budget=8000 lowWater=0.5', 'idleSec=none']],
  ['budget=8000 lowWater=0.5 idleSec=none', 110, ['budget=8000', 'lowWater=0.5', 'idleSec=none']],
  ['budget=8000 lowWater=0.5', 70, ['bu…=8000', 'low…=0.5']],
  ['fullContextTurns=6 cachedContextTurns=12', 270, ['fullContextTu…=6 cachedContext…=12']],
  ['fullContextTurns=6 cachedContextTurns=12', 150, ['fullContextTurns=6', 'cachedContextT…=12']],
  ['baseline', 196, ['baseline']],
])('%s in %i', (text, room, lines) => {
  expect(fitSettings(text, 12, room)).toEqual(lines)
})

test('what is fitted in fits, and has every value', () => {
  const settings = fc.array(fc.tuple(fc.stringMatching(/^[a-z]{2,24}$/), fc.nat(99_999)), { minLength: 1 })
  fc.assert(
    fc.property(settings, fc.integer({ min: 80, max: 400 }), (all, room) => {
      const lines = fitSettings(all.map(([name, value]) => `${name}=${value}`).join(' '), 12, room)
      for (const line of lines) expect(textWidth(line, 12)).toBeLessThanOrEqual(room)
      const values = lines.join(' ').matchAll(/=(\d+)/g)
      expect([...values].map(found => Number(found[1]))).toEqual(all.map(([, value]) => value))
    }),
  )
})
