import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../log/index.ts'
import { estimateTokens, MESSAGE_OVERHEAD_TOKENS } from '../tokens/index.ts'
import { renderRecall } from './render-recall.ts'

function said(content: string, seq = 1, sender = { id: 'u1', name: 'Ann' }): Message {
  return { seq, role: 'user', sender, at: new Date('2026-03-02T08:00Z'), content } as Message
}

test('is within its room, whatever was said', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[谢今会数。0-9]{1,20}$/))
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.integer({ min: 30, max: 400 }), (texts, mostTokens) => {
      const recalled = renderRecall(
        texts.map((text, index) => said(text, index + 1)),
        { language: 'en', mostTokens },
      )
      if (recalled !== null)
        expect(estimateTokens(recalled) + MESSAGE_OVERHEAD_TOKENS).toBeLessThanOrEqual(mostTokens)
    }),
  )
  // Of which the lines together were estimated lower than the whole.
  expect(renderRecall([said('谢今会数。1503')], { language: 'en', mostTokens: 57 })).toBeNull()
})

test('people of one name are told apart', () => {
  const recalled = renderRecall([said('yes', 1), said('no', 2, { id: 'u2', name: 'Ann' })], {
    language: 'en',
    mostTokens: 500,
  })
  expect(recalled).toContain('[Ann (u1)]: yes')
  expect(recalled).toContain('[Ann (u2)]: no')
})
