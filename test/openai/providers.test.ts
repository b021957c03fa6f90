import type OpenAI from 'openai'
import { expect, test } from 'vitest'
import { assistant, type Param, start, user } from './kit.ts'

const schema = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }
const tools: OpenAI.ChatCompletionTool[] = [
  { type: 'function', function: { name: 'look_up_order', description: 'Where it is.', parameters: schema } },
]

/** Whatever protocol the configured model speaks, the client sees its own. */
test.each([
  [
    'anthropic:claude-x',
    {
      max_tokens: 500,
      tool_choice: { type: 'tool', name: 'look_up_order', disable_parallel_tool_use: true },
    },
  ],
  ['openai:gpt-x', { max_output_tokens: 500, parallel_tool_calls: false, prompt_cache_key: 'k' }],
  ['openai-compatible:qwen3', { max_tokens: 500, parallel_tool_calls: false, prompt_cache_key: 'k' }],
])('%s: tools and texts, streaming and not', async (model, sent) => {
  const kit = await start(
    ({ said }) =>
      said.at(-1)!.role === 'tool'
        ? 'It was shipped.'
        : {
            text: 'One moment.',
            toolCalls: [{ name: 'look_up_order', arguments: '{"id":"B-7"}', id: 'call_7' }],
            usage: { input: 321, cached: 21, output: 12 },
          },
    { model },
  )
  const client = kit.client('s')
  const messages: Param[] = [{ role: 'system', content: 'Be brief.' }, user('Where is order B-7?')]
  const first = await client.chat.completions.create({
    model: 'any',
    messages,
    tools,
    max_tokens: 500,
    parallel_tool_calls: false,
    prompt_cache_key: 'k',
    tool_choice: { type: 'function', function: { name: 'look_up_order' } },
  })
  expect(kit.asked()[0]!.body).toMatchObject(sent)
  const [choice] = first.choices
  expect(choice).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      content: 'One moment.',
      tool_calls: [{ id: 'call_7', function: { name: 'look_up_order', arguments: '{"id":"B-7"}' } }],
    },
  })
  const answered: Param[] = [
    ...messages,
    choice!.message,
    { role: 'tool', tool_call_id: 'call_7', content: 'shipped' },
  ]
  const second = await client.chat.completions
    .stream({ model: 'any', messages: answered, tools })
    .finalChatCompletion()
  expect(second.choices[0]!.message.content).toBe('It was shipped.')
  const third = [...answered, assistant('It was shipped.'), user('Where is order B-8?')]
  await client.chat.completions.create({ model: 'any', messages: third, tools })
  const roles = (await kit.log('s')).map(({ role }) => role)
  expect(roles).toEqual(['user', 'assistant', 'tool', 'assistant', 'user', 'assistant'])
  expect(kit.asked()[1]!.said.at(-1)).toMatchObject({ role: 'tool', text: 'shipped' })
  expect(kit.warnings).toEqual([])
})
