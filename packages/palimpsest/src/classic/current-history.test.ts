import { expect, test } from 'vitest'
import type { Segment, WindowMessage } from '../log/index.ts'
import { asWindow } from './current-history.ts'

test('a window may be of any length', () => {
  const window: readonly WindowMessage[] = Array.from({ length: 200_000 }, () => ({
    role: 'user',
    content: 'x',
  }))
  expect(asWindow([{ window, text: 'x' } as unknown as Segment]).length).toBe(window.length)
})
