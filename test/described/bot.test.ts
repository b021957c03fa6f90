import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type Summarizer,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import { blockIn } from '../memory/blocks.ts'
import { Clock } from '../memory/kit.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { said } from './long-text.ts'

/** Sessions and memory of a bot, in the words of the person who described it. */

/** Half past eleven at night in Shanghai, and still the day before in Europe's afternoon. */
const LATE = Date.UTC(2026, 2, 2, 15, 30)

interface Asked {
  readonly earlier: string | null
}

/** Tells what is worth it, and notes what it was shown. */
function summarizer(asked: Asked[]): Summarizer {
  return {
    name: 'test:model',
    version: '1',
    sourceTokens: 100_000,
    summarize: async ({ messages, earlier, of, extracts }) => {
      if (of !== 'summaries') asked.push({ earlier: earlier === null ? null : JSON.stringify(earlier) })
      const facts = messages.flatMap(({ seq, content, at }) => {
        const fact = /Fact \d+ of the pier\./.exec(String(content))?.[0]
        const on = new Date(at.getTime() + 8 * 3_600_000).toISOString().slice(0, 10)
        return fact === undefined ? [] : [{ text: fact, on, seq }]
      })
      return {
        text: `Summary ${asked.length} of crates and cranes in the harbour.`,
        events: [],
        details: [],
        memo: {},
        ...(extracts && { extracts: facts }),
      }
    },
  }
}

describe.each(Object.entries(PLACES))('a bot, on %s', (_, newPlace) => {
  let place: StorePlace
  let palimpsest: Palimpsest
  let clock: Clock
  let asked: Asked[]

  const open = async (options: Partial<PalimpsestOptions> = {}) => {
    palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: tokens({ budget: 4_000, lowWater: 0.1 }),
      folding: 'manual',
      clock: clock.read,
      zone: 'Asia/Shanghai',
      summarizer: summarizer(asked),
      ...options,
    })
  }
  const talk = async (id: string, ...facts: readonly number[]) => {
    const chat = palimpsest.session(id, { kind: 'private', user: 'wang' })
    for (const fact of facts) {
      await chat.append({ role: 'user', content: `Fact ${fact} of the pier. ${said(fact)}` })
      await chat.append({ role: 'assistant', content: said(fact, 'assistant') })
    }
    return chat
  }

  beforeEach(async () => {
    place = newPlace()
    clock = new Clock(LATE)
    asked = []
    await open()
  })

  afterEach(async () => {
    await palimpsest.close()
    await place.remove()
  })

  test('folds write dated lines to chat memory and to the daily log, by the day that it is where the bot is', async () => {
    const chat = await talk('chat', 1, 2)
    clock.pass({ hours: 1 })
    await talk('chat', 3, 4, 5)
    expect(await chat.compact({ force: true })).toMatchObject({ outcome: 'applied' })
    const { content } = (await chat.memory.read())!
    expect(content).toMatch(/^## History\n(?:- .*\n)*- 2026-03-02: Fact 1 of the pier\.$/m)
    expect((await chat.daily('2026-03-02').read())!.content).toContain('Fact 1 of the pier.')
    expect((await chat.daily('2026-03-03').read())!.content).toContain('Fact 3 of the pier.')
    expect((await chat.daily('2026-03-03').read())!.content).not.toContain('Fact 1 of the pier.')
  })

  test('the daily log is shown for two days in the configured zone, with what folds have left there', async () => {
    const chat = await talk('chat', 1, 2)
    clock.pass({ hours: 1 })
    await talk('chat', 3, 4, 5)
    await chat.compact({ force: true })
    // As it is once no segment tells it at first hand.
    const daily = async () =>
      blockIn((await chat.context({ budget: 200_000 })).instructions, 'daily_log') ?? ''
    expect(await daily()).toMatch(/Fact 1 of the pier\.[\s\S]*Fact 3 of the pier\./)
    // Past midnight in Europe, and still the third of March in Shanghai.
    clock.pass({ hours: 14 })
    await talk('chat', 6)
    expect(await daily()).toContain('Fact 1 of the pier.')
    clock.pass({ days: 1 })
    await talk('chat', 7)
    await chat.compact({ force: true })
    expect(await daily()).not.toContain('Fact 1 of the pier.')
    expect(await daily()).toContain('Fact 3 of the pier.')
    clock.pass({ days: 1 })
    await talk('chat', 8)
    await chat.compact({ force: true })
    expect(await daily()).not.toContain('Fact 3 of the pier.')
  })

  test('chat memory is shown in the context, with what folds have left there', async () => {
    const chat = await talk('chat', 1, 2, 3, 4, 5)
    await chat.memory.append('- We ship on Fridays only', { section: 'About this conversation' })
    await chat.compact({ force: true })
    const memory = async (options = {}) =>
      blockIn((await chat.context(options)).instructions, 'chat_memory') ?? ''
    // The segment tells it, so it is not said twice.
    expect(await memory()).toContain('We ship on Fridays only')
    expect(await memory()).not.toContain('Fact 1 of the pier.')
    expect(await memory({ budget: 200_000 })).toContain('Fact 1 of the pier.')
    for (let fact = 6; (await chat.segments()).every(({ level }) => level === 1); fact++) {
      await talk('chat', fact)
      await chat.compact({ force: true })
    }
    expect(await memory()).toContain('Fact 1 of the pier.')
  })

  test('the model is told which memory is for what, for the tools that it has', async () => {
    await palimpsest.close()
    await open({ memory: { owner: 'wang' } })
    const chat = await talk('chat', 1)
    const guidanceFor = async (tools: unknown) =>
      blockIn((await chat.context({ tools })).instructions, 'guidance') ?? ''
    const guidance = await guidanceFor((await chat.memoryTools()).toOpenAI())
    expect(guidance).toMatch(/write_memory: what is true for everyone .*everybody can see it/)
    expect(guidance).toMatch(/write_user_memory: what holds for this person everywhere/)
    expect(guidance).toMatch(/write_chat_memory: what belongs to this chat alone .*seen here only/)
    const other = await palimpsest.session('other', { user: 'li' }).memoryTools()
    expect(await guidanceFor(other.toOpenAI())).not.toMatch(/ write_memory:/)
    expect(await guidanceFor(undefined)).toBe('')
  })

  test('each summary knows the ones before', async () => {
    const chat = await talk('chat', 1, 2, 3, 4, 5, 6)
    await chat.compact({ force: true })
    await talk('chat', 7, 8, 9, 10, 11, 12)
    await chat.compact({ force: true })
    expect(asked.length).toBeGreaterThanOrEqual(2)
    expect(asked[0]!.earlier).toBeNull()
    expect(asked.at(-1)!.earlier).toContain('Summary 1 of crates')
  })

  test('nothing of one chat is seen in another', async () => {
    const chat = await talk('chat', 1, 2, 3, 4, 5)
    await chat.memory.append('- a note of this chat', { section: 'Agreements' })
    await chat.compact({ force: true })
    const other = palimpsest.session('other', { kind: 'private', user: 'li' })
    await other.append({ role: 'user', content: 'What is fact 1 of the pier?' })
    const context = await other.context({ query: 'fact 1 of the pier' })
    expect(context.instructions + JSON.stringify(context.messages)).not.toMatch(/Fact \d|a note of this chat/)
    expect((await other.search('pier crate harbour')).results.map(({ seq }) => seq)).toEqual([1])
  })
})
