import {
  AIMessage,
  AIMessageChunk,
  type BaseMessage,
  ChatMessage,
  FunctionMessage,
  HumanMessage,
  RemoveMessage,
  SystemMessage,
  ToolMessage,
} from '@langchain/core/messages'
import { expect, test } from 'vitest'
import { normalizeMessage } from '../../log/index.ts'
import { externalIdOf, toMessageInput } from './from-langchain.ts'

/** As the log takes it. */
function logged(message: BaseMessage) {
  const { role, content, sender } = normalizeMessage(toMessageInput(message)!, {
    zone: 'UTC',
    unknownFields: 'refuse',
  })
  return { role, content, ...(sender && { sender }) }
}

const PNG = 'iVBORw0KGgo='

test.each<[string, BaseMessage, object]>([
  ['a user', new HumanMessage('你好 🙂'), { role: 'user', content: '你好 🙂' }],
  [
    'a user with a name',
    new HumanMessage({ content: 'hi', name: 'Ann' }),
    { role: 'user', content: 'hi', sender: { id: 'name-only:Ann', name: 'Ann' } },
  ],
  ['nothing', new HumanMessage(''), { role: 'user', content: [{ type: 'text', text: '' }] }],
  [
    'a user with an id and a name',
    new HumanMessage({
      content: 'hi',
      name: 'Ann',
      additional_kwargs: { sender: { id: 'u1', name: 'Ann B.' } },
    }),
    { role: 'user', content: 'hi', sender: { id: 'u1', name: 'Ann B.' } },
  ],
  [
    'a user with an id beside the name',
    new HumanMessage({ content: 'hi', name: 'Ann', additional_kwargs: { sender: 'u1' } }),
    { role: 'user', content: 'hi', sender: { id: 'u1', name: 'Ann' } },
  ],
  ['a name that is no id', new HumanMessage({ content: 'hi', name: '\0' }), { role: 'user', content: 'hi' }],
  ['instructions in the middle', new SystemMessage('Be brief'), { role: 'system', content: 'Be brief' }],
  ['a role of one’s own', new ChatMessage('hi', 'moderator'), { role: 'user', content: 'hi' }],
  ['a reply under its role', new ChatMessage('hi', 'assistant'), { role: 'assistant', content: 'hi' }],
  [
    'several texts',
    new AIMessage({
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: '' },
        { type: 'text', text: 'two' },
      ],
    }),
    {
      role: 'assistant',
      content: [
        { type: 'text', text: 'one' },
        { type: 'text', text: 'two' },
      ],
    },
  ],
  [
    'a function of old',
    new FunctionMessage({ name: 'look_up', content: '42' }),
    {
      role: 'tool',
      content: [{ type: 'tool-result', toolCallId: 'look_up', toolName: 'look_up', output: '42' }],
    },
  ],
])('%s', (_, message, expected) => {
  expect(logged(message)).toEqual(expected)
})

test('what takes out others says nothing', () => {
  expect(toMessageInput(new RemoveMessage({ id: 'm-1' }))).toBeNull()
})

