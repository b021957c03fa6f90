import { describe, expect, it } from 'vitest'
import {
  assembleContext,
  type ContextMessage,
  type ContextSource,
  fixedPart,
  planContext,
  type View,
} from '../../packages/palimpsest/src/context/index.ts'
import { toAnthropic } from '../../packages/palimpsest/src/context/to-anthropic.ts'
import { toOpenAI } from '../../packages/palimpsest/src/context/to-openai.ts'
import { ContextOverflowError } from '../../packages/palimpsest/src/errors.ts'
import {
  type ContentPart,
  type MessageInput,
  nextTotals,
  type Role,
  type Totals,
} from '../../packages/palimpsest/src/log/index.ts'
import { measureMessage } from '../../packages/palimpsest/src/tokens/index.ts'
import {
  acceptedByAiSdk,
  anthropicViolations,
  modelMessageViolations,
  openAIViolations,
} from '../provider-rules.ts'

/**
 * A conversation with everything that breaks others: parallel calls, some answered late or never or twice,
 * an approval that waits, arguments that were cut off, a result without a call, an id used again.
 */
const CONVERSATION: readonly { role: Role; content: MessageInput['content'] }[] = [
  { role: 'assistant', content: 'Hello, I begin.' },
  { role: 'user', content: `Compare the weather in two cities. ${'x '.repeat(100)}` },
  { role: 'assistant', content: [text('Both at once.'), call('1'), call('2')] },
  { role: 'tool', content: [result('2', 'Oslo: rain '.repeat(60))] },
  { role: 'tool', content: [result('1', 'Porto: sun')] },
  { role: 'assistant', content: 'Porto has sun, Oslo has rain.' },
  {
    role: 'user',
    content: [text('And this?'), { type: 'image', url: 'https://example.com/map.png' } as ContentPart],
  },
  { role: 'assistant', content: [{ type: 'reasoning', text: 'Hm.' }, call('1', '{"city": "Li')] },
  { role: 'user', content: 'Wait, stop.' },
  { role: 'tool', content: [result('1', 'Lisbon: wind')] },
  { role: 'tool', content: [result('9', 'nobody asked')] },
  { role: 'system', content: 'The user went offline.' },
  { role: 'user', content: '好的，请付款。' },
  {
    role: 'assistant',
    content: [call('pay'), { type: 'tool-approval-request', approvalId: 'a', toolCallId: 'pay' }],
  },
  { role: 'tool', content: [{ type: 'tool-approval-response', approvalId: 'a', approved: true }] },
  { role: 'tool', content: [result('pay', { ok: true, half: '\ud800' })] },
  { role: 'tool', content: [result('pay', 'again')] },
  { role: 'assistant', content: '已付款。🙂' },
  { role: 'user', content: 'lorem ipsum '.repeat(900) },
  { role: 'assistant', content: [call('3'), call('3'), call('4')] },
  { role: 'tool', content: [result('3', 'one'), result('3', 'two')] },
  { role: 'assistant', content: 'Still waiting for the last.' },
  { role: 'tool', content: [result('4', 'done '.repeat(300))] },
  { role: 'user', content: 'Thanks.' },
]

const BUDGETS = [110, 160, 250, 400, 700, 1_200, 2_500, 5_000, 20_000]

describe('every cut of a hard conversation, at every length and every budget', () => {
  const messages = toContextMessages()

  it('gives a context that strict providers take, within the budget', async () => {
    let contexts = 0
    for (let length = 1; length <= messages.length; length++)
      for (let cut = 0; cut < length; cut++)
        for (const budget of BUDGETS) {
          const parts = contextOf(messages.slice(0, length), cut, budget)
          if (parts === null) continue
          contexts += 1
          const where = `${length} messages, cut at ${cut}, budget ${budget}`
          expect(parts.report.tokens, where).toBeLessThanOrEqual(budget)
          expect(modelMessageViolations(parts.messages), where).toEqual([])
          expect(openAIViolations(toOpenAI(parts)), where).toEqual([])
          expect(anthropicViolations(toAnthropic(parts)), where).toEqual([])
        }
    expect(contexts).toBeGreaterThan(2_000)
  })

  it('is taken by the AI SDK itself', async () => {
    for (let length = 1; length <= messages.length; length++)
      for (const cut of [0, Math.floor(length / 2), length - 1]) {
        const parts = contextOf(messages.slice(0, length), cut, 1_200)
        if (parts) await acceptedByAiSdk(parts)
      }
  })
})

function contextOf(messages: readonly ContextMessage[], cut: number, budget: number) {
  const raw = messages.slice(cut)
  const source: ContextSource = {
    kind: 'private',
    language: 'en',
    epoch: 1,
    compactedThrough: cut,
    beginsAfter: 0,
    segments:
      cut === 0
        ? []
        : [
            {
              fromSeq: 1,
              toSeq: cut,
              level: 1,
              text: `## Messages 1–${cut}\n- 2026-01-02 Ann: …`,
              tokensAfter: 20,
            },
          ],
    pins: [],
    raw: { messages: raw.length, tokens: raw.reduce((sum, { tokens }) => sum + tokens, 0) },
    messages: raw,
    isWhole: cut === 0,
  }
  const view: View = {
    budget,
    lowWater: 0.5,
    fixed: fixedPart({ instructions: 'Be kind.', layers: [], toolTokens: 0 }),
    reasoning: 'drop',
    mostMessages: null,
    from: null,
    unfolds: false,
    volatileReserve: 0,
  }
  try {
    const plan = planContext(source, view)
    const interim = plan.interim && { text: '- 2026-01-02 Ann: …', messages: plan.interim.count }
    return assembleContext({ source, view, plan }, { interim }).parts
  } catch (error) {
    if (error instanceof ContextOverflowError) return null
    throw error
  }
}

function toContextMessages(): ContextMessage[] {
  let totals: Totals | null = null
  return CONVERSATION.map(({ role, content = '' }, index) => {
    const size = measureMessage({ content, sender: null })
    totals = nextTotals(totals, { role, content }, size, { kind: 'private', groupTurnMessages: 12 })
    return {
      id: `a/${index + 1}`,
      seq: index + 1,
      role,
      content,
      sender: null,
      at: new Date(0),
      appendedAt: new Date(0),
      zone: null,
      externalId: null,
      replyTo: null,
      version: 1,
      archived: false,
      turn: totals.turn,
      tokens: size.tokens,
    }
  })
}

function text(text: string): ContentPart {
  return { type: 'text', text }
}

function call(id: string, input: unknown = { id }): ContentPart {
  return { type: 'tool-call', toolCallId: id, toolName: 'look up', input }
}

function result(id: string, output: unknown): ContentPart {
  return { type: 'tool-result', toolCallId: id, toolName: 'look up', output }
}
