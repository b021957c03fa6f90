import fc from 'fast-check'
import { expect, test } from 'vitest'
import { BoundedMap } from './bounded-map.ts'

test('the entry that was set longest ago is forgotten first', () => {
  const map = new BoundedMap<string, number>(2).set('a', 1).set('b', 2)
  expect(map.get('a')).toBe(1)
  map.set('c', 3)
  expect([map.has('a'), map.get('b'), map.get('c'), map.size]).toEqual([false, 2, 3, 2])
  map.set('b', 4).set('d', 5)
  expect([map.get('b'), map.has('c'), map.get('d')]).toEqual([4, false, 5])
})

test('what is forgotten is told, what is deleted is not', () => {
  const forgotten: [string, number][] = []
  const map = new BoundedMap<string, number>(2, (key, value) => forgotten.push([key, value]))
  map.set('a', 1).set('b', 2).set('b', 3)
  expect(map.delete('a')).toBe(true)
  expect(map.delete('a')).toBe(false)
  map.set('c', 4).set('d', 5)
  map.clear()
  expect([map.size, forgotten]).toEqual([0, [['b', 3]]])
})

test('it shrinks to a weight, and the newest stays', () => {
  const map = new BoundedMap<string, number>(9).set('a', 5).set('b', 3).set('c', 4)
  map.shrinkTo(7, weight => weight)
  expect([map.has('a'), map.has('b'), map.has('c')]).toEqual([false, true, true])
  map.shrinkTo(1, weight => weight)
  expect([map.size, map.has('c')]).toEqual([1, true])
})

test('after any steps it has what a list of the newest has', () => {
  const key = fc.nat(6)
  const step = fc.oneof(
    { weight: 6, arbitrary: fc.record({ set: key }) },
    { weight: 2, arbitrary: fc.record({ delete: key }) },
    fc.record({ shrinkTo: fc.nat(20) }),
    fc.constant({ clear: true }),
  )
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 4 }), fc.array(step, { maxLength: 40 }), (most, steps) => {
      const map = new BoundedMap<number, number>(most)
      let newest: number[] = []
      for (const [at, step] of steps.entries()) {
        if ('set' in step) {
          map.set(step.set, step.set)
          newest = [...newest.filter(key => key !== step.set), step.set].slice(-most)
        } else if ('delete' in step) {
          map.delete(step.delete)
          newest = newest.filter(key => key !== step.delete)
        } else if ('shrinkTo' in step) {
          map.shrinkTo(step.shrinkTo, weight => weight)
          const weigh = () => newest.reduce((sum, weight) => sum + weight, 0)
          while (newest.length > 1 && weigh() > step.shrinkTo) newest.shift()
        } else {
          map.clear()
          newest = []
        }
        expect(map.size, `step ${at}`).toBe(newest.length)
        for (const key of newest) expect(map.get(key), `step ${at}`).toBe(key)
      }
    }),
  )
})

test('a full map stays quick', () => {
  const map = new BoundedMap<number, number>(100_000)
  const begin = performance.now()
  for (let key = 0; key < 1_000_000; key++) map.set(key, key)
  // With an iterator of its own for each that is forgotten it takes minutes.
  expect(performance.now() - begin).toBeLessThan(15_000)
  expect(map.size).toBe(100_000)
})
