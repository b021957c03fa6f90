import fc from 'fast-check'
import { runAtOnce } from 'palimpsest/internals/slices'
import { expect, test } from 'vitest'
import { JsonError, parseJsonInSteps } from './parse-json.ts'

const LIMITS = { maxDepth: 256, maxValues: 10_000 }
const parse = (text: string, limits = LIMITS) => runAtOnce(parseJsonInSteps(text, limits))

test('gives what JSON.parse gives, whatever the JSON', () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 6 }), fc.integer({ min: 0, max: 4 }), (text, indent) => {
      expect(parse(text)).toEqual(JSON.parse(text))
      const spaced = JSON.stringify(JSON.parse(text), null, indent)
      expect(JSON.stringify(parse(spaced))).toBe(JSON.stringify(JSON.parse(text)))
    }),
  )
})

test('refuses whatever JSON.parse refuses', () => {
  const signs = fc.array(fc.constantFrom(...'[]{},:"\\0129.-+eEtrufalsn \n\u0000…x/'), { maxLength: 12 })
  const taken = (read: () => unknown) => {
    try {
      return JSON.stringify(read())
    } catch {
      return 'refused'
    }
  }
  fc.assert(
    fc.property(signs, characters => {
      const text = characters.join('')
      expect(taken(() => parse(text))).toBe(taken(() => JSON.parse(text)))
    }),
    { numRuns: 5_000 },
  )
})

test('a field named __proto__ is a field, and the last of two of one name counts', () => {
  const value = parse('{"__proto__":{"a":1},"b":1,"b":2}') as object
  expect(Object.keys(value)).toEqual(['__proto__', 'b'])
  expect(Object.getPrototypeOf(value)).toBe(Object.prototype)
  expect(value).toHaveProperty('b', 2)
})

test('what is too deep or too much is refused where it begins to be', () => {
  const limitOf = (text: string, limits: Parameters<typeof parse>[1]) => {
    try {
      parse(text, limits)
      return 'taken'
    } catch (error) {
      return (error as JsonError).limit
    }
  }
  expect(limitOf('[[[]]]', { maxDepth: 3, maxValues: 10 })).toBe('taken')
  expect(limitOf('[[[[', { maxDepth: 3, maxValues: 10 })).toBe('depth')
  expect(limitOf('[1,2]', { maxDepth: 3, maxValues: 3 })).toBe('taken')
  expect(limitOf('[1,2,3', { maxDepth: 3, maxValues: 3 })).toBe('values')
  expect(() => parse('[1,2')).toThrow(JsonError)
})
