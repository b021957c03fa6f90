import { afterAll, expect, test } from 'vitest'
import { InvalidArgumentError } from '../../src/errors.ts'
import { createPalimpsest } from '../../src/palimpsest.ts'
import { sqlitePlace } from '../stores.ts'

const place = sqlitePlace()
afterAll(() => place.remove())

test('a timeout that no timer takes is refused', async () => {
  await using palimpsest = await createPalimpsest({ store: await place.open() })
  for (const value of [Number.NaN, Number.POSITIVE_INFINITY, '5', 0, -1, 1.5, 2 ** 31, null]) {
    const summarizerTimeoutMs = value as number
    expect(() => palimpsest.configure({ summarizerTimeoutMs })).toThrow(InvalidArgumentError)
    const store = await place.open()
    await expect(createPalimpsest({ store, summarizerTimeoutMs })).rejects.toThrow('summarizerTimeoutMs')
    await store.close()
  }
  palimpsest.configure({ summarizerTimeoutMs: 5 })
})
