import { describe, expect, test } from 'vitest'
import { readOpenAI } from './read-openai.ts'

const found = (value: unknown) =>
  readOpenAI(value).flatMap(({ messages }) => messages.map(entry => ('input' in entry ? entry.input : entry)))

describe('readOpenAI', () => {
  test('takes roles, names and parts', () => {
    expect(
      found([
        { role: 'developer', content: 'Be brief.' },
        {
          role: 'user',
          name: 'Ann',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'https://a.example/fox.png' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'mp3' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } },
          ],
        },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
        { role: 'assistant', content: null, refusal: 'Never.' },
        { role: 'assistant', content: '' },
      ]),
    ).toMatchObject([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'a\nb', sender: 'Ann' },
      {
        role: 'user',
        content: [
          { type: 'image', image: 'https://a.example/fox.png' },
          { type: 'file', data: 'AAAA', mediaType: 'audio/mp3' },
          { type: 'file', data: 'data:application/pdf;base64,AAAA', filename: 'a.pdf' },
        ],
      },
      { role: 'assistant', content: 'No.' },
      { role: 'assistant', content: 'Never.' },
    ])
  })

  test('pairs calls and results, also where ids are missing', () => {
    const call = (name: string, id?: string) => ({
      ...(id && { id }),
      type: 'function',
      function: { name, arguments: '{"q":1}' },
    })
    const results = found([
      { role: 'assistant', content: 'Let me look.', tool_calls: [call('find', 'c1'), call('now')] },
      { role: 'tool', content: 'noon', name: 'now' },
      { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'found' }] },
      { role: 'assistant', content: null, function_call: { name: 'old', arguments: '{"cut' } },
      { role: 'function', name: 'old', content: '' },
      { role: 'tool', tool_call_id: 'nobody', content: 'late' },
    ]).map(entry => 'content' in entry && entry.content)
    const unnamed = 'unnamed_call_1'
    expect(results).toEqual([
      [
        { type: 'text', text: 'Let me look.' },
        { type: 'tool-call', toolCallId: 'c1', toolName: 'find', input: { q: 1 } },
        { type: 'tool-call', toolCallId: unnamed, toolName: 'now', input: { q: 1 } },
      ],
      [{ type: 'tool-result', toolCallId: unnamed, toolName: 'now', output: 'noon' }],
      [{ type: 'tool-result', toolCallId: 'c1', toolName: 'find', output: 'found' }],
      [{ type: 'tool-call', toolCallId: 'unnamed_call_2', toolName: 'old', input: '{"cut' }],
      [{ type: 'tool-result', toolCallId: 'unnamed_call_2', toolName: 'old', output: '' }],
      [{ type: 'tool-result', toolCallId: 'nobody', output: 'late' }],
    ])
  })

  test('takes the items of the Responses API', () => {
    expect(
      found([
        { type: 'message', role: 'user', content: [{ type: 'input_text', text: 'hi' }] },
        { type: 'reasoning', summary: [] },
        { type: 'web_search_call', id: 'w' },
        { type: 'function_call', call_id: 'c', name: 'now', arguments: '{}' },
        { type: 'function_call_output', call_id: 'c', output: 'noon' },
        { type: 'message', role: 'assistant', id: 'm1', content: [{ type: 'output_text', text: 'Noon.' }] },
      ]),
    ).toMatchObject([
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'now', input: {} }] },
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'now', output: 'noon' }] },
      { role: 'assistant', content: 'Noon.', externalId: 'm1' },
    ])
  })

  test('names what it cannot take', () => {
    expect(
      found([
        { role: 'user' },
        'hi',
        { role: 'user', content: [{ type: 'hologram' }] },
        { role: 'user', content: 5 },
      ]),
    ).toEqual([
      { place: 'message 1', problem: expect.stringContaining('content: nothing is given') },
      { place: 'message 2', problem: expect.stringContaining('an object with role and content') },
      {
        place: 'message 3',
        problem: expect.stringContaining('"hologram" cannot be taken; allowed: text, image_url'),
      },
      { place: 'message 4', problem: expect.stringContaining('content: 5 cannot be taken') },
    ])
  })

  test('takes several conversations: objects, or lists', () => {
    const messages = [{ role: 'user', content: 'hi' }]
    expect(
      readOpenAI([{ id: 'a', title: 'T', messages }, messages]).map(({ id, title }) => [id, title]),
    ).toEqual([
      ['a', 'T'],
      [null, null],
    ])
  })
})
