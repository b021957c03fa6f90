import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  type Context,
  type ContextOptions,
  type ContextOverflowError,
  createPalimpsest,
  type Message,
  type Palimpsest,
  PalimpsestError,
  type Session,
  type SessionFile,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import { anthropicViolations, modelMessageViolations, openAIViolations } from '../provider-rules.ts'
import { runs } from '../runs.ts'
import { sqlitePlace } from '../stores.ts'
import { expectToAddUp } from './adds-up.ts'
import { type History, history, newSession, play } from './histories.ts'

const HISTORIES = runs(60, 500)
const BUDGET = 2_000

const place = sqlitePlace()
let palimpsest: Palimpsest

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

const view: fc.Arbitrary<ContextOptions> = fc.record(
  {
    budget: fc.constantFrom(120, 300, 700, 1_500, 6_000, 50_000),
    instructions: fc.constantFrom('', 'You are a helpful bot.', 'Be brief. '.repeat(40)),
    outputReserve: fc.constantFrom(0, 100),
    reasoning: fc.constantFrom('drop' as const, 'keep' as const),
  },
  { requiredKeys: [] },
)

/** The context, or `null` where the budget cannot hold one: then with an error that has the numbers. */
async function contextOrNull(session: Session, options: ContextOptions): Promise<Context | null> {
  if ((await session.info()) === null) return null
  try {
    return await session.context(options)
  } catch (error) {
    if (!PalimpsestError.isInstance(error) || error.code !== 'context_overflow') throw error
    expectToAddUp(error as ContextOverflowError, options.budget ?? BUDGET)
    return null
  }
}

function checkHistories(
  length: number,
  check: (session: Session, options: ContextOptions, history: History) => Promise<void>,
): Promise<void> {
  return fc.assert(
    fc.asyncProperty(history(length), view, async (history, options) => {
      const session = newSession(palimpsest, history)
      await play(session, history)
      await check(session, options, history)
    }),
    { numRuns: HISTORIES },
  )
}

describe('a context of any history', () => {
  it('has no gap: every message is there, or covered by what says so', async () => {
    await checkHistories(24, async (session, options) => {
      const context = await contextOrNull(session, options)
      if (context === null) return
      const messages = await session.messages({ limit: 1_000 })
      expect(notCovered(messages, context)).toEqual([])
    })
  })

  it('shows everything again where there is room, whatever was folded and shown before', async () => {
    await checkHistories(24, async (session, options) => {
      const large = { budget: 2_000_000, reasoning: 'keep' as const }
      const before = await contextOrNull(session, large)
      await contextOrNull(session, options)
      const after = await contextOrNull(session, large)
      if (after === null) return
      expect(after.messages).toEqual(before?.messages)
      const messages = await session.messages({ limit: 1_000 })
      expect(messages.filter(message => !isShownRaw(message, after)).map(({ seq }) => seq)).toEqual([])
    })
  })

  it('fits the budget, fixed parts included', async () => {
    await checkHistories(24, async (session, options) => {
      const context = await contextOrNull(session, options)
      if (context === null) return
      const budget = options.budget ?? BUDGET
      expect(context.report.tokens).toBeLessThanOrEqual(budget)
      expect(recounted(context) + (options.outputReserve ?? 0)).toBeLessThanOrEqual(budget)
    })
  })

  it('is valid for the providers, and leaves the log as it was', async () => {
    await checkHistories(24, async (session, options) => {
      if ((await session.info()) === null) return
      const before = await session.export()
      const context = await contextOrNull(session, options)
      if (context === null) return
      expect(modelMessageViolations(context.messages)).toEqual([])
      if (context.messages.length > 0) {
        expect(openAIViolations(context.toOpenAI())).toEqual([])
        expect(anthropicViolations(context.toAnthropic())).toEqual([])
      }
      // What was measured, and the language of an epoch, are no part of the log.
      const ofLog = ({ counters: _, language: __, epoch: ___, ...log }: SessionFile) => log
      expect(ofLog(await session.export())).toEqual(ofLog(before))
    })
  })

  it('is stable: within a view each one begins with the one before', async () => {
    await fc.assert(
      fc.asyncProperty(history(20), view, async (history, options) => {
        const session = newSession(palimpsest, history)
        const last = new Map<string, Context>()
        await play(session, history, async () => {
          for (const which of [options, {}]) {
            const context = await contextOrNull(session, which)
            if (context === null) continue
            const { report, messages, instructions } = context
            const name = `${JSON.stringify(which)} ${report.view}`
            const before = last.get(name)
            if (before) {
              const { stableMessages } = before.report
              expect(instructions).toBe(before.instructions)
              expect(JSON.stringify(messages.slice(0, stableMessages))).toBe(
                JSON.stringify(before.messages.slice(0, stableMessages)),
              )
              expect(report.stableMessages).toBeGreaterThanOrEqual(stableMessages)
            }
            last.set(name, context)
          }
        })
      }),
      { numRuns: HISTORIES },
    )
  })
})

/** Messages that are neither there nor in a range that the context names. */
function notCovered(messages: readonly Message[], context: Context): number[] {
  return messages
    .filter(message => !isShownRaw(message, context) && !isNamed(message.seq, context))
    .map(({ seq }) => seq)
}

/** Of a message in one that answers it: it does not stand there itself. */
const QUOTATIONS = /\[(?:answering |回复)[^\n]*?\]:\\n> (?:[^\\"]|\\[^n])*/g
const SHOWN = new WeakMap<Context, string>()

function isShownRaw({ content }: Message, context: Context): boolean {
  const mark = /~\d+~/.exec(JSON.stringify(content))?.[0]
  // An approval has no place in a context, and a call without arguments no mark.
  if (mark === undefined) return true
  const all = SHOWN.get(context) ?? JSON.stringify(context.messages).replace(QUOTATIONS, '')
  SHOWN.set(context, all)
  return all.includes(mark)
}

function isNamed(seq: number, context: Context): boolean {
  const memory = context.sessionMemory ?? ''
  const ranges = [...memory.matchAll(/(?:Messages|消息) (\d+)–(\d+)/g)].map(([, from, to]) => [
    Number(from),
    Number(to),
  ])
  if (ranges.some(([from, to]) => from! <= seq && seq <= to!)) return true
  // What is clipped or left out by itself says which message it is.
  return new RegExp(`(?:message|消息) ${seq}\\b`).test(JSON.stringify(context.messages))
}

/** Counted anew from what is sent, by nobody's bookkeeping. */
function recounted({ instructions, messages }: Context): number {
  return messages.reduce(
    (sum, message) => sum + 4 + contentTokens(message.content),
    estimateTokens(instructions),
  )
}

function contentTokens(content: Context['messages'][number]['content']): number {
  if (typeof content === 'string') return estimateTokens(content)
  return content.reduce((sum, part) => {
    if (part.type === 'image') return sum + 1_200
    if (part.type === 'file') return sum + (part.mediaType.startsWith('image') ? 1_200 : 2_000)
    if (part.type === 'tool-call')
      return sum + estimateTokens(part.toolName) + estimateTokens(JSON.stringify(part.input))
    if (part.type === 'tool-result') return sum + estimateTokens(String(part.output.value))
    return sum + estimateTokens(part.text)
  }, 0)
}
