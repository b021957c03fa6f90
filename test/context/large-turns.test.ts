import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  type Context,
  createPalimpsest,
  type MessageInput,
  type Palimpsest,
  type Session,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import { anthropicViolations, modelMessageViolations, openAIViolations } from '../provider-rules.ts'
import { runs } from '../runs.ts'
import { sqlitePlace } from '../stores.ts'

/** Of the budgets of the issue, those that hold a conversation. */
const BUDGETS = [1_000, 8_000, 16_000, 128_000, 1_000_000]
const BUDGET = 16_000

const place = sqlitePlace()
let palimpsest: Palimpsest
let sessions = 0

beforeAll(async () => {
  palimpsest = await createPalimpsest({
    store: await place.open(),
    policy: tokens({ budget: BUDGET }),
    folding: 'manual',
  })
})

afterAll(async () => {
  await palimpsest.close()
  await place.remove()
})

function newChat(): Session {
  sessions += 1
  return palimpsest.session(`chat-${sessions}`)
}

/** What a person says in so many messages before anybody answers. */
function manyMessages(count: number, words: number): MessageInput[] {
  return Array.from({ length: count }, (_, at) => ({
    role: 'user',
    content: `Part ${at + 1}: ${'what I mean to say '.repeat(words)}`,
  }))
}

function call(at: number): MessageInput {
  return {
    role: 'assistant',
    content: [{ type: 'tool-call', toolCallId: `c${at}`, toolName: 'read', input: { page: at } }],
  }
}

function result(at: number, words: number): MessageInput {
  const output = { type: 'text', value: `Page ${at}. ${'and the river runs on '.repeat(words)}` }
  return {
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: `c${at}`, toolName: 'read', output }],
  }
}

/** What a loop of tool calls leaves in the log. */
function loop(count: number, words: number): MessageInput[] {
  return Array.from({ length: count }, (_, at) => [call(at), result(at, words)]).flat()
}

/** Whether it does, rather than where: what it shows is long. */
function shows(context: Context, text: string): boolean {
  return JSON.stringify(context.messages).includes(text)
}

function spokenTokens({ report }: Context): number {
  return report.blocks.reduce(
    (sum, { name, tokens }) => sum + (name === 'raw' || name === 'current' ? tokens : 0),
    0,
  )
}

function check(context: Context, budget: number): void {
  expect(context.report.tokens).toBeLessThanOrEqual(budget)
  expect(modelMessageViolations(context.messages)).toEqual([])
  expect(openAIViolations(context.toOpenAI())).toEqual([])
  expect(anthropicViolations(context.toAnthropic())).toEqual([])
}

describe('one turn larger than the window', () => {
  test('300 messages and a reply: after the next question the newest of them are there, in every window', async () => {
    const chat = newChat()
    await chat.append([
      ...manyMessages(300, 67),
      { role: 'assistant', content: 'I have read all of it.' },
      { role: 'user', content: 'And what was part 299?' },
    ])
    const whole = await chat.context({ budget: 1_000_000 })
    expect(whole.report.tokens).toBeGreaterThan(100_000)
    await expect(chat.context({ budget: 64 })).rejects.toMatchObject({ code: 'context_overflow' })
    for (const budget of BUDGETS) {
      const context = await chat.context({ budget })
      check(context, budget)
      expect(shows(context, 'Part 300: ')).toBe(true)
      expect(spokenTokens(context)).toBeGreaterThan(Math.min(whole.report.tokens - 100, budget * 0.35))
      if (budget >= 8_000) expect(shows(context, 'Part 299: ')).toBe(true)
      if (budget < 100_000) expect(context.sessionMemory).toContain('goes on in the middle of a turn')
    }
    // And back: no view has changed anything.
    expect((await chat.context({ budget: 1_000_000 })).messages).toEqual(whole.messages)
  })

  test('a long loop of tool calls: the next question sees its newest steps, each call with its result', async () => {
    const chat = newChat()
    await chat.append([
      { role: 'user', content: 'Please read the book.' },
      ...loop(150, 120),
      { role: 'assistant', content: 'I have read it.' },
      { role: 'user', content: 'What was on page 149?' },
    ])
    for (const budget of BUDGETS) {
      const context = await chat.context({ budget })
      check(context, budget)
      expect(shows(context, 'Page 149. ')).toBe(true)
      expect(shows(context, 'result of an earlier call')).toBe(false)
      expect(shows(context, 'call was interrupted')).toBe(false)
      if (budget < 100_000) {
        expect(spokenTokens(context)).toBeGreaterThan(budget * 0.35)
        expect(context.sessionMemory).toContain('goes on in the middle of a turn')
      }
    }
  })

  test('folded, a larger window unfolds a part of it', async () => {
    const chat = newChat()
    await chat.append([...manyMessages(300, 67), { role: 'assistant', content: 'I have read all of it.' }])
    await chat.compact({ force: true })
    await chat.append({ role: 'user', content: 'And what was part 250?' })
    const [usual, large] = [await chat.context(), await chat.context({ budget: 64_000 })]
    check(large, 64_000)
    expect(shows(usual, 'Part 250: ')).toBe(false)
    expect(shows(large, 'Part 250: ')).toBe(true)
    expect(spokenTokens(large)).toBeGreaterThan(20_000)
    expect(large.sessionMemory).toContain('goes on in the middle of a turn')
  })

  test('one group larger than the window keeps its calls, and what they gave last', async () => {
    const chat = newChat()
    const calls = Array.from({ length: 40 }, (_, at) => call(at).content as object[]).flat()
    await chat.append([
      { role: 'user', content: 'Please read the book.' },
      { role: 'assistant', content: calls as never },
      ...Array.from({ length: 40 }, (_, at) => result(at, 110)),
      { role: 'assistant', content: 'I have read it.' },
      { role: 'user', content: 'What was on page 39?' },
    ])
    const context = await chat.context()
    check(context, BUDGET)
    expect(shows(context, 'Page 39. ')).toBe(true)
    expect(shows(context, 'characters, left out here: message 3')).toBe(true)
    expect(shows(context, 'result of an earlier call')).toBe(false)
  })
})

