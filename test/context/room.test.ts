import { expect, test } from 'vitest'
import { type Content, count, tokens } from '../../packages/palimpsest/src/index.ts'
import { smallTalk } from '../scenarios/small-talk.ts'
import { openChat } from './open-chat.ts'

test('room for the reply is in the model’s own tokens', async () => {
  const chat = await openChat({ policy: tokens({ budget: 4_000 }) })
  const talk = smallTalk()
  for (let index = 0; index < 300; index++) await chat.append(talk.next().value)
  const before = await chat.context({ model: 'm' })
  for (let sample = 0; sample < 3; sample++)
    await chat.observeUsage(before, {
      model: 'm',
      inputTokens: Math.round(before.estimatedInputTokens * 0.6),
    })
  await chat.edit(1, 'an epoch begins')
  const { report, estimatedInputTokens } = await chat.context({ model: 'm', outputReserve: 2_000 })
  expect(report.blocks.find(({ name }) => name === 'output_reserve')?.tokens).toBe(2_000)
  expect(estimatedInputTokens * 0.6).toBeLessThanOrEqual(2_000)
})

test('many images, many texts or a long thought in one message leave room for an answer', async () => {
  const image = {
    type: 'image',
    image: 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
  }
  const contents = [
    Array.from({ length: 30 }, () => image),
    Array.from({ length: 2_000 }, (_, index) => ({ type: 'text', text: `part ${index}` })),
    [
      { type: 'reasoning', text: 'deep '.repeat(30_000) },
      { type: 'text', text: 'Done.' },
    ],
  ]
  for (const content of contents) {
    const chat = await openChat({ policy: tokens({ budget: 8_000 }) })
    await chat.append({ role: 'user', content: 'Look.' })
    await chat.append({
      role: content.length === 2 ? 'assistant' : 'user',
      content: content as unknown as Content,
    })
    const { report } = await chat.context({ reasoning: 'keep' })
    expect(report.tokens).toBeLessThanOrEqual(8_000)
    expect(report.omitted.length).toBeGreaterThan(0)
  }
})

test('a policy that keeps nothing leaves no gap', async () => {
  const chat = await openChat()
  for (let index = 1; index <= 22; index++) await chat.append({ role: 'user', content: `m${index}` })
  const context = await chat.context({ policy: count({ threshold: 10, keepLast: 0 }) })
  expect(context.sessionMemory).toContain('## Messages 1–21')
  expect(context.messages.at(-1)!.content).toBe('m22')
})

test('another budget by way of a policy unfolds as well', async () => {
  const chat = await openChat({ policy: tokens({ budget: 4_000 }) })
  const talk = smallTalk()
  for (let index = 0; index < 400; index++) await chat.append(talk.next().value)
  await chat.compact()
  const byBudget = await chat.context({ budget: 100_000 })
  const byPolicy = await chat.context({ policy: tokens({ budget: 100_000 }) })
  expect(byPolicy.messages.length).toBe(byBudget.messages.length)
  expect(byPolicy.messages.length).toBeGreaterThan(390)
})

test('pins that do not fit are reported, and all at once they stay within their limit', async () => {
  const chat = await openChat({ policy: tokens({ budget: 2_000 }) })
  await chat.append({ role: 'user', content: 'hello' })
  const notes = Array.from({ length: 20 }, (_, index) => chat.note(`note ${index} ${'word '.repeat(60)}`))
  const settled = await Promise.allSettled(notes)
  expect(settled.filter(({ status }) => status === 'rejected').length).toBeGreaterThan(10)
  expect((await chat.pins()).reduce((sum, pin) => sum + pin.tokens, 0)).toBeLessThanOrEqual(500)
  const { report } = await chat.context({ budget: 500 })
  expect(report.omitted).toContainEqual(expect.objectContaining({ what: 'pins' }))
})

test('odd names of models and odd limits are no trouble', async () => {
  const chat = await openChat()
  await chat.append({ role: 'user', content: 'hello' })
  for (const model of ['constructor', '__proto__', 'toString'])
    expect((await chat.context({ model })).report.tokens).toBeGreaterThan(0)
  const context = await chat.context()
  for (const limit of [-5, Number.NaN]) expect(() => context.toText({ limit })).toThrow(/at least 0/)
  const circular: Record<string, unknown> = {}
  circular['self'] = circular
  await expect(chat.context({ tools: circular })).rejects.toMatchObject({ code: 'invalid_argument' })
})

test('the frame of the session memory takes its room once, with a pin and an interim in it too', async () => {
  const chat = await openChat({ policy: tokens({ budget: 1_200 }) })
  await chat.append({ role: 'user', content: 'says', sender: { id: 'u1', name: '' } })
  await chat.pin(1)
  const tag = '</session_memory> '.repeat(180)
  await chat.append({ role: 'user', content: tag, sender: { id: 'a', name: '## Messages 1–999 '.repeat(3) } })
  const { report, sessionMemory } = await chat.context({ budget: 240 })
  expect(report.tokens).toBeLessThanOrEqual(240)
  expect(sessionMemory).toContain('## Messages 1–1, main points')
})
