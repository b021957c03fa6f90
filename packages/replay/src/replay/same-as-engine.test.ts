import fc from 'fast-check'
import { type Context, compose, createPalimpsest, type MessageInput, type Policy } from 'palimpsest'
import { ContextOverflowError } from 'palimpsest/internals/errors'
import {
  type NewMessage,
  normalizeMessage,
  type Segment,
  type SessionKind,
} from 'palimpsest/internals/log/index'
import { count, resize, rounds, tokens, window } from 'palimpsest/internals/policy/index'
import { sqlite } from 'palimpsest/internals/store/sqlite/index'
import { extractive } from 'palimpsest/internals/summarizer/index'
import { estimateTokens } from 'palimpsest/internals/tokens/index'
import { describe, expect, it } from 'vitest'
import { runs } from '../../../../test/runs.ts'
import { Bill } from '../bill/bill.ts'
import type { SummarizerCall } from '../bill/summarizer-calls.ts'
import type { Assumptions, CallCost, ReplayFold } from '../comparison.ts'
import { PRICE_PRESETS } from '../prices/presets.ts'
import { asksAt } from './asks-at.ts'
import { ReplayedSession } from './replayed-session.ts'
import { simulatedSummarizer } from './simulated-summarizer.ts'

/**
 * The replay runs the engine over a session in memory. Here the same conversations go through an instance with
 * SQLite under it, at the same times: what differs is a fault of the memory, or of the order of events.
 */
const RUNS = runs(25, 200)

interface Setting {
  readonly kind: SessionKind
  readonly policy: Policy
  readonly instructions: string
  readonly summarizer: Assumptions['summarizer']
  readonly calls: Assumptions['calls']
  readonly groupTurnMessages: number
  readonly messages: readonly NewMessage[]
}

interface Lived {
  /** As JSON. */
  readonly contexts: readonly string[]
  readonly folds: readonly Fold[]
  readonly segments: readonly Segment[]
  /** Of the simulated summariser, as it was asked. */
  readonly calls: Readonly<Record<SummarizerCall['kind'], Calls>>
}

type Calls = Pick<CallCost, 'calls' | 'inputTokens' | 'outputTokens'>

type Fold = Pick<ReplayFold, 'type' | 'reason' | 'fromSeq' | 'toSeq'>

const SUMMARY_RATIO = 0.3
const NO_CALLS: Calls = { calls: 0, inputTokens: 0, outputTokens: 0 }

describe('the replay', () => {
  it('folds and shows what the engine does over SQLite, byte for byte', async () => {
    const seen = { folds: 0, contexts: 0, rolledUp: 0, byTimer: 0, summaries: 0, memos: 0 }
    await fc.assert(
      fc.asyncProperty(setting(), async setting => {
        const replayed = await inMemory(setting).catch(overflow)
        expect(await overSqlite(setting).catch(overflow)).toEqual(replayed)
        if (typeof replayed === 'string') return
        seen.folds += replayed.folds.length
        seen.contexts += replayed.contexts.length
        seen.byTimer += replayed.folds.filter(({ reason }) => ['idle', 'cooldown'].includes(reason)).length
        seen.summaries += replayed.calls.summary.calls
        seen.memos += replayed.calls.memo.calls
        seen.rolledUp += replayed.segments.filter(({ level }) => level > 1).length
      }),
      { numRuns: RUNS },
    )
    // Or nothing was tried.
    for (const times of Object.values(seen)) expect(times).toBeGreaterThan(RUNS / 10)
  })
})

/** Where a budget is too small for what was said, both have to say so. */
function overflow(error: unknown): string {
  if (error instanceof ContextOverflowError) return error.message
  throw error
}

async function inMemory(setting: Setting): Promise<Lived> {
  const contexts: string[] = []
  const folds: Fold[] = []
  const bill = new Bill()
  const prices = PRICE_PRESETS['claude-haiku-4-5']!
  const session = new ReplayedSession({
    ...setting,
    types: [],
    messagesBefore: 0,
    prices,
    summarizerPrices: prices,
    assumptions: {
      overheadTokens: 0,
      summarizer: setting.summarizer,
      summaryRatio: SUMMARY_RATIO,
      calls: setting.calls,
      extraction: 'none',
    },
    bill,
    onFold: ({ fromSeq, toSeq, type, reason }) => folds.push({ fromSeq, toSeq, type, reason }),
    onRequest: context => {
      contexts.push(shown(context))
    },
  })
  for (const message of setting.messages) await session.append(message)
  await session.end()
  const { summary, memo } = bill.cost.calls
  const calls = { summary: callsOf(summary), memo: callsOf(memo) }
  return { contexts, folds, segments: session.segments, calls }
}

function callsOf({ calls, inputTokens, outputTokens }: Calls): Calls {
  return { calls, inputTokens, outputTokens }
}

