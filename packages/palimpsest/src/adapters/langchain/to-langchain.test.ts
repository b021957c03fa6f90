import * as classes from '@langchain/core/messages'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ModelMessage } from '../../context/index.ts'
import { contentText } from '../../log/index.ts'
import type { Sent } from '../../turn/index.ts'
import { toMessageInput } from './from-langchain.ts'
import { type Target, toModelInput } from './to-langchain.ts'

function sent(messages: ModelMessage[], afterMessages: number[] = []): Sent {
  return { instructions: 'Be brief.', messages, breakpoints: { afterInstructions: true, afterMessages } }
}

const PNG = 'iVBORw0KGgo='
const TURN: ModelMessage[] = [
  { role: 'user', content: 'Where is it?' },
  {
    role: 'assistant',
    content: [
      { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 'sig' } } },
      { type: 'text', text: 'One moment.' },
      { type: 'tool-call', toolCallId: 'c1', toolName: 'look_up', input: { id: '7' } },
      { type: 'tool-call', toolCallId: 'c2', toolName: 'look_up', input: { id: '8' } },
    ],
  },
  {
    role: 'tool',
    content: [
      {
        type: 'tool-result',
        toolCallId: 'c1',
        toolName: 'look_up',
        output: { type: 'text', value: 'shipped' },
      },
      { type: 'tool-result', toolCallId: 'c2', toolName: 'look_up', output: { type: 'text', value: 'lost' } },
    ],
  },
  {
    role: 'user',
    content: [
      { type: 'text', text: 'And this?' },
      { type: 'file', data: PNG, mediaType: 'image/png' },
      { type: 'file', data: 'JVBERi0=', mediaType: 'application/pdf', filename: 'a.pdf' },
    ],
  },
]

function shapes(messages: readonly classes.BaseMessage[]) {
  return messages.map(message => {
    const { type, content } = message
    const { tool_calls, tool_call_id } = message as { tool_calls?: unknown; tool_call_id?: string }
    return { type, content, ...(tool_call_id && { tool_call_id }), ...(type === 'ai' && { tool_calls }) }
  })
}

const CALLS = [
  { type: 'tool_call', id: 'c1', name: 'look_up', args: { id: '7' } },
  { type: 'tool_call', id: 'c2', name: 'look_up', args: { id: '8' } },
]

test('for most models', () => {
  const { system, messages } = toModelInput(sent(TURN, [2]), 'others', classes)
  expect(system.content).toBe('Be brief.')
  expect(shapes(messages)).toEqual([
    { type: 'human', content: 'Where is it?' },
    { type: 'ai', content: 'One moment.', tool_calls: CALLS },
    { type: 'tool', content: 'shipped', tool_call_id: 'c1' },
    { type: 'tool', content: 'lost', tool_call_id: 'c2' },
    {
      type: 'human',
      content: [
        { type: 'text', text: 'And this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        {
          type: 'file',
          source_type: 'base64',
          mime_type: 'application/pdf',
          data: 'JVBERi0=',
          metadata: { filename: 'a.pdf' },
        },
      ],
    },
  ])
})

test('for Anthropic’s, with thoughts and marks where its class can take them', () => {
  const { system, messages } = toModelInput(sent(TURN, [0, 2, 3]), 'anthropic', classes)
  const cache_control = { type: 'ephemeral' }
  expect(system.content).toEqual([{ type: 'text', text: 'Be brief.', cache_control }])
  expect(shapes(messages)).toEqual([
    { type: 'human', content: [{ type: 'text', text: 'Where is it?', cache_control }] },
    {
      type: 'ai',
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'text', text: 'One moment.' },
        { type: 'tool_use', id: 'c1', name: 'look_up', input: { id: '7' } },
        // The mark of the results after it, which cannot carry it themselves.
        { type: 'tool_use', id: 'c2', name: 'look_up', input: { id: '8' }, cache_control },
      ],
      tool_calls: CALLS,
    },
    { type: 'tool', content: 'shipped', tool_call_id: 'c1' },
    { type: 'tool', content: 'lost', tool_call_id: 'c2' },
    {
      type: 'human',
      content: [
        { type: 'text', text: 'And this?' },
        { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
        {
          type: 'document',
          source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
          title: 'a.pdf',
          cache_control,
        },
      ],
    },
  ])
})

test('without instructions there is no system message to speak of', () => {
  for (const target of ['others', 'anthropic'] as const)
    expect(toModelInput({ ...sent(TURN), instructions: '' }, target, classes).system.text).toBe('')
})

const text = fc.string({ minLength: 1, unit: 'grapheme' }).filter(each => each.trim() !== '')
const json = fc.dictionary(fc.string({ minLength: 1 }), fc.oneof(fc.string(), fc.integer(), fc.boolean()))
const turn = fc.record({
  asked: text,
  said: fc.option(text, { nil: '' }),
  calls: fc.array(fc.record({ input: json, output: text }), { minLength: 1, maxLength: 3 }),
  // Anthropic refuses a last reply that ends in white space, so that it is sent without.
  reply: text.map(each => each.trimEnd()),
})
type Turn = typeof turn extends fc.Arbitrary<infer Value> ? Value : never

function messagesOf({ asked, said, calls, reply }: Turn, place: number): ModelMessage[] {
  const toolName = 'look_up'
  const named = calls.map((call, index) => ({ ...call, toolCallId: `c${place}_${index}` }))
  const made = named.map(({ toolCallId, input }) => ({
    type: 'tool-call' as const,
    toolCallId,
    toolName,
    input,
  }))
  const results = named.map(({ toolCallId, output: value }) => ({
    type: 'tool-result' as const,
    toolCallId,
    toolName,
    output: { type: 'text' as const, value },
  }))
  return [
    { role: 'user', content: asked },
    { role: 'assistant', content: said === '' ? made : [{ type: 'text', text: said }, ...made] },
    { role: 'tool', content: results },
    { role: 'assistant', content: reply },
  ]
}

/** Who said, called and gave what: all that has to survive. */
function essence(messages: readonly { role: string; content: unknown }[]) {
  return messages.flatMap(({ role, content }) => {
    const parts = typeof content === 'string' ? [{ type: 'text', text: content }] : (content as object[])
    return parts.map(part => {
      const { type, text, toolCallId, input, output } = part as Record<string, unknown>
      const value = (output as { value?: unknown } | undefined)?.value ?? output
      return JSON.stringify([role, type, text, toolCallId, input, value])
    })
  })
}

test.each<[Target]>([['others'], ['anthropic']])('there and back nothing is lost: %s', target => {
  fc.assert(
    fc.property(fc.array(turn, { minLength: 1, maxLength: 4 }), turns => {
      const messages = turns.flatMap(messagesOf)
      const { messages: there } = toModelInput(sent(messages), target, classes)
      const back = there.map(message => toMessageInput(message) as { role: string; content: string })
      expect(essence(back)).toEqual(essence(messages))
      expect(contentText(back.at(-1)!.content)).toBe(turns.at(-1)!.reply)
    }),
    { numRuns: 200 },
  )
})
