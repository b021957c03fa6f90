import { expect, test } from 'vitest'
import { oneLine } from './one-line.ts'

test('text is put on one line, whole and without control characters', () => {
  expect(oneLine('a\r\n## b\u2028c\0d  e\u202ef')).toBe('a ## b c d e f')
  expect(oneLine('x\ud800y')).toBe('x\ufffdy')
  expect(oneLine('  你好　世界 ')).toBe('你好 世界')
})

test('every line break is a blank; of the rest what does not show may vanish', () => {
  const breaks = ['\n', '\v', '\f', '\r', '\r\n', '\u001c', '\u001d', '\u001e', '\u0085', '\u2028', '\u2029']
  for (const lineBreak of breaks)
    for (const unseen of [' ', ''] as const) expect(oneLine(`a${lineBreak}b`, unseen)).toBe('a b')
  expect(oneLine('a\0b\u202ec', '')).toBe('abc')
})
