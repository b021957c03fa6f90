import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import type { ModelReply, ModelRequest } from '../../packages/palimpsest/src/testing/index.ts'
import { estimateTokens } from '../../packages/palimpsest/src/tokens/index.ts'
import { openAIViolations } from '../provider-rules.ts'
import { forksOf, type Kit, type Param, start } from './kit.ts'

const TURNS = 60
const BUDGET = 1_500
const INSTRUCTIONS = 'You help the customers of a shop. Be brief.'

const TOOLS: OpenAI.ChatCompletionTool[] = [
  {
    type: 'function',
    function: {
      name: 'look_up_order',
      description: 'Says where an order is.',
      parameters: { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] },
    },
  },
]

/** It knows nothing but what it is sent. */
function answer({ said }: ModelRequest): ModelReply | string {
  const last = said.at(-1)!
  if (last.role === 'tool') return `Your order: ${last.text}`
  if (/code word\?/.test(last.text)) {
    const told = said.map(({ text }) => /code word is (\w+)/.exec(text)?.[1]).find(Boolean)
    return `It is ${told ?? 'unknown'}.`
  }
  const order = /Where is order (\S+)\?/.exec(last.text)?.[1]
  if (order)
    return { text: 'One moment.', toolCalls: [{ name: 'look_up_order', arguments: `{ "id" : "${order}" }` }] }
  return `I heard that ${last.text.slice(0, 40)}`
}

function questionOf(turn: number): string {
  if (turn === 1) return 'Hello, my code word is heliotrope, keep it in mind.'
  if (turn === TURNS) return 'What was my code word?'
  if (turn % 7 === 0) return `Where is order B-${turn}?`
  return `This is turn ${turn}: the parcel number ${turn} holds ${'lemons, limes and other fruit '.repeat(5)}🍋 柠檬`
}

type Ask = (messages: Param[]) => Promise<OpenAI.ChatCompletionMessage>

async function askAtOnce(client: OpenAI, messages: Param[]): Promise<OpenAI.ChatCompletionMessage> {
  const { choices, usage } = await client.chat.completions.create({ model: 'any', messages, tools: TOOLS })
  expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens)
  return choices[0]!.message
}

async function askStreaming(client: OpenAI, messages: Param[]): Promise<OpenAI.ChatCompletionMessage> {
  const stream = client.chat.completions.stream({
    model: 'any',
    messages,
    tools: TOOLS,
    stream_options: { include_usage: true },
  })
  const { choices, usage } = await stream.finalChatCompletion()
  expect(usage!.total_tokens).toBe(usage!.prompt_tokens + usage!.completion_tokens)
  return choices[0]!.message
}

/** One turn, with the tools that the model calls; gives all that was said in it. */
async function takeTurn(question: string, ask: Ask, earlier: readonly Param[]): Promise<Param[]> {
  const said: Param[] = [{ role: 'user', content: question }]
  let unsent = 0
  for (;;) {
    const sent = earlier.length > 0 ? [...earlier, ...said] : said.slice(unsent)
    const message = await ask(sent)
    said.push(message as Param)
    unsent = said.length
    const calls = message.tool_calls ?? []
    if (calls.length === 0) return said
    for (const call of calls) {
      if (call.type !== 'function') throw new Error('only functions are offered')
      const { id } = JSON.parse(call.function.arguments) as { id: string }
      expect(call.function.arguments).toBe(`{ "id" : "${id}" }`)
      said.push({ role: 'tool', tool_call_id: call.id, content: `${id} was shipped` })
    }
  }
}

function textOf(message: Param): string {
  return typeof message.content === 'string' ? message.content : ''
}

test.each([
  ['whole', 'at once'],
  ['whole', 'streaming'],
  ['new', 'at once'],
  ['new', 'streaming'],
] as const)(
  'a conversation of 60 turns through folds: history %s, %s',
  async (history, way) => {
    const kit = await start(answer, { policy: 'tokens', budget: BUDGET })
    const instructions: Param = { role: 'system', content: INSTRUCTIONS }
    const ask: Ask = messages => {
      const client = kit.client('shop:1')
      const sent = [instructions, ...messages]
      return way === 'streaming' ? askStreaming(client, sent) : askAtOnce(client, sent)
    }
    const said: Param[] = []
    const cursors = new Set<number>()
    for (let turn = 1; turn <= TURNS; turn++) {
      said.push(...(await takeTurn(questionOf(turn), ask, history === 'whole' ? said : [])))
      if (turn === TURNS / 2) await kit.restart()
      cursors.add(await settledCursor(kit))
    }
    expect(textOf(said.at(-1)!)).toBe('It is heliotrope.')
    await checkLog(kit, said)
    checkRequests(kit, cursors.size - 1)
    expect(kit.warnings).toEqual([])
  },
  60_000,
)

/** Through which message it is folded, once nothing is under way. */
async function settledCursor(kit: Kit): Promise<number> {
  for (;;) {
    const { json } = await kit.get('/v1/sessions/shop:1')
    const { folding, pending, compactedThrough } = json as Record<string, unknown>
    if (!folding && !pending) return compactedThrough as number
  }
}

async function checkLog(kit: Kit, said: readonly Param[]): Promise<void> {
  const log = await kit.log('shop:1')
  expect(log.map(({ role }) => role)).toEqual(said.map(({ role }) => role))
  const isTool = (place: number) => said[place]!.role === 'tool'
  expect(log.map(({ text }, place) => (isTool(place) ? '' : text))).toEqual(
    said.map((message, place) => (isTool(place) ? '' : textOf(message))),
  )
  const results = log.filter(({ role }) => role === 'tool').map(({ content }) => content[0])
  expect(results[0]).toMatchObject({ toolName: 'look_up_order', output: 'B-7 was shipped' })
  expect(new Set(results.map(({ toolCallId }) => toolCallId)).size).toBe(results.length)
  expect(await forksOf(kit, 'shop:1')).toEqual([])
}

/** Valid, within the budget, and from one fold to the next the same from the beginning on. */
function checkRequests(kit: Kit, folds: number): void {
  expect(folds).toBeGreaterThanOrEqual(3)
  const requests = kit.asked().map(({ body }) => body.messages!)
  let breaks = 0
  for (const [place, messages] of requests.entries()) {
    expect(openAIViolations({ messages })).toEqual([])
    expect(estimateTokens(messages.map(({ content }) => String(content)).join('\n'))).toBeLessThan(BUDGET)
    expect(String(messages[0]!.content)).toContain(INSTRUCTIONS)
    if (place > 0 && !goesOn(requests[place - 1]!, messages)) breaks += 1
  }
  // A message that has no room before its fold is made is given some by a first version of it.
  expect(breaks).toBeLessThanOrEqual(2 * folds)
}

/** Recalled messages and the current one are the volatile end of a request. */
const VOLATILE = 2

function goesOn(before: readonly object[], after: readonly object[]): boolean {
  return before
    .slice(0, -VOLATILE)
    .every((message, place) => JSON.stringify(message) === JSON.stringify(after[place]))
}
