import { type AgentInputItem, protocol } from '@openai/agents'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { anyItem, ITEM_KINDS, itemOfKind } from '../../../../../test/openai-agents/arbitrary-items.ts'
import { createPalimpsest, sqlite } from '../../index.ts'
import { contentLinks, isReply, searchableText } from '../../log/index.ts'
import { measureMessage } from '../../tokens/index.ts'
import { toItem } from './to-item.ts'
import { toMessage } from './to-message.ts'

describe('an item', () => {
  test.each(ITEM_KINDS)('of the kind %s comes back as it was, from memory and from the log', async kind => {
    await using palimpsest = await createPalimpsest({
      store: sqlite(':memory:'),
      folding: 'manual',
      indexing: 'off',
      // Random names are now and then those of secrets.
      redact: false,
    })
    let number = 0
    await fc.assert(
      fc.asyncProperty(fc.array(itemOfKind(kind), { minLength: 1, maxLength: 8 }), async items => {
        for (const item of items) {
          expect(protocol.ModelItem.safeParse(item).success).toBe(true)
          const before = structuredClone(item)
          const message = toMessage(item)
          expect(item, 'is left alone').toEqual(before)
          expect(toItem(message)).toEqual(item)
        }
        const chat = palimpsest.session(`${number++}`)
        await chat.append(items.map(toMessage))
        expect((await chat.messages()).map(toItem)).toEqual(items)
      }),
      { numRuns: 60 },
    )
  })

  test('is stored once: the log grows by little more than the item', () => {
    fc.assert(
      fc.property(anyItem, item => {
        const bytes = (value: unknown) =>
          JSON.stringify(value, (_, inner) =>
            inner instanceof Uint8Array ? Buffer.from(inner).toString('base64') : inner,
          ).length
        expect(bytes(toMessage(item))).toBeLessThan(bytes(item) * 1.1 + 400)
      }),
      { numRuns: 2_000 },
    )
  })

  test('of odd or no kind is kept, too', () => {
    const odd = [
      { type: 'new_kind', callId: 'x', deep: { a: [1] } },
      { role: 'user', content: 7 },
      { role: 'user', content: [7, 'x'] },
      { role: 'developer', content: 'x' },
      { type: 'function_call', callId: 7, name: 'f', arguments: '' },
      { type: 'function_call_result', callId: 'c', name: 'f', status: 'completed', output: { any: 'thing' } },
      { type: 'function_call_result', callId: 'c', name: 'f', status: 'completed', output: [] },
      { type: 'reasoning', content: 'none' },
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'new', text: 7, filename: null }],
      },
      {},
    ]
    for (const item of odd as unknown as AgentInputItem[]) {
      expect(toItem(toMessage(item))).toEqual(item)
      expect(toItem(JSON.parse(JSON.stringify(toMessage(item))))).toEqual(item)
    }
    for (const item of [null, undefined, 'text', 7, []] as unknown as AgentInputItem[])
      expect(() => toMessage(item)).toThrow('an item of the Agents SDK')
  })

  test('says in the log what it says', () => {
    const said = (item: unknown) => searchableText(toMessage(item as AgentInputItem).content)
    const call = { callId: 'c', name: 'look_up', status: 'completed' }
    expect(said({ role: 'user', content: 'find me' })).toBe('find me')
    expect(
      said({
        role: 'user',
        content: [
          { type: 'input_text', text: 'find' },
          { type: 'input_file', file: 'abcd', filename: 'me.pdf' },
        ],
      }),
    ).toBe('find\nme.pdf')
    expect(
      said({ role: 'assistant', status: 'completed', content: [{ type: 'refusal', refusal: 'I will not' }] }),
    ).toBe('I will not')
    expect(said({ role: 'user', content: [{ type: 'audio', audio: 'AAAA', transcript: 'heard' }] })).toBe(
      'heard',
    )
    expect(said({ type: 'function_call', ...call, arguments: '{"id":"4711"}' })).toContain('4711')
    expect(said({ type: 'function_call_result', ...call, output: 'shipped' })).toContain('shipped')
    expect(
      said({ type: 'function_call_result', ...call, output: [{ type: 'input_text', text: 'shipped' }] }),
    ).toContain('shipped')
    expect(said({ type: 'shell_call', callId: 'c', action: { commands: ['ls -l'] } })).toContain('ls -l')
    expect(said({ type: 'reasoning', content: [{ type: 'input_text', text: 'a thought' }] })).toBe('')
    expect(said({ type: 'compaction', encrypted_content: 'xyz' })).toBe('')
  })

  test('is paired and counted, and bytes are no text', () => {
    const links = (item: unknown) => {
      const { role, content } = toMessage(item as AgentInputItem)
      return { ...contentLinks(content), reply: isReply(role, contentLinks(content)) }
    }
    const bytes = 'A'.repeat(100_000)
    expect(links({ type: 'function_call', callId: 'c', name: 'f', arguments: '{}' })).toEqual({
      opens: ['call:c'],
      closes: [],
      reply: false,
    })
    expect(links({ type: 'shell_call_output', callId: 'c', output: [] })).toEqual({
      opens: [],
      closes: ['call:c'],
      reply: false,
    })
    const approval = { type: 'hosted_tool_call', name: 'mcp_approval_request', providerData: { id: 'a' } }
    expect(links(approval)).toMatchObject({ opens: ['approval:a'], reply: false })
    const answer = {
      type: 'hosted_tool_call',
      name: 'mcp_approval_response',
      providerData: { approval_request_id: 'a', approve: true },
    }
    expect(links(answer)).toMatchObject({ closes: ['approval:a'] })
    const hosted = { type: 'hosted_tool_call', name: 'web_search_call', id: 'ws_1', status: 'completed' }
    expect(links(hosted)).toMatchObject({ opens: ['call:ws_1'], closes: ['call:ws_1'] })
    const pictures = [
      { role: 'user', content: [{ type: 'input_image', image: `data:image/png;base64,${bytes}` }] },
      { type: 'computer_call_result', callId: 'c', output: { type: 'computer_screenshot', data: bytes } },
      {
        type: 'function_call_result',
        callId: 'c',
        name: 'f',
        status: 'completed',
        output: [{ type: 'input_image', image: bytes }],
      },
      { role: 'user', content: [{ type: 'audio', audio: bytes, transcript: 'heard' }] },
    ]
    for (const item of pictures as AgentInputItem[])
      expect(measureMessage({ content: toMessage(item).content, sender: null }).tokens).toBeLessThan(1_300)
  })

  test('that is only text is a text in the log, whoever wrote it', () => {
    const texts = [
      { type: 'message', role: 'user', content: 'x' },
      { type: 'message', role: 'system', content: 'x' },
      {
        type: 'message',
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text: 'x' }],
      },
    ]
    for (const item of texts as AgentInputItem[]) {
      const { role } = item as { role: 'user' }
      expect(toMessage(item)).toEqual({ role, content: 'x' })
      expect(toItem({ role, content: 'x' })).toEqual(item)
    }
  })
})