interface LargeTurn {
  readonly by: 'user' | 'tools'
  readonly count: number
  readonly words: number
}

const largeTurn: fc.Arbitrary<LargeTurn> = fc.record({
  by: fc.constantFrom('user' as const, 'tools' as const),
  count: fc.integer({ min: 1, max: 60 }),
  words: fc.integer({ min: 0, max: 100 }),
})

function messagesOf({ by, count, words }: LargeTurn): MessageInput[] {
  const asked = { role: 'user', content: 'Go on.' } as const
  const body = by === 'user' ? manyMessages(count, words) : [asked, ...loop(count, words)]
  return [...body, { role: 'assistant', content: 'Done.' }]
}

/** What the model asks leave for, and beside it a call that needs none. */
function asked(calls: number, words: number): MessageInput[] {
  const pay = (at: number) => [
    {
      type: 'tool-call' as const,
      toolCallId: `pay${at}`,
      toolName: 'pay',
      input: { note: 'word '.repeat(words) },
    },
    { type: 'tool-approval-request' as const, approvalId: `leave${at}`, toolCallId: `pay${at}` },
  ]
  const read = { type: 'tool-call' as const, toolCallId: 'c1', toolName: 'read', input: { page: 1 } }
  return [
    { role: 'assistant', content: [read, ...Array.from({ length: calls }, (_, at) => pay(at)).flat()] },
    result(1, 3),
    {
      role: 'tool',
      content: Array.from({ length: calls }, (_, at) => ({
        type: 'tool-approval-response' as const,
        approvalId: `leave${at}`,
        approved: at !== 1,
      })),
    },
  ]
}

describe('calls that a person allowed', () => {
  test('a turn has them at its end, however little room they leave', async () => {
    for (const calls of [1, 2, 3])
      for (const words of [1, 300, 400, 700, 1_200])
        for (const said of [1, 60]) {
          const chat = newChat()
          await chat.append([
            { role: 'user', content: 'Pay the invoice. '.repeat(said) },
            ...asked(calls, words),
          ])
          const { prompt } = await chat.turn({ budget: 1_000 })
          const last = prompt.messages.at(-1)!
          expect(last.role).toBe('tool')
          expect(JSON.stringify(last.content)).toContain('tool-approval-response')
          expect(JSON.stringify(prompt.messages.at(-2))).toContain('"toolCallId":"pay0"')
        }
  })
})

describe('of any turns and in any window', () => {
  test('the newest part stays, and no call loses its result', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(largeTurn, { minLength: 1, maxLength: 4 }),
        fc.boolean(),
        fc.constantFrom(2_000, 4_000, 9_000, 20_000),
        async (turns, folds, budget) => {
          const chat = newChat()
          for (const turn of turns) {
            await chat.append(messagesOf(turn))
            if (folds) await chat.compact()
          }
          await chat.append({ role: 'user', content: 'And now?' })
          const context = await chat.context({ budget })
          check(context, budget)
          expect(shows(context, 'result of an earlier call')).toBe(false)
          expect(shows(context, 'call was interrupted')).toBe(false)
          const all = spokenTokens(await chat.context({ budget: 1_000_000 }))
          const isWhole = context.report.omitted.length === 0 && context.sessionMemory === null
          // What a fold has covered is not unfolded in a window that folds were made for.
          if (!folds && !isWhole) expect(spokenTokens(context)).toBeGreaterThan(Math.min(all, budget) * 0.2)
        },
      ),
      { numRuns: runs(20, 60) },
    )
  })

  test('a beginning moves in steps: neither a new turn nor each message of a large one moves it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(largeTurn, { minLength: 1, maxLength: 4 }), async turns => {
        const chat = newChat()
        const budget = 3_000
        const beginnings = new Set<string>()
        let last: Context | null = null
        for (const message of turns.flatMap(messagesOf)) {
          await chat.append(message)
          const context: Context = await chat.context({ budget })
          beginnings.add(`${context.raw.fromSeq} ${context.raw.stubBelowSeq}`)
          if (last && context.report.view === last.report.view)
            expect(context.messages.slice(0, last.report.stableMessages)).toEqual(
              last.messages.slice(0, last.report.stableMessages),
            )
          last = context
        }
        const { tokens } = (await chat.context({ budget: 1_000_000 })).report
        // A step is some 40% of the window; a group of results is left out first, and stays a while without them.
        expect(beginnings.size).toBeLessThanOrEqual(2 + (2 * tokens) / (budget * 0.3))
      }),
      { numRuns: runs(10, 25) },
    )
  })
})