test.each<[string, object, object]>([
  [
    'chat completions',
    { type: 'image_url', image_url: { url: 'https://a.example/b.png' } },
    { type: 'image', url: 'https://a.example/b.png' },
  ],
  [
    'a bare link',
    { type: 'image_url', image_url: 'https://a.example/b.png' },
    { type: 'image', url: 'https://a.example/b.png' },
  ],
  [
    'bytes in a link',
    { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
    { type: 'image', data: `data:image/png;base64,${PNG}` },
  ],
  [
    'Responses',
    { type: 'input_image', image_url: 'https://a.example/b.png' },
    { type: 'image', url: 'https://a.example/b.png' },
  ],
  [
    'Anthropic',
    { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
    { type: 'image', mediaType: 'image/png', data: PNG },
  ],
  [
    'Anthropic by link',
    { type: 'image', source: { type: 'url', url: 'https://a.example/b.png' } },
    { type: 'image', url: 'https://a.example/b.png' },
  ],
  [
    'a standard block',
    { type: 'image', mimeType: 'image/png', data: PNG },
    { type: 'image', mediaType: 'image/png', data: PNG },
  ],
  [
    'a standard block with bytes',
    { type: 'image', mimeType: 'image/png', data: Buffer.from(PNG, 'base64') },
    { type: 'image', mediaType: 'image/png', data: PNG },
  ],
  [
    'an older standard block',
    { type: 'image', source_type: 'base64', mime_type: 'image/png', data: PNG },
    { type: 'image', mediaType: 'image/png', data: PNG },
  ],
  ['a file by its id', { type: 'file', source_type: 'id', id: 'file-7' }, { type: 'file', id: 'file-7' }],
  [
    'a file',
    { type: 'file', mimeType: 'application/pdf', data: 'JVBERi0=', metadata: { filename: 'a.pdf' } },
    { type: 'file', mediaType: 'application/pdf', data: 'JVBERi0=', filename: 'a.pdf' },
  ],
  [
    'a file of chat completions',
    { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
    { type: 'file', data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
  ],
  [
    'a document',
    { type: 'document', title: 'A', source: { type: 'url', url: 'https://a.example/b.pdf' } },
    { type: 'file', url: 'https://a.example/b.pdf', filename: 'A' },
  ],
  [
    'sound',
    { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
    { type: 'file', mediaType: 'audio/wav', data: 'AAAA' },
  ],
  [
    'a film',
    { type: 'video', url: 'https://a.example/b' },
    { type: 'file', mediaType: 'video', url: 'https://a.example/b' },
  ],
  [
    'a plain text',
    { type: 'text-plain', mimeType: 'text/plain', text: 'hi', title: 'A' },
    { type: 'text', text: 'hi' },
  ],
  ['an older plain text', { type: 'file', source_type: 'text', text: 'hi' }, { type: 'text', text: 'hi' }],
  [
    'what nobody knows',
    { type: 'hologram', depth: 3n },
    { type: 'reasoning', text: '', block: { type: 'hologram', depth: '3' } },
  ],
])('an attachment as %s', (_, block, expected) => {
  const message = new HumanMessage({ content: [{ type: 'text', text: 'look' }, block] as never })
  expect(logged(message)).toEqual({ role: 'user', content: [{ type: 'text', text: 'look' }, expected] })
})

const CALL = { type: 'tool-call', toolCallId: 'c1', toolName: 'look_up', input: { id: '7' } }

test.each<[string, BaseMessage, readonly object[]]>([
  [
    'calls',
    new AIMessage({ content: 'One moment.', tool_calls: [{ id: 'c1', name: 'look_up', args: { id: '7' } }] }),
    [{ type: 'text', text: 'One moment.' }, CALL],
  ],
  [
    'calls of Anthropic, which stand in the content too',
    new AIMessage({
      content: [
        { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
        { type: 'redacted_thinking', data: 'xyz' },
        { type: 'text', text: 'One moment.' },
        { type: 'tool_use', id: 'c1', name: 'look_up', input: { id: '7' } },
      ],
      tool_calls: [{ id: 'c1', name: 'look_up', args: { id: '7' } }],
    }),
    [
      { type: 'reasoning', text: 'Hm.', providerOptions: { anthropic: { signature: 'sig' } } },
      { type: 'reasoning', text: '', providerOptions: { anthropic: { redactedData: 'xyz' } } },
      { type: 'text', text: 'One moment.' },
      CALL,
    ],
  ],
  [
    'calls that were streamed',
    new AIMessageChunk({
      content: [
        { type: 'tool_use', id: 'c1', name: 'look_up', input: '', index: 0 },
        { type: 'input_json_delta', input: '{"id":"7"}', index: 0 },
      ],
      tool_call_chunks: [
        { id: 'c1', name: 'look_up', args: '{"id":"7"}', index: 0, type: 'tool_call_chunk' },
      ],
    }),
    [CALL],
  ],
  [
    'calls in the content alone',
    new AIMessage({ content: [{ type: 'tool_use', id: 'c1', name: 'look_up', input: { id: '7' } }] }),
    [CALL],
  ],
  [
    'calls in standard blocks',
    new AIMessage({ contentBlocks: [{ type: 'tool_call', id: 'c1', name: 'look_up', args: { id: '7' } }] }),
    [CALL],
  ],
  [
    'a call that is no JSON',
    new AIMessage({
      content: '',
      invalid_tool_calls: [
        { id: 'c1', name: 'look_up', args: '{"id":', error: 'cut off', type: 'invalid_tool_call' },
      ],
    }),
    [{ ...CALL, input: '{"id":' }],
  ],
  [
    'a call without an id',
    new AIMessage({ id: 'm-1', content: '', tool_calls: [{ name: 'look_up', args: { id: '7' } }] }),
    [{ ...CALL, toolCallId: 'm-1-1' }],
  ],
  [
    'thoughts in a standard block',
    new AIMessage({
      content: [
        { type: 'reasoning', reasoning: 'Hm.' },
        { type: 'text', text: 'Yes' },
      ],
    }),
    [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes' },
    ],
  ],
  [
    'thoughts beside the content',
    new AIMessage({ content: 'Yes', additional_kwargs: { reasoning_content: 'Hm.' } }),
    [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes' },
    ],
  ],
  [
    'the summary of thoughts',
    new AIMessage({
      content: 'Yes',
      additional_kwargs: { reasoning: { summary: [{ type: 'summary_text', text: 'Hm.' }] } },
    }),
    [
      { type: 'reasoning', text: 'Hm.' },
      { type: 'text', text: 'Yes' },
    ],
  ],
  [
    'a tool that the provider ran',
    new AIMessage({
      content: [
        { type: 'server_tool_use', id: 's1', name: 'web_search', input: { query: 'lemons' } },
        {
          type: 'web_search_tool_result',
          tool_use_id: 's1',
          content: [{ type: 'web_search_result', title: 'Lemons', encrypted_content: 'x'.repeat(99) }],
        },
        { type: 'text', text: 'Found.' },
      ],
    }),
    [
      { type: 'tool-call', toolCallId: 's1', toolName: 'web_search', input: { query: 'lemons' } },
      { type: 'tool-result', toolCallId: 's1', output: [{ type: 'web_search_result', title: 'Lemons' }] },
      { type: 'text', text: 'Found.' },
    ],
  ],
])('a reply with %s', (_, message, content) => {
  expect(logged(message)).toEqual({ role: 'assistant', content })
})

test('a refusal is what was said', () => {
  const message = new AIMessage({ content: '', additional_kwargs: { refusal: 'I cannot.' } })
  expect(logged(message)).toEqual({ role: 'assistant', content: 'I cannot.' })
})

test.each<[string, ConstructorParameters<typeof ToolMessage>[0], object]>([
  ['text', { content: 'fine', tool_call_id: 'c1', name: 'look_up' }, { toolName: 'look_up', output: 'fine' }],
  ['nothing', { content: '', tool_call_id: 'c1' }, { output: '' }],
  [
    'texts',
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'text', text: 'b' },
      ],
      tool_call_id: 'c1',
    },
    { output: 'a\nb' },
  ],
  [
    'a picture',
    {
      content: [
        { type: 'text', text: 'a' },
        { type: 'image', mimeType: 'image/png', data: PNG },
      ],
      tool_call_id: 'c1',
    },
    {
      output: [
        { type: 'text', text: 'a' },
        { type: 'image', mediaType: 'image/png', data: PNG },
      ],
    },
  ],
  [
    'an error',
    { content: 'closed', tool_call_id: 'c1', status: 'error' },
    { output: { type: 'error-text', value: 'closed' } },
  ],
  [
    'something for the program',
    { content: 'fine', tool_call_id: 'c1', artifact: { rows: [1, Number.NaN], at: new Date(0) } },
    { output: 'fine', artifact: { rows: [1, 'NaN'], at: '1970-01-01T00:00:00.000Z' } },
  ],
  [
    'something huge for the program',
    { content: 'fine', tool_call_id: 'c1', artifact: 'x'.repeat(200_000) },
    { output: 'fine' },
  ],
])('a result with %s', (_, fields, expected) => {
  expect(logged(new ToolMessage(fields))).toEqual({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c1', ...expected }],
  })
})

test('ids are the message’s own, and any will do', () => {
  expect(externalIdOf({ id: 'run-1' })).toBe('langchain:run-1')
  expect(externalIdOf({})).toBeNull()
  const odd = externalIdOf({ id: '\ud800' })
  expect(odd).toMatch(/^langchain:[0-9a-f]{64}$/)
  expect(externalIdOf({ id: 'x'.repeat(5_000) })).toMatch(/^langchain:[0-9a-f]{64}$/)
})

test('whatever a tool gives, it can be stored', () => {
  const around: Record<string, unknown> = {
    list: [() => 1, undefined, 10n, Symbol('s')],
    at: new Map([[1, 2]]),
  }
  around['self'] = around
  let deep: unknown = 'bottom'
  for (let level = 0; level < 1_000; level++) deep = { deep }
  const message = new ToolMessage({ content: 'fine', tool_call_id: 'c1', artifact: { around, deep } })
  expect(logged(message).content).toMatchObject([
    { artifact: { around: { list: [null, null, '10', null], self: '(circular)' } } },
  ])
})

test('two people of one name are two, and whose id is that word is neither of them', () => {
  const said = (fields: object) => toMessageInput(new HumanMessage({ content: 'hi', ...fields }))!.sender
  const people = [
    said({ name: 'Ann' }),
    said({ name: 'Ann', additional_kwargs: { sender: { id: 'u1' } } }),
    said({ name: 'Ann', additional_kwargs: { sender: { id: 'u2' } } }),
    said({ additional_kwargs: { sender: { id: 'Ann' } } }),
  ]
  expect(new Set(people.map(sender => (sender as { id: string }).id)).size).toBe(4)
})

test('the option says who it is, and what names no one is refused', () => {
  const message = new HumanMessage({ content: 'hi', name: 'Ann', response_metadata: { from: 7 } })
  const sender = ({ response_metadata: { from } }: { response_metadata: Record<string, unknown> }) => ({
    id: `telegram:${from}`,
    name: 'Ann',
  })
  expect(toMessageInput(message, { sender })!.sender).toEqual({ id: 'telegram:7', name: 'Ann' })
  expect(toMessageInput(message, { sender: () => null })!.sender).toEqual({
    id: 'name-only:Ann',
    name: 'Ann',
  })
  for (const wrong of [{ name: 'Ann' }, { id: '' }, { id: 'name-only:Ann' }, 7])
    expect(() =>
      toMessageInput(new HumanMessage({ content: 'hi', additional_kwargs: { sender: wrong } })),
    ).toThrow(/additional_kwargs.sender/)
})
