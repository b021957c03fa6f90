import { type NewMessage, normalizeMessage } from 'palimpsest/internals/log/index'
import { tokens } from 'palimpsest/internals/policy/index'
import { measureMessage } from 'palimpsest/internals/tokens/index'
import { describe, expect, it } from 'vitest'
import { PLAIN_PRICES } from '../../../test/lab/plain-prices.ts'
import { type Baseline, lastMessages, NO_MEMORY, replayBaseline } from './baselines.ts'
import { type ConditionOptions, conditionsOf } from './conditions.ts'
import type { Prices } from './prices/prices.ts'
import { replayPolicy } from './replay/replay.ts'

const PRICES: Prices = PLAIN_PRICES
const OVERHEAD = 50

const said = (role: 'user' | 'assistant', seconds: number): NewMessage =>
  normalizeMessage(
    { role, content: `What is said after ${seconds} seconds.`, at: seconds * 1_000 },
    { zone: 'UTC' },
  )

const TALK = Array.from({ length: 12 }, (_, index) =>
  said(index % 2 === 0 ? 'user' : 'assistant', index * 10),
)

function run(baseline: Baseline, conversations: readonly NewMessage[][], options: ConditionOptions = {}) {
  const conditions = conditionsOf(
    { prices: PRICES, overheadTokens: OVERHEAD, ...options },
    { hasReplies: true, policies: [] },
  )
  const read = (messages: readonly NewMessage[]) => ({ kind: 'private' as const, read: () => messages })
  return replayBaseline(baseline, conversations.map(read), conditions)
}

const tokensOf = (messages: readonly NewMessage[]) =>
  messages.reduce((sum, message) => sum + measureMessage(message).tokens, 0)

describe('a bot without a memory', () => {
  it('sends everything, each time', async () => {
    const { cost, tokens, breaks, folds, timeline, messages, kind } = await run(NO_MEMORY, [TALK])
    expect({ messages, kind, folds, breaks }).toEqual({
      messages: 12,
      kind: 'baseline',
      folds: [],
      breaks: [],
    })
    expect(timeline.map(({ message, contextTokens }) => [message, contextTokens])).toEqual(
      [1, 3, 5, 7, 9, 11].map(count => [count, OVERHEAD + tokensOf(TALK.slice(0, count))]),
    )
    expect(cost.total).toBe(cost.calls.reply.money)
    expect(tokens).toMatchObject({ log: tokensOf(TALK), raw: tokensOf(TALK), segments: 0 })
  })

  it('takes a message that is delivered twice once', async () => {
    const talk = TALK.map((message, index) => ({ ...message, externalId: `m${index}` }))
    const again = talk.flatMap((message, index) => (index % 3 === 0 ? [message, message] : [message]))
    expect(await run(NO_MEMORY, [again])).toEqual(await run(NO_MEMORY, [talk]))
  })

  it('finds nothing of one conversation in the cache of another', async () => {
    const one = await run(NO_MEMORY, [TALK])
    const two = await run(NO_MEMORY, [TALK, TALK])
    expect(two.cost.total).toBeCloseTo(2 * one.cost.total, 12)
    expect(two.timeline.at(-1)!.message).toBe(23)
  })

  it('asks when a late reply is sent, not when the message before it came', async () => {
    const { timeline } = await run(NO_MEMORY, [[said('user', 0), said('assistant', 301)]])
    expect(timeline.map(({ at }) => at)).toEqual([301_000])
    const soon = await run(NO_MEMORY, [[said('user', 0), said('assistant', 300)]])
    expect(soon.timeline.map(({ at }) => at)).toEqual([0])
  })

  it('asks after every so many messages, where that is said, and nobody writes a reply', async () => {
    const { cost, timeline } = await run(NO_MEMORY, [TALK], { calls: 5 })
    expect(timeline.map(({ message }) => message)).toEqual([5, 10])
    expect(cost.calls.reply.outputTokens).toBe(0)
  })
})

describe('a bot that sends the last messages', () => {
  it('is named by how many', () => {
    expect(lastMessages(40).name).toBe('last 40 messages')
  })

  it('sends so many, and shares only the instructions once it drops some', async () => {
    const { timeline, breaks, tokens } = await run(lastMessages(4), [TALK])
    expect(timeline.map(({ contextTokens }) => contextTokens)).toEqual(
      [1, 3, 5, 7, 9, 11].map(count => OVERHEAD + tokensOf(TALK.slice(Math.max(0, count - 4), count))),
    )
    expect(timeline.map(({ cachedTokens }) => cachedTokens).slice(2)).toEqual(Array(4).fill(OVERHEAD))
    expect(breaks).toMatchObject([{ cause: 'slide', reason: null, count: 4 }])
    expect(tokens.raw).toBe(tokensOf(TALK.slice(-4)))
  })

  it('is the one without a memory while the conversation is short', async () => {
    const short = await run(lastMessages(12), [TALK])
    expect(short).toEqual({ ...(await run(NO_MEMORY, [TALK])), name: 'last 12 messages' })
  })

  it.each([
    ['private', 'Ann'],
    ['group', 'Ann'],
    ['group', 'Bertrand the Second'],
  ] as const)('a policy that folds nothing sends the same: %s, %s', async (kind, name) => {
    const talk = TALK.map(message => ({ ...message, sender: { id: message.role === 'user' ? name : 'bot' } }))
    const conditions = conditionsOf(
      { prices: PRICES, overheadTokens: OVERHEAD },
      { hasReplies: true, policies: [] },
    )
    const conversation = { kind, read: () => talk }
    const everything = await replayBaseline(NO_MEMORY, [conversation], conditions)
    const folded = await replayPolicy(
      { name: 'tokens', policy: tokens(), settings: {} },
      [conversation],
      conditions,
    )
    expect(folded.cost).toEqual(everything.cost)
  })
})
