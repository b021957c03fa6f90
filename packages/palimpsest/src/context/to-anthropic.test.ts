import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { arbitraryContext, makeContext, PDF, PNG } from '../../../../test/arbitrary-context.ts'
import { anthropicViolations } from '../../../../test/provider-rules.ts'
import type { ContextParts } from './context.ts'
import type { ModelMessage } from './model-message.ts'
import { type AnthropicRequest, toAnthropic } from './to-anthropic.ts'

const convert = (messages: ModelMessage[], given: Partial<ContextParts> = {}) =>
  toAnthropic(makeContext({ messages, ...given }))

const EPHEMERAL = { type: 'ephemeral' }

function countMarks(request: AnthropicRequest): number {
  return JSON.stringify(request).split('"cache_control":{"type":"ephemeral"}').length - 1
}

describe('toAnthropic', () => {
  test('merges neighbours, and begins the next user message with the results', () => {
    expect(
      convert([
        { role: 'user', content: 'summary' },
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: [
            { type: 'tool-call', toolCallId: 'a', toolName: 'search', input: { q: 'fox' } },
            { type: 'text', text: 'Let me look.' },
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
          ],
        },
        { role: 'user', content: 'and?' },
      ]),
    ).toEqual({
      system: undefined,
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'summary' },
            { type: 'text', text: 'q' },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'Let me look.' },
            { type: 'tool_use', id: 'a', name: 'search', input: { q: 'fox' } },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'red' },
            { type: 'text', text: 'and?' },
          ],
        },
      ],
    })
  })

  test('keeps signed thoughts where they were', () => {
    const { messages } = convert([
      {
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'signed', providerOptions: { anthropic: { signature: 's' } } },
          { type: 'tool-call', toolCallId: 'a', toolName: 'x', input: {} },
          { type: 'reasoning', text: 'unsigned' },
          { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'r' } } },
          { type: 'tool-call', toolCallId: 'b', toolName: 'x', input: {} },
          { type: 'text', text: 'said' },
        ],
      },
      { role: 'assistant', content: [{ type: 'reasoning', text: 'alone' }] },
    ])
    expect(messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'thinking', thinking: 'signed', signature: 's' },
          { type: 'tool_use', id: 'a', name: 'x', input: {} },
          { type: 'redacted_thinking', data: 'r' },
          { type: 'text', text: 'said' },
          { type: 'tool_use', id: 'b', name: 'x', input: {} },
        ],
      },
    ])
  })

  test('sends images and PDFs', () => {
    const { messages } = convert([
      {
        role: 'user',
        content: [
          { type: 'image', image: `data:image/png;base64,${PNG}` },
          { type: 'image', image: 'https://a.example/fox.png' },
          { type: 'image', image: 'http://a.example/fox.png' },
          { type: 'file', data: PDF, mediaType: 'application/pdf', filename: 'a.pdf' },
          { type: 'file', data: 'https://a.example/b.pdf', mediaType: 'application/pdf' },
          { type: 'file', data: 'AAAA', mediaType: 'application/zip', filename: 'c.zip' },
        ],
      },
    ])
    expect(messages[0]?.content).toEqual([
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
      { type: 'image', source: { type: 'url', url: 'https://a.example/fox.png' } },
      { type: 'text', text: '[image]' },
      {
        type: 'document',
        source: { type: 'base64', media_type: 'application/pdf', data: PDF },
        title: 'a.pdf',
      },
      { type: 'document', source: { type: 'url', url: 'https://a.example/b.pdf' } },
      { type: 'text', text: '[file: c.zip]' },
    ])
  })

  test('marks where the cache ends: at the last block of the message, never on a thought', () => {
    const { system, messages } = convert(
      [
        { role: 'user', content: 'summary' },
        { role: 'user', content: 'q' },
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'said' },
            { type: 'reasoning', text: 'signed', providerOptions: { anthropic: { signature: 's' } } },
          ],
        },
        { role: 'user', content: 'next' },
      ],
      { instructions: 'Be brief.', breakpoints: { afterInstructions: true, afterMessages: [0, 2, 9] } },
    )
    expect(system).toEqual([{ type: 'text', text: 'Be brief.', cache_control: EPHEMERAL }])
    expect(messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'summary', cache_control: EPHEMERAL },
          { type: 'text', text: 'q' },
        ],
      },
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'said', cache_control: EPHEMERAL },
          { type: 'thinking', thinking: 'signed', signature: 's' },
        ],
      },
      { role: 'user', content: [{ type: 'text', text: 'next' }] },
    ])
  })

  test('marks four places at most, the last ones', () => {
    const messages = Array.from(
      { length: 6 },
      (_, index): ModelMessage => ({ role: 'user', content: `${index}` }),
    )
    const afterMessages = [5, 4, 3, 2, 1, 0, 0]
    const marks = (afterInstructions: boolean) => {
      const request = convert(messages, {
        instructions: 'x',
        breakpoints: { afterInstructions, afterMessages },
      })
      expect(countMarks(request)).toBe(4)
      return request.messages[0]?.content.flatMap((block, index) => ('cache_control' in block ? [index] : []))
    }
    expect(marks(false)).toEqual([2, 3, 4, 5])
    expect(marks(true)).toEqual([3, 4, 5])
  })

  test('sends no blank text, and no white space at the end of what is to be gone on with', () => {
    expect(
      convert(
        [
          {
            role: 'user',
            content: [
              { type: 'text', text: ' ' },
              { type: 'text', text: 'q' },
            ],
          },
          { role: 'assistant', content: 'Once upon \n' },
          { role: 'assistant', content: '  ' },
        ],
        { instructions: '\n' },
      ),
    ).toEqual({
      system: undefined,
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'q' }] },
        { role: 'assistant', content: [{ type: 'text', text: 'Once upon' }] },
      ],
    })
  })

  test('breaks no rule of the provider, and leaves the context as it was', () => {
    fc.assert(
      fc.property(arbitraryContext, parts => {
        const before = structuredClone(parts)
        expect(anthropicViolations(toAnthropic(parts))).toEqual([])
        expect(parts).toEqual(before)
      }),
    )
  })

  test('loses no text, call or result', () => {
    fc.assert(
      fc.property(arbitraryContext, parts => {
        const blocks = toAnthropic(parts).messages.flatMap(message => message.content as { type: string }[])
        const count = (type: string) => blocks.filter(block => block.type === type).length
        const sent = parts.messages.flatMap((message): { type: string }[] =>
          typeof message.content === 'string' ? [{ type: 'text' }] : message.content,
        )
        const given = (...types: string[]) => sent.filter(part => types.includes(part.type)).length
        expect(count('tool_use')).toBe(given('tool-call'))
        expect(count('tool_result')).toBe(given('tool-result'))
        expect(count('text') + count('image') + count('document')).toBe(given('text', 'image', 'file'))
      }),
    )
  })
})