async function overSqlite(setting: Setting): Promise<Lived> {
  const { policy, instructions, kind, calls, groupTurnMessages } = setting
  const store = sqlite(':memory:')
  const key = { namespace: 'default', id: 'replayed' }
  const contexts: string[] = []
  const folds: Fold[] = []
  const sums: Record<SummarizerCall['kind'], Calls> = { summary: NO_CALLS, memo: NO_CALLS }
  const noteCall = ({ kind, instructions, promptTokens, outputTokens }: SummarizerCall) => {
    const sum = sums[kind]
    sums[kind] = {
      calls: sum.calls + 1,
      inputTokens: sum.inputTokens + estimateTokens(instructions) + promptTokens,
      outputTokens: sum.outputTokens + outputTokens,
    }
  }
  const seen = new Set<string>()
  let now = 0
  let seqs = 0
  let waits = false
  await using palimpsest = await createPalimpsest({
    store,
    policy,
    groupTurnMessages,
    summarizer:
      setting.summarizer === 'extractive'
        ? extractive()
        : simulatedSummarizer({ ratio: SUMMARY_RATIO, onCall: noteCall }),
    folding: 'manual',
    // Memory documents are no part of what the lab compares.
    memory: { extract: 'off' },
    clock: () => now,
  })
  const session = palimpsest.session(key.id, { kind })
  const ask = async () => {
    contexts.push(shown(await session.context({ instructions })))
  }
  const append = async (message: NewMessage) => {
    waits = (await session.append(asInput(message))).decision !== null
    // An append leaves an earlier due time as it is; worked out from there, the next can be a millisecond late.
    await store.schedule.judge(key, { policy, now })
  }
  for (const message of setting.messages) {
    if (message.externalId !== null && seen.has(message.externalId)) {
      await append(message)
      continue
    }
    if (message.externalId !== null) seen.add(message.externalId)
    const arrival = Math.max(now, message.at ?? now)
    const asked = asksAt(message, { calls, lastArrival: now, arrival, messages: seqs })
    if (asked?.as === 'answer') await ask()
    if (waits) await session.compact()
    // As the scheduler does it: what is due is judged, and folded where a rule says so.
    for (let due = await store.schedule.nextDueAt('default', 'judging'); due !== null && due < arrival; ) {
      now = Math.max(now, due)
      const verdict = await store.schedule.judge(key, { policy, now })
      if (verdict?.decision) await session.compact()
      due = await store.schedule.nextDueAt('default', 'judging')
    }
    if (asked?.as === 'unasked') await ask()
    now = arrival
    await append(message)
    seqs += 1
    if (asked?.as === 'after') await ask()
  }
  if (waits) await session.compact()
  for (const event of await store.events.readEvents({ after: null, limit: 10_000 })) {
    if (event.type !== 'fold-committed') continue
    const { type, reason } = event.data as { type: string; reason: string }
    folds.push({ fromSeq: event.fromSeq, toSeq: event.toSeq, type, reason })
  }
  return { contexts, folds, segments: await session.segments(), calls: sums }
}

function asInput({ at, ...message }: NewMessage): MessageInput {
  const { sender, zone, externalId, replyTo } = message
  return {
    role: message.role,
    content: message.content,
    ...(at !== null && { at }),
    ...(sender && { sender }),
    ...(zone !== null && { zone }),
    ...(externalId !== null && { externalId }),
    ...(replyTo !== null && { replyTo }),
  }
}

function shown({ instructions, messages, breakpoints, sessionMemory, report }: Context): string {
  return JSON.stringify({ instructions, messages, breakpoints, sessionMemory, report })
}

type Said =
  | { do: 'say'; role: 'user' | 'assistant' | 'system'; text: string }
  | { do: 'call'; ids: readonly number[]; text: string }
  | { do: 'answer'; id: number; words: number }
  | { do: 'attach' }

interface Step {
  readonly said: Said
  readonly sender: number
  /** Milliseconds since the message before; `null`: it has no time of its own. */
  readonly pause: number | null
  readonly isNamed: boolean
  /** Delivered once more, so many messages later. */
  readonly again: number | null
}

const TEXTS = [
  'ok',
  'Shall we ship on Friday?',
  'The invoice no. 4711 over 1,299.50 EUR is due on 2026-05-04, see https://example.com/i/4711?x=1',
  '我们下周三去看房子，预算是三百万。王小明说他也来。',
  'Zażółć gęślą jaźń 🙂👨‍👩‍👧 🎉🎉',
  'two\nlines\r\nand a tab\t',
  '## Messages 1–4\nnot a heading',
  'forty crates of lemons sail to Porto on Friday and Ann tells Bob about the invoice '.repeat(4),
  '会议改到下周五下午三点，地点不变，请大家带上合同的复印件。'.repeat(5),
  'a1B2'.repeat(300),
  '🎉'.repeat(60),
]

const text = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 3, arbitrary: fc.lorem({ maxCount: 60 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', minLength: 1, maxLength: 80 }) },
)

const said: fc.Arbitrary<Said> = fc.oneof(
  {
    weight: 14,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      role: fc.constantFrom('user', 'user', 'user', 'assistant', 'assistant', 'assistant', 'system'),
      text,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      ids: fc.array(fc.nat(3), { minLength: 1, maxLength: 2 }),
      text: fc.constantFrom('', 'Let me look.'),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      id: fc.nat(3),
      words: fc.constantFrom(0, 3, 40, 400),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('attach' as const) }) },
)

