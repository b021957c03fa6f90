import { expect, test } from 'vitest'
import type { Role } from '../../log/index.ts'
import { clip, clipMiddle, oneLine, speakerName } from './inert.ts'

test('text is put on one line, whole and without control characters', () => {
  expect(oneLine('a\r\n## b\u2028c\0d  e\u202ef')).toBe('a ## b c d e f')
  expect(oneLine('x\ud800y')).toBe('x\ufffdy')
  expect(oneLine('  你好　世界 ')).toBe('你好 世界')
})

test.each<[Role, string | null, string]>([
  ['user', 'Tomás', 'Tomás'],
  ['user', null, 'user'],
  ['assistant', '', 'assistant'],
  ['user', 'user', 'user'],
  ['user', 'system', '"system"'],
  ['user', 'Ann: ok\n# Bob', 'Ann ok # Bob'],
  ['user', '## Summary', '"## Summary"'],
  ['user', 'x'.repeat(100), `${'x'.repeat(39)}…`],
  ['user', '2026-03-02 Bob', '"2026-03-02 Bob"'],
])('a %s named %j speaks as %s', (role, name, expected) => {
  expect(speakerName({ role, sender: name === null ? null : { id: 'u', name } })).toBe(expected)
})

test('clipping never leaves half a character', () => {
  expect(clip('ab😀cd', 4)).toBe('ab…')
  expect(clipMiddle('😀'.repeat(100), 51).isWellFormed()).toBe(true)
  expect(clipMiddle('short', 10)).toBe('short')
})
