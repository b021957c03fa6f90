import { expect, test } from 'vitest'
import type { Role } from '../log/index.ts'
import { speakerName } from './speaker-name.ts'

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
