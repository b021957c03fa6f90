import fc from 'fast-check'
import { runAtOnce } from 'palimpsest/internals/slices'
import { expect, test } from 'vitest'
import { isLongJson, writeJsonInSteps } from './write-json.ts'

const written = (value: unknown) => Buffer.concat(runAtOnce(writeJsonInSteps(value))).toString()

test('the same bytes as JSON.stringify, whatever is in it', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.string({ unit: 'binary' }), fc.nat(3), (value, text, times) => {
      const long = text.repeat(1 + Math.floor((times * 5_000) / Math.max(1, text.length)))
      const whole = { value, long, list: [long, { [text]: long }], date: new Date(0), no: undefined }
      expect(written(whole)).toBe(JSON.stringify(whole))
    }),
  )
})

test('a character of two halves where two pieces meet', () => {
  for (const before of [65_534, 65_535, 65_536])
    expect(written([`${'a'.repeat(before)}😀${'b'.repeat(70_000)}`])).toBe(
      JSON.stringify([`${'a'.repeat(before)}😀${'b'.repeat(70_000)}`]),
    )
})

test('what is long is known by its texts', () => {
  expect(isLongJson({ a: ['b'.repeat(50), { c: 'd'.repeat(50) }] }, 100)).toBe(false)
  expect(isLongJson({ a: ['b'.repeat(50), { c: 'd'.repeat(51) }] }, 100)).toBe(true)
  expect(isLongJson(null, 0)).toBe(false)
})
