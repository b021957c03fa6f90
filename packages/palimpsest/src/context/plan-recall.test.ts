import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { Message } from '../log/index.ts'
import { estimateTokens, MESSAGE_OVERHEAD_TOKENS } from '../tokens/index.ts'
import { planRecall, type RecallFound, type RecallLimits } from './plan-recall.ts'
import { toldTexts } from './told-texts.ts'

function said(content: string, seq = 1, sender = { id: 'u1', name: 'Ann' }): Message {
  return { seq, role: 'user', sender, at: new Date('2026-03-02T08:00Z'), content } as Message
}

const LIMITS: RecallLimits = { below: 1_000, isTold: toldTexts([]), mostTokens: 500, language: 'en' }

/** `hits`: the numbers of those that were found, best first; left out: all of them as they stand. */
function found(messages: readonly Message[], hits = messages.map(({ seq }) => seq)): RecallFound {
  return {
    messages,
    hits: hits.map((seq, place) => ({ seq, score: 1 - place / 1_000 })),
    passageOf: (text, characters) => text.slice(0, characters),
  }
}

test('is within its room, whatever was said', () => {
  const text = fc.oneof(fc.string({ unit: 'grapheme' }), fc.stringMatching(/^[谢今会数。0-9]{1,20}$/))
  fc.assert(
    fc.property(fc.array(text, { maxLength: 12 }), fc.integer({ min: 30, max: 400 }), (texts, mostTokens) => {
      const messages = texts.map((text, index) => said(text, index + 1))
      const recalled = planRecall(found(messages), { ...LIMITS, mostTokens })
      if (recalled !== null)
        expect(estimateTokens(recalled.text) + MESSAGE_OVERHEAD_TOKENS).toBeLessThanOrEqual(mostTokens)
    }),
  )
  // Of which the lines together were estimated lower than the whole.
  expect(planRecall(found([said('谢今会数。1503')]), { ...LIMITS, mostTokens: 57 })).toBeNull()
})

test('people of one name are told apart', () => {
  const recalled = planRecall(found([said('yes', 1), said('no', 2, { id: 'u2', name: 'Ann' })]), LIMITS)
  expect(recalled?.text).toContain('[Ann (u1)]: yes')
  expect(recalled?.text).toContain('[Ann (u2)]: no')
})

test('as much as there is room for: of short messages far more than eight', () => {
  const messages = Array.from({ length: 60 }, (_, at) => said(`Number ${at} is here.`, 2 * at + 1))
  expect(planRecall(found(messages), { ...LIMITS, mostTokens: 800 })?.seqs.length).toBeGreaterThan(30)
})

test('one long message does not push out the others, and shows the passage that answers', () => {
  const long = `${'About something else entirely. '.repeat(400)} The code is 7741. ${'And more of it. '.repeat(400)}`
  const messages = [
    said(long, 1),
    ...Array.from({ length: 8 }, (_, at) => said(`Door ${at} is green.`, 10 * at + 10)),
  ]
  const search = {
    ...found(messages),
    passageOf: (text: string, characters: number) => {
      const place = Math.max(0, text.indexOf('The code'))
      return text.slice(place, place + characters)
    },
  }
  const recalled = planRecall(search, LIMITS)
  expect(recalled?.seqs).toEqual(messages.map(({ seq }) => seq))
  expect(recalled?.text).toContain('The code is 7741.')
})

test('a question comes with its answer, an answer with its question, a few words with what they refer to', () => {
  const messages = [
    said('Which of the two houses shall we take?', 1),
    said('The yellow one by the river.', 2, { id: 'u2', name: 'Ben' }),
    said('The weather is nice.', 3),
    said('I would take the blue bicycle with the basket.', 10),
    said('ok, that one', 11, { id: 'u2', name: 'Ben' }),
    said('Then it is settled for good, I think.', 12),
  ]
  const seqs = (...hits: number[]) => planRecall(found(messages, hits), LIMITS)?.seqs
  expect(seqs(1)).toEqual([1, 2])
  expect(seqs(2)).toEqual([1, 2])
  expect(seqs(11)).toEqual([10, 11])
  expect(seqs(10)).toEqual([10])
})

test('what is shown raw, told or said twice is not repeated', () => {
  const messages = [
    said('The key hangs behind the mill. The door is red!', 1),
    said('The key hangs behind the mill.', 2),
    said('The key is with the neighbour.', 3),
    said('The key is with the neighbour.', 4),
    said('The key is new.', 5),
  ]
  const isTold = toldTexts([
    '## Messages 1–4\n- 2026-03-02 Ann: The key hangs behind the mill. / The door is red!',
  ])
  expect(planRecall(found(messages), { ...LIMITS, isTold, below: 5 })?.seqs).toEqual([3])
})

test('hangs on nothing but what was found and what is shown', () => {
  const search = found([1, 2, 3, 4, 5].map(seq => said(`Part ${seq}?`, seq)))
  const reversed = { ...search, messages: search.messages.toReversed() }
  expect(planRecall(search, LIMITS)).toEqual(planRecall(reversed, LIMITS))
})
