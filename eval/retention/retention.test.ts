import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { rawTokens } from '../../packages/palimpsest/src/compaction/source.ts'
import { count, createPalimpsest, sqlite } from '../../packages/palimpsest/src/index.ts'
import { contentText } from '../../packages/palimpsest/src/log/index.ts'
import { segmentLimits, summaryTokens } from '../../packages/palimpsest/src/policy/index.ts'
import { estimateTokens, measureMessage } from '../../packages/palimpsest/src/tokens/index.ts'
import { smallTalk } from '../../test/scenarios/small-talk.ts'
import type { Conversation, ConversationMessage } from '../conversation.ts'
import { splitIntoFolds } from './fold.ts'
import { METHODS, measureRetention, SHARES } from './index.ts'
import { budgetOf, joinTexts } from './method.ts'
import { foldOnce } from './palimpsest.ts'

function say(texts: readonly string[], start = '2026-03-02T09:00:00Z'): ConversationMessage[] {
  return texts.map((text, index) => ({
    externalId: `m${index + 1}`,
    role: index % 2 === 0 ? 'user' : 'assistant',
    sender: index % 2 === 0 ? 'Ann' : 'Ben',
    at: new Date(Date.parse(start) + index * 3_600_000).toISOString(),
    text,
  }))
}

function talk(length: number): ConversationMessage[] {
  const messages = smallTalk(5)
  return say(Array.from({ length }, () => contentText(messages.next().value.content ?? '')))
}

describe('folds', () => {
  test('hold every message once, in order, and are about equally large', () => {
    const messages = talk(500)
    const folds = splitIntoFolds(messages)
    expect(folds.length).toBeGreaterThan(2)
    const said = folds.flatMap(fold => fold.messages)
    expect(said.map(({ content }) => content)).toEqual(messages.map(({ text }) => text))
    expect(said.map(({ seq }) => seq)).toEqual(messages.map((_, index) => index + 1))
    const sizes = folds.map(({ sourceTokens }) => sourceTokens)
    expect(Math.max(...sizes) - Math.min(...sizes)).toBeLessThan(200)
  })

  test('of next to nothing, and of a message that is larger than a fold', () => {
    expect(splitIntoFolds([])).toEqual([])
    expect(splitIntoFolds(say(['', '']))).toMatchObject([{ sourceTokens: 0 }])
    const folds = splitIntoFolds(say(['hi', 'the long story of a boat '.repeat(2_000), 'bye']))
    expect(folds.flatMap(fold => fold.messages)).toHaveLength(3)
  })
})

describe('budgets', () => {
  test.each(METHODS.map(method => [method.name, method] as const))(
    '%s fills them, and never more',
    async (_, { shorten }) => {
      const folds = splitIntoFolds(talk(250))
      const total = folds.reduce((sum, { sourceTokens }) => sum + sourceTokens, 0)
      for (const share of SHARES) {
        const texts = await shorten(folds, share)
        for (const [index, text] of texts.entries())
          expect(estimateTokens(text)).toBeLessThanOrEqual(budgetOf(folds[index]!, share))
        const kept = estimateTokens(joinTexts(texts)) / total
        expect(kept).toBeLessThanOrEqual(share)
        expect(kept).toBeGreaterThan(share * 0.85)
      }
    },
  )

  test('hold whatever is said', async () => {
    const text = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 300 }),
      fc.lorem({ maxCount: 12, mode: 'sentences' }),
      fc.constantFrom('', '😀😀 ok', '我们决定下周五去上海。', '- a\r\n- b', '\ud800', 'x'.repeat(5_000)),
    )
    const property = fc.asyncProperty(fc.array(text, { maxLength: 8 }), async texts => {
      const folds = splitIntoFolds(say(texts))
      for (const { shorten } of METHODS)
        for (const [index, shortened] of (await shorten(folds, 0.2)).entries())
          expect(estimateTokens(shortened)).toBeLessThanOrEqual(budgetOf(folds[index]!, 0.2))
    })
    await fc.assert(property, { numRuns: 25 })
  })
})

