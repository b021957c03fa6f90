import { expect, test } from 'vitest'
import { nearestName } from './nearest-name.ts'

test.each([
  ['gpt5', 'gpt-5'],
  ['GPT-5', 'gpt-5'],
  ['gpt-5-mni', 'gpt-5-mini'],
  ['claude-haiku', 'claude-haiku-4-5'],
  ['', null],
  ['weather', null],
])('%j: %j', (given, name) => {
  expect(nearestName(given, ['claude-haiku-4-5', 'gpt-5-mini', 'gpt-5'])).toBe(name)
})
