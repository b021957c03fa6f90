import { expect, test } from 'vitest'
import { clip, clipMiddle } from './clip.ts'

test('clipping never leaves half a character', () => {
  expect(clip('ab😀cd', 4)).toBe('ab…')
  expect(clipMiddle('😀'.repeat(100), 51).isWellFormed()).toBe(true)
  expect(clipMiddle('short', 10)).toBe('short')
})
