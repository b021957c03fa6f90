import { expect, test } from 'vitest'
import type { ModelReply, ModelRequest } from '../../packages/palimpsest/src/testing/index.ts'
import { type Param, start, user } from './kit.ts'

const numbers = [1, 2, 3, 4] as const
const question = (number: number) => `Question ${number}?`
const NEW = { 'x-palimpsest-history': 'new' }
const tools = [
  { type: 'function' as const, function: { name: 'look', parameters: { type: 'object', properties: {} } } },
]

const answering = ({ said }: ModelRequest) => `Answer to ${said.at(-1)!.text}`

test.each([1, 2])('four requests at once, on %i servers: each is answered itself', async servers => {
  const kit = await start(answering)
  const urls = [kit.url(), servers === 2 ? (await kit.another()).url : kit.url()]
  const answers = await Promise.all(
    numbers.map(async number => {
      const client = kit.client('s', NEW)
      client.baseURL = `${urls[number % 2]}/v1`
      const { choices } = await client.chat.completions.create({
        model: 'any',
        messages: [user(question(number))],
      })
      return choices[0]!.message.content
    }),
  )
  expect(answers).toEqual(numbers.map(number => `Answer to ${question(number)}`))
  expect(
    kit
      .asked()
      .map(({ said }) => said.at(-1)!.text)
      .sort(),
  ).toEqual(numbers.map(question))
  expect(await kit.log('s')).toHaveLength(8)
})

test('the result of a tool is answered with its own question, whatever others asked meanwhile', async () => {
  const looking = ({ said }: ModelRequest): ModelReply | string => {
    const last = said.at(-1)!
    if (last.role === 'tool') return `Found: ${last.text}`
    return last.text === question(1)
      ? { toolCalls: [{ name: 'look', arguments: '{}' }] }
      : `Answer to ${last.text}`
  }
  const kit = await start(looking)
  const ask = async (messages: Param[]) => {
    const { choices } = await kit.client('s', NEW).chat.completions.create({ model: 'any', messages, tools })
    return choices[0]!.message
  }
  const { tool_calls: calls = [] } = await ask([user(question(1))])
  expect((await ask([user(question(2))])).content).toBe(`Answer to ${question(2)}`)
  const result: Param = { role: 'tool', tool_call_id: calls[0]!.id, content: 'A tree.' }
  expect((await ask([result])).content).toBe('Found: A tree.')
  const { said } = kit.asked().at(-1)!
  expect(said.filter(({ role }) => role !== 'system').map(({ role }) => role)).toEqual([
    'user',
    'assistant',
    'tool',
  ])
})
