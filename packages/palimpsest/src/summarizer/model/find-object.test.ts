import fc from 'fast-check'
import { expect, test } from 'vitest'
import { findObject } from './find-object.ts'

test('any object is found, whatever prose stands around it', () => {
  const prose = fc.lorem({ mode: 'sentences', maxCount: 2 })
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), prose, prose, (object, before, after) => {
      const json = JSON.stringify(object)
      expect(findObject(`${before}\n\`\`\`json\n${json}\n\`\`\`\n${after}`)).toEqual(JSON.parse(json))
    }),
  )
})

test.each([
  ['', null],
  ['no object', null],
  ['{"a": 1', null],
  ['{a} and then {"b": 2}', { b: 2 }],
  ['{"a": [1, 2,], "b": {"c": "x\ny",},}', { a: [1, 2], b: { c: 'x\ny' } }],
  ['{"a": "}{\\"", "b": 1}', { a: '}{"', b: 1 }],
])('%j', (text, object) => {
  expect(findObject(text)).toEqual(object)
})

test('braces without end are given up', () => {
  const started = performance.now()
  expect(findObject('{'.repeat(100_000))).toBeNull()
  expect(performance.now() - started).toBeLessThan(20_000)
})
