import { expect, test } from 'vitest'
import { HeldBytes } from './held-bytes.ts'

test('all together hold no more than the limit, and one caller no more than half of it', () => {
  const bytes = new HeldBytes(100)
  const [first, second] = [bytes.open('a'), bytes.open('a')]
  first.take(30)
  second.take(20)
  expect(() => second.take(1)).toThrow('50 bytes of one caller')
  bytes.open('b').take(50)
  expect(() => bytes.open('c').take(1)).toThrow('100 bytes of all callers')
  expect(bytes.total).toBe(100)
  first.release()
  first.release()
  expect([bytes.total, first.bytes]).toEqual([70, 0])
  second.take(30)
  expect(bytes.total).toBe(100)
})

test('a body that is larger than the limit is taken where it is the only one', () => {
  const bytes = new HeldBytes(100)
  const large = bytes.open('a')
  large.take(80)
  large.take(80)
  expect(() => bytes.open('b').take(1)).toThrow('all callers')
  large.release()
  const [other, late] = [bytes.open('b'), bytes.open('a')]
  other.take(1)
  late.take(99)
  expect(() => late.take(1)).toThrow('all callers')
})

test('what comes after the end is not counted', () => {
  const bytes = new HeldBytes(100)
  const held = bytes.open('a')
  held.release()
  held.take(500)
  expect(bytes.total).toBe(0)
})
