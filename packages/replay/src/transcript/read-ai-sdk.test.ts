import { describe, expect, test } from 'vitest'
import { readAiSdk } from './read-ai-sdk.ts'

const found = (value: unknown) =>
  readAiSdk(value).flatMap(({ messages }) =>
    messages.map(entry => ('input' in entry ? { place: entry.place, ...entry.input } : entry)),
  )

describe('readAiSdk', () => {
  test('a UI message with tools becomes the messages of its steps', () => {
    const createdAt = '2026-01-15T08:00:00Z'
    const call = { toolCallId: 'c1', toolName: 'weather' }
    expect(
      found([
        {
          id: 'u1',
          role: 'user',
          metadata: { createdAt },
          parts: [
            { type: 'text', text: 'Weather?' },
            { type: 'file', mediaType: 'image/png', url: 'https://a.example/sky.png', filename: 'sky.png' },
          ],
        },
        {
          id: 'a1',
          role: 'assistant',
          parts: [
            { type: 'step-start' },
            { type: 'reasoning', text: 'hm' },
            { type: 'text', text: 'I look.' },
            {
              type: 'tool-weather',
              toolCallId: 'c1',
              state: 'output-available',
              input: { city: 'Oslo' },
              output: { sky: 'grey' },
            },
            {
              type: 'dynamic-tool',
              toolName: 'map',
              toolCallId: 'c2',
              state: 'output-error',
              errorText: 'no map',
            },
            { type: 'step-start' },
            { type: 'data-chart', data: {} },
            { type: 'source-url', url: 'https://a.example' },
            { type: 'text', text: 'Grey.' },
          ],
        },
      ]),
    ).toEqual([
      {
        place: 'message 1',
        role: 'user',
        content: [
          { type: 'text', text: 'Weather?' },
          { type: 'image', image: 'https://a.example/sky.png', mediaType: 'image/png', filename: 'sky.png' },
        ],
        at: Date.parse(createdAt),
        externalId: 'u1',
      },
      {
        place: 'message 2',
        role: 'assistant',
        content: [
          { type: 'reasoning', text: 'hm' },
          { type: 'text', text: 'I look.' },
          { type: 'tool-call', ...call, input: { city: 'Oslo' } },
          { type: 'tool-call', toolCallId: 'c2', toolName: 'map', input: {} },
        ],
        at: null,
        externalId: 'a1',
      },
      {
        place: 'message 2.2',
        role: 'tool',
        content: [
          { type: 'tool-result', ...call, output: { sky: 'grey' } },
          {
            type: 'tool-result',
            toolCallId: 'c2',
            toolName: 'map',
            output: { type: 'error-text', value: 'no map' },
          },
        ],
        at: null,
        externalId: 'a1:2',
      },
      { place: 'message 2.3', role: 'assistant', content: 'Grey.', at: null, externalId: 'a1:3' },
    ])
  })

  test('takes the parts of version 4', () => {
    const toolInvocation = { state: 'result', toolCallId: 'c', toolName: 'now', args: {}, result: 'noon' }
    expect(
      found([
        {
          id: '',
          role: 'assistant',
          content: 'Noon.',
          createdAt: 'never',
          parts: [
            { type: 'tool-invocation', toolInvocation },
            { type: 'text', text: 'Noon.' },
          ],
        },
      ]),
    ).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'now', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', output: 'noon' }], externalId: null },
      { role: 'assistant', content: 'Noon.', at: null },
    ])
  })

  test('takes model messages as they are', () => {
    const call = { type: 'tool-call', toolCallId: 'c', toolName: 'now', input: { zone: 'UTC' } }
    const result = {
      type: 'tool-result',
      toolCallId: 'c',
      toolName: 'now',
      output: { type: 'text', value: 'noon' },
    }
    const thought = { type: 'reasoning', text: 'hm', providerOptions: { anthropic: { signature: 'x' } } }
    expect(
      found([
        { role: 'system', content: 'Be brief.' },
        { role: 'assistant', content: [thought, call, { type: 'custom', kind: 'a.b' }] },
        { role: 'tool', content: [result] },
      ]),
    ).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: [thought, call] },
      { role: 'tool', content: [result] },
    ])
  })

  test('names a part that it does not know', () => {
    expect(found([{ id: 'x', role: 'user', parts: [{ type: 'hologram' }] }])).toEqual([
      {
        place: 'message 1',
        problem: expect.stringContaining('part: "hologram" cannot be taken; allowed: text,'),
      },
    ])
  })

  test('a time that no message can have is unknown, and loses no message', () => {
    for (const createdAt of ['9999-12-31T20:00:00Z', '0001-01-01T00:00:00Z', 8.64e15, Number.NaN]) {
      const parts = [{ type: 'text', text: 'Hello' }]
      const [message] = found([{ id: 'u1', role: 'user', metadata: { createdAt }, parts }])
      expect([createdAt, message]).toMatchObject([createdAt, { role: 'user', at: null }])
    }
  })
})
