import { describe, expect, test } from 'vitest'
import { readChatGpt } from './read-chatgpt.ts'

interface Node {
  readonly id: string
  readonly parent: string | null
  readonly message: unknown
}

function node(id: string, parent: string | null, fields: object | null = null): Node {
  const message = fields && { id, create_time: 1_700_000_000.5, recipient: 'all', metadata: {}, ...fields }
  return { id, parent, message }
}

function says(role: string, text: string, more: object = {}) {
  return { author: { role }, content: { content_type: 'text', parts: [text] }, ...more }
}

function conversation(nodes: readonly Node[], currentNode: string | null, more: object = {}) {
  const children = (id: string) => nodes.filter(({ parent }) => parent === id).map(child => child.id)
  const mapping = Object.fromEntries(
    nodes.map(entry => [entry.id, { ...entry, children: children(entry.id) }]),
  )
  return { title: 'Trip to Oslo', conversation_id: 'c1', current_node: currentNode, mapping, ...more }
}

const inputs = (value: unknown) =>
  readChatGpt(value).flatMap(({ messages }) =>
    messages.map(message => ('input' in message ? message.input : message)),
  )

/** As a text node that follows the ones before. */
const chain = (...messages: object[]) =>
  conversation(
    [node('n0', null), ...messages.map((message, index) => node(`n${index + 1}`, `n${index}`, message))],
    `n${messages.length}`,
  )

describe('readChatGpt', () => {
  test('takes the branch that was last looked at, with ids and times', () => {
    const nodes = [
      node('root', null),
      node('a', 'root', says('user', 'Where to?')),
      node('b1', 'a', says('assistant', 'Bergen')),
      node('b2', 'a', says('assistant', 'Oslo 🇳🇴')),
      node('c', 'b2', says('user', '谢谢')),
      node('d', 'b1', says('user', 'never seen')),
    ]
    const [found] = readChatGpt([conversation(nodes, 'c')])
    expect(found).toMatchObject({ id: 'c1', title: 'Trip to Oslo' })
    expect(found?.messages).toEqual([
      {
        place: 'message 1',
        input: { role: 'user', content: 'Where to?', externalId: 'a', at: 1_700_000_000_500 },
      },
      {
        place: 'message 2',
        input: { role: 'assistant', content: 'Oslo 🇳🇴', externalId: 'b2', at: 1_700_000_000_500 },
      },
      {
        place: 'message 3',
        input: { role: 'user', content: '谢谢', externalId: 'c', at: 1_700_000_000_500 },
      },
    ])
  })

  test('without a current node takes the newest leaf; goes round no circle', () => {
    const nodes = [
      node('a', null, says('user', 'one')),
      node('b', 'a', says('assistant', 'old', { create_time: 5 })),
      node('c', 'a', says('assistant', 'new', { create_time: 6 })),
    ]
    expect(inputs(conversation(nodes, null)).map(entry => (entry as { content: string }).content)).toEqual([
      'one',
      'new',
    ])
    const circle = [node('a', 'b', says('user', 'a')), node('b', 'a', says('assistant', 'b'))]
    expect(inputs(conversation(circle, 'b'))).toHaveLength(2)
  })

  test('leaves out what nobody said', () => {
    const hidden = { metadata: { is_visually_hidden_from_conversation: true } }
    const value = chain(
      says('system', ''),
      says('system', 'secret rules', hidden),
      {
        author: { role: 'user' },
        content: { content_type: 'user_editable_context', user_profile: 'I am Ann' },
      },
      says('user', 'hi', { create_time: null }),
      { author: { role: 'assistant' }, content: { content_type: 'thoughts', thoughts: [{ content: 'hm' }] } },
      says('assistant', ' '),
      says('assistant', 'hello'),
    )
    expect(inputs(value)).toEqual([
      { role: 'user', content: 'hi', externalId: 'n4', at: null },
      expect.objectContaining({ role: 'assistant', content: 'hello' }),
    ])
  })

  test('pairs calls of tools with what they answered', () => {
    const value = chain(
      says('user', 'plot it'),
      {
        author: { role: 'assistant' },
        recipient: 'python',
        content: { content_type: 'code', language: 'unknown', text: 'print(1)' },
      },
      { author: { role: 'tool', name: 'python' }, content: { content_type: 'execution_output', text: '1' } },
      { author: { role: 'tool', name: 'python' }, content: { content_type: 'execution_output', text: '2' } },
      says('assistant', 'Done'),
    )
    const call = { toolCallId: 'n2', toolName: 'python' }
    expect(inputs(value).slice(1, 4)).toMatchObject([
      { role: 'assistant', content: [{ type: 'tool-call', ...call, input: 'print(1)' }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: '1' }] },
      { role: 'tool', content: [{ type: 'tool-result', ...call, output: '2' }] },
    ])
  })

  test('takes images, files, speech, code and quotes', () => {
    const image = { content_type: 'image_asset_pointer', asset_pointer: 'file-service://file-1', width: 3 }
    const value = chain(
      {
        author: { role: 'user' },
        content: { content_type: 'multimodal_text', parts: [image, 'What is it?'] },
        metadata: {
          attachments: [
            { id: 'file-1', name: 'fox.png', mime_type: 'image/png' },
            { id: 'file-2', name: 'notes.pdf', mime_type: 'application/pdf' },
          ],
        },
      },
      {
        author: { role: 'user' },
        content: {
          content_type: 'multimodal_text',
          parts: [
            { content_type: 'audio_transcription', text: 'spoken' },
            { content_type: 'audio_asset_pointer', asset_pointer: 'sediment://file_3' },
          ],
        },
      },
      {
        author: { role: 'assistant' },
        content: { content_type: 'code', language: 'python', text: 'print(1)' },
      },
      {
        author: { role: 'tool', name: 'browser' },
        content: {
          content_type: 'tether_quote',
          title: 'Foxes',
          url: 'https://a.example',
          text: 'They are red.',
        },
      },
      { author: { role: 'assistant' }, content: { content_type: 'of_next_year', text: 'still text' } },
    )
    expect(inputs(value).map(entry => (entry as { content: unknown }).content)).toEqual([
      [
        { type: 'image', id: 'file-service://file-1' },
        { type: 'text', text: 'What is it?' },
        { type: 'file', id: 'file-2', filename: 'notes.pdf', mediaType: 'application/pdf' },
      ],
      'spoken',
      '```python\nprint(1)\n```',
      'Foxes\nhttps://a.example\nThey are red.',
      'still text',
    ])
  })
})
