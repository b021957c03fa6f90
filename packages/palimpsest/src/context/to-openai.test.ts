import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryContext, makeContext, PDF, PNG } from '../../../../test/arbitrary-context.ts'
import { openAIViolations } from '../../../../test/provider-rules.ts'
import type { ModelMessage } from './model-message.ts'
import { toOpenAI } from './to-openai.ts'

const convert = (messages: ModelMessage[], instructions = '') =>
  toOpenAI(makeContext({ messages, instructions })).messages

describe('toOpenAI', () => {
  test('puts the instructions first, where there are any', () => {
    const messages: ModelMessage[] = [{ role: 'user', content: 'hi' }]
    expect(convert(messages, 'Be brief.')).toEqual([{ role: 'system', content: 'Be brief.' }, ...messages])
    expect(convert(messages, ' \n')).toEqual(messages)
  })

  test('sends images and PDFs, and names what the format has no word for', () => {
    const [message] = convert([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'look' },
          { type: 'text', text: '' },
          { type: 'image', image: PNG },
          { type: 'image', image: 'https://a.example/fox.png' },
          { type: 'file', data: PDF, mediaType: 'application/pdf', filename: 'a.pdf' },
          { type: 'file', data: 'https://a.example/b.pdf', mediaType: 'application/pdf', filename: 'b.pdf' },
          { type: 'file', data: 'AAAA', mediaType: 'application/zip', filename: 'c.zip' },
        ],
      },
    ])
    expect(message?.content).toEqual([
      { type: 'text', text: 'look' },
      { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
      { type: 'image_url', image_url: { url: 'https://a.example/fox.png' } },
      { type: 'file', file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` } },
      { type: 'text', text: '[file: b.pdf]' },
      { type: 'text', text: '[file: c.zip]' },
    ])
  })

  test('sends calls as JSON text and each result as a message; reasoning is left out', () => {
    expect(
      convert([
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: [
            { type: 'reasoning', text: 'hm' },
            { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: { q: 'fox' } },
            { type: 'tool-call', toolCallId: 'b', toolName: 'now', input: {} },
          ],
        },
        {
          role: 'tool',
          content: [
            {
              type: 'tool-result',
              toolCallId: 'a',
              toolName: 'search',
              output: { type: 'text', value: 'red' },
            },
            {
              type: 'tool-result',
              toolCallId: 'b',
              toolName: 'now',
              output: { type: 'text', value: 'noon' },
            },
          ],
        },
        { role: 'assistant', content: [{ type: 'reasoning', text: 'hm' }] },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'one' },
            { type: 'text', text: 'two' },
          ],
        },
      ]).slice(1),
    ).toEqual([
      {
        role: 'assistant',
        content: null,
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'search', arguments: '{"q":"fox"}' } },
          { id: 'b', type: 'function', function: { name: 'now', arguments: '{}' } },
        ],
      },
      { role: 'tool', tool_call_id: 'a', content: 'red' },
      { role: 'tool', tool_call_id: 'b', content: 'noon' },
      { role: 'assistant', content: 'one\ntwo' },
    ])
  })

  test('breaks no rule of the provider, and leaves the context as it was', () => {
    fc.assert(
      fc.property(arbitraryContext, parts => {
        const before = structuredClone(parts)
        expect(openAIViolations(toOpenAI(parts))).toEqual([])
        expect(parts).toEqual(before)
      }),
    )
  })

  test('a longer context extends the request', () => {
    fc.assert(
      fc.property(arbitraryContext, parts => {
        const shorter = toOpenAI({ ...parts, messages: parts.messages.slice(0, -1) }).messages
        expect(toOpenAI(parts).messages.slice(0, shorter.length)).toEqual(shorter)
      }),
    )
  })
})