test('ours are the bytes that the engine stores', async () => {
  const policy = count({ threshold: 60, keepLast: 0 })
  await using palimpsest = await createPalimpsest({ store: sqlite(':memory:'), policy, folding: 'manual' })
  const chat = palimpsest.session('s')
  const messages = talk(60)
  for (const { text, ...message } of messages) await chat.append({ ...message, content: text })
  await chat.compact({ force: true })
  const [segment] = await chat.segments()

  const [fold] = splitIntoFolds(messages.slice(0, segment!.toSeq))
  const measured = fold!.messages.reduce((sum, message) => sum + measureMessage(message).tokens, 0)
  const said = await chat.messages({ limit: segment!.toSeq, from: 'oldest' })
  const tokens = Math.min(measured, rawTokens(said, 'private'))
  const { text } = await foldOnce(fold!, null, summaryTokens(tokens, segmentLimits(policy)))
  expect(segment!.toSeq).toBeGreaterThan(50)
  expect(segment!.text).toBe(text)
})

describe('what survives', () => {
  const question = (answer: string, category = 4) => ({ question: '?', answer, evidence: [], category })
  const chatter = ['ok thanks', 'Sure!', 'How was your day?', 'Good, and yours?']
  const conversation: Conversation = {
    name: 'boats',
    messages: say([
      ...Array.from({ length: 60 }, (_, index) => chatter[index % 4]!),
      'My dentist Dr. Okonkwo moved to 17 Harbour Street in Porto.',
      ...Array.from({ length: 60 }, (_, index) => chatter[index % 4]!),
    ]),
    questions: [
      question('17 Harbour Street'),
      question('Porto', 1),
      question('a dragon'),
      question('to the'),
    ],
  }

  test('is counted by method, budget and category, without what the source does not say', async () => {
    const progress: number[] = []
    const { asked, leftOut, results } = await measureRetention([conversation], {
      onProgress: share => progress.push(share),
    })
    expect({ asked, leftOut }).toEqual({ asked: 4, leftOut: 2 })
    expect(results.map(({ method, budget }) => `${method} ${budget}`)).toEqual([
      ...METHODS.map(({ name }) => `${name} 10`),
      ...METHODS.map(({ name }) => `${name} 20`),
    ])
    const at20 = results.filter(({ budget }) => budget === 20)
    expect(at20[0]).toEqual({
      method: 'palimpsest',
      budget: 20,
      kept: expect.any(Number),
      count: 2,
      answers: 100,
      words: 100,
      byCategory: [
        { category: 1, count: 1, answers: 100, words: 100 },
        { category: 4, count: 1, answers: 100, words: 100 },
      ],
      superseded: { count: 0, toldAlone: 0, share: null },
    })
    expect(at20[1]).toMatchObject({ method: 'first sentences', answers: 0, words: 0 })
    expect(progress).toHaveLength(2 * METHODS.length)
    expect(progress.every(share => share >= 0 && share < 1)).toBe(true)
  })

  test('is told of a value that held no more, where it stands without the one that took its place', async () => {
    const superseded = (before: string, answer: string) => ({
      ...conversation,
      questions: [{ ...question(answer), superseded: [before] }],
    })
    const moved = {
      ...conversation,
      messages: say([
        'The dentist is at 17 Harbour Street in Porto.',
        ...chatter,
        'It is 9 Mill Lane, in Braga.',
      ]),
    }
    const alone = await measureRetention([
      {
        ...moved,
        questions: [{ ...question('Harbour Mill Lane Braga dentist'), superseded: ['Harbour', 'Oslo'] }],
      },
    ])
    for (const { superseded: told, answers } of alone.results) {
      expect(told.count).toBe(2)
      expect(told.toldAlone).toBeLessThanOrEqual(answers === 100 ? 0 : 1)
    }
    const [first] = (await measureRetention([superseded('Porto', '17 Harbour Street')])).results
    expect(first!.superseded).toEqual({ count: 1, toldAlone: 0, share: 0 })
  })

  test('is nothing where nothing is asked', async () => {
    const { results } = await measureRetention([{ ...conversation, questions: [question('a dragon')] }])
    expect(results[0]).toMatchObject({ count: 0, answers: null, words: null, byCategory: [] })
    expect((await measureRetention([])).results[0]).toMatchObject({ kept: 0, count: 0 })
  })
})