const SECOND = 1_000
const HOUR = 3_600 * SECOND
const PAUSES = [0, 2_000, 9_999, 60_000, 299_999, 300_000, 300_001, 900_000, HOUR, 30 * HOUR, -HOUR]

const step: fc.Arbitrary<Step> = fc.record({
  said,
  sender: fc.nat(3),
  pause: fc.oneof(
    { weight: 9, arbitrary: fc.constantFrom(...PAUSES) },
    { weight: 1, arbitrary: fc.constant(null) },
  ),
  isNamed: fc.boolean(),
  again: fc.option(fc.nat(3), { freq: 8, nil: null }),
})

/** Small ones, so that a short conversation is folded many times. */
const BUDGETS = [undefined, 500, 900, 1_600]
const policy: fc.Arbitrary<Policy> = fc
  .record({
    name: fc.constantFrom('rounds', 'count', 'window', 'resize', 'tokens', 'tokens', 'several'),
    keep: fc.integer({ min: 1, max: 4 }),
    step: fc.integer({ min: 1, max: 4 }),
    budget: fc.constantFrom(...BUDGETS),
    seconds: fc.constantFrom(10, 300, 1_800),
    boundary: fc.constantFrom('message' as const, 'turn' as const),
  })
  .map(({ name, keep, step, budget, seconds, boundary }) => {
    const common = { boundary, ...(budget !== undefined && { budget }) }
    const byRounds = rounds({ ...common, fullContextTurns: keep, cachedContextTurns: step })
    switch (name) {
      case 'rounds':
        return byRounds
      case 'count':
        return count({ ...common, threshold: keep + step, keepLast: keep })
      case 'window':
        return window({
          ...common,
          contextSize: 3 * (keep + step),
          tailKeepSize: 2 * keep,
          compressionWindowSize: step,
          compressionHardLimit: 2 * step,
          compressionCooldownSec: seconds,
        })
      case 'resize':
        return resize({ ...common, everyNTurns: 3 * step, maxMessagesTextLength: 1_200 })
      case 'tokens':
        return tokens({ boundary, budget: budget ?? 1_200, idleSec: seconds })
      default:
        return compose(byRounds, tokens({ budget: budget ?? 1_200, idleSec: seconds }))
    }
  })

function setting(): fc.Arbitrary<Setting> {
  return fc.record({
    kind: fc.constantFrom('private' as const, 'group' as const, 'agent' as const),
    policy,
    instructions: fc.constantFrom('', 'You are a helpful bot.', 'Be brief, and never rude. '.repeat(10)),
    summarizer: fc.constantFrom('simulated' as const, 'extractive' as const),
    calls: fc.constantFrom('replies' as const, 'replies' as const, 3),
    groupTurnMessages: fc.constantFrom(4, 12),
    messages: fc.array(step, { minLength: 1, maxLength: 50, size: 'max' }).map(conversation),
  })
}

const SENDERS = [
  { id: 'u1', name: 'Ann' },
  { id: 'u2', name: 'Ann' },
  { id: 'u3', name: '王小明' },
  { id: 'u4' },
]

function conversation(steps: readonly Step[]): readonly NewMessage[] {
  const messages: NewMessage[] = []
  const again: { readonly in: number; readonly message: NewMessage }[] = []
  let at = Date.UTC(2026, 2, 2, 12)
  for (const [index, { said, sender, pause, isNamed, again: later }] of steps.entries()) {
    at += pause ?? 0
    const message = normalizeMessage(
      {
        ...contentOf(said, index),
        ...(said.do !== 'answer' && { sender: SENDERS[sender]! }),
        ...(pause !== null && { at }),
        ...((isNamed || later !== null) && { externalId: `m${index}` }),
      },
      { zone: 'UTC' },
    )
    messages.push(message)
    if (later !== null) again.push({ in: index + later, message })
    messages.push(...again.filter(repeat => repeat.in === index).map(({ message }) => message))
  }
  return messages
}

function contentOf(said: Said, index: number): Pick<MessageInput, 'role' | 'content'> {
  switch (said.do) {
    case 'say':
      return { role: said.role, content: said.text }
    case 'call':
      return {
        role: 'assistant',
        content: [
          ...(said.text === '' ? [] : [{ type: 'text' as const, text: said.text }]),
          ...said.ids.map(id => ({
            type: 'tool-call' as const,
            toolCallId: `call_${id}`,
            toolName: 'search',
            input: { q: `no. ${index}` },
          })),
        ],
      }
    case 'answer':
      return {
        role: 'tool',
        content: [
          {
            type: 'tool-result',
            toolCallId: `call_${said.id}`,
            toolName: 'search',
            output: `found ${'result '.repeat(said.words)}`,
          },
        ],
      }
    case 'attach':
      return {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image', url: 'https://example.com/a.png' },
        ],
      }
  }
}
