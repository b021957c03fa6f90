import { measureMessage } from 'palimpsest/internals/tokens/index'
import { expect, test } from 'vitest'
import { sampleConversation } from './sample-conversation.ts'

test('200 turns of about 400 tokens, always the same', () => {
  const messages = sampleConversation()
  expect(sampleConversation()).toEqual(messages)
  expect(messages).toHaveLength(400)
  expect(messages.map(({ role }) => role).slice(0, 4)).toEqual(['user', 'assistant', 'user', 'assistant'])
  const tokens = messages.reduce((sum, message) => sum + measureMessage(message).tokens, 0)
  expect(tokens / 200).toBeGreaterThan(370)
  expect(tokens / 200).toBeLessThan(430)
  const pauses = messages.slice(1).map(({ at }, index) => at! - messages[index]!.at!)
  expect([...new Set(pauses)].toSorted((one, other) => one - other)).toEqual([60_000, 4_200_000, 36_000_000])
  expect(pauses.filter(pause => pause > 60_000)).toHaveLength(13)
})
