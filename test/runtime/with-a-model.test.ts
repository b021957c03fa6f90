import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { tool } from 'ai'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { z } from 'zod'
import { modelResponder } from '../../packages/bot/src/index.ts'
import { contentText } from '../../packages/palimpsest/src/log/index.ts'
import {
  type ModelScript,
  type ModelServer,
  startModelServer,
} from '../../packages/palimpsest/src/testing/index.ts'
import { type Kit, type KitOptions, quiet, runtimeKit, until } from './runtime-kit.ts'

const kits: Kit[] = []
let server: ModelServer
let script: ModelScript = 'yes'

beforeEach(async () => {
  server = await startModelServer({
    reply: (request, index) => (typeof script === 'function' ? script(request, index) : (script as string)),
  })
})

afterEach(async () => {
  for (const kit of kits.splice(0)) await kit.close()
  await server.close()
})

const tools = {
  look: tool({ description: 'Looks.', inputSchema: z.object({}), execute: async () => 'it rains' }),
}

async function open(options: KitOptions = {}): Promise<Kit> {
  const model = createOpenAICompatible({ name: 'loopback', baseURL: server.url })('scripted')
  const kit = await runtimeKit({ responder: modelResponder({ model, tools }), ...options })
  kits.push(kit)
  return kit
}

test('a burst is one turn of the model, with its tool calls in the log', async () => {
  script = ({ said }) =>
    said.at(-1)!.role === 'tool'
      ? 'It rains.'
      : { text: 'One moment.', toolCalls: [{ name: 'look', arguments: {} }] }
  const kit = await open()
  await kit.say('What is')
  await kit.say('the weather?')
  await quiet(kit)
  expect(kit.platform.texts).toEqual(['One moment.\n\nIt rains.'])
  const log = await kit.palimpsest.session('memory:42').messages()
  expect(log.map(({ role, replyTo }) => [role, replyTo])).toEqual([
    ['user', null],
    ['user', null],
    ['assistant', 1],
    ['tool', 1],
    ['assistant', 1],
  ])
  expect(await kit.palimpsest.waiting()).toEqual([])
})

test('a provider that fails is asked again, and what it said in between stays, marked', async () => {
  let requests = 0
  script = () => {
    requests += 1
    if (requests === 1) return { status: 503, body: 'overloaded' }
    return requests === 2 ? { text: 'Half of it is here', fault: 'cut_off' } : 'All of it is here.'
  }
  const kit = await open()
  await kit.say('Tell me')
  await quiet(kit)
  expect(kit.platform.texts).toEqual(['All of it is here.'])
  expect(kit.reports).toMatchObject([{ outcome: 'delivered', attempts: 3 }])
  const log = await kit.palimpsest.session('memory:42').messages()
  expect(contentText(log.at(-1)!.content)).toBe('All of it is here.')
})

test('an answer in several steps is delivered whole by the next process, too', async () => {
  script = ({ said }) =>
    said.at(-1)!.role === 'tool'
      ? 'It rains.'
      : { text: 'One moment.', toolCalls: [{ name: 'look', arguments: {} }] }
  const dying = await open()
  dying.platform.failures.push(...Array.from({ length: 9 }, () => new Error('down')))
  await dying.say('The weather?', { id: 'q' })
  await vi.waitFor(async () => {
    await dying.clock.advance(500)
    expect((await dying.palimpsest.waiting())[0]?.reply).toEqual([2, 3, 4])
  })
  await dying.end()
  dying.platform.failures.length = 0
  const { place, platform, clock } = dying
  const next = await runtimeKit({
    place,
    platform,
    clock,
    responder: () => Promise.reject(new Error('asked')),
  })
  kits.splice(0, 1, next)
  await quiet(next)
  expect([...platform.shown.values()]).toMatchObject([{ text: 'One moment.\n\nIt rains.', replyTo: 'q' }])
})

test('in a group the model is told whom to answer, at the very end', async () => {
  script = 'Hello, both.'
  const kit = await open()
  const group = { kind: 'group' as const }
  await kit.say('hello @bot', { ...group, sender: { id: '7', name: 'Ann' }, mentionsBot: true })
  await kit.say('by the way', { ...group, sender: { id: '8', name: 'Ann' } })
  await quiet(kit)
  const [request] = server.requests
  expect(request!.said.map(({ text }) => text)).toEqual([
    expect.stringMatching(/Several people speak/),
    '[Ann (memory:7)]: hello @bot',
    '[Ann (memory:8)]: by the way',
    expect.stringMatching(/^\[system\]: Answer \[Ann \(memory:7\)\], who mentioned you/),
  ])
})

test('what is said during an answer is answered next, after that answer', async () => {
  script = async ({ said }) => {
    const question = said.at(-1)!.text
    if (question === 'A restaurant?') await kit.say('And its street?')
    return question === 'A restaurant?' ? 'The Harbour.' : 'Quay Street.'
  }
  const kit = await open()
  await kit.say('A restaurant?')
  await quiet(kit)
  expect(server.requests.map(({ said }) => said.slice(1).map(({ text }) => text))).toEqual([
    ['A restaurant?'],
    ['A restaurant?', 'The Harbour.', 'And its street?'],
  ])
  expect(kit.platform.texts).toEqual(['The Harbour.', 'Quay Street.'])
  const log = await kit.palimpsest.session('memory:42').messages()
  expect(log.map(({ role, replyTo }) => [role, replyTo])).toEqual([
    ['user', null],
    ['user', null],
    ['assistant', 1],
    ['assistant', 2],
  ])
})

test('an answer that broke off is tried again for its question, not for what it said', async () => {
  script = () =>
    server.requests.length === 1 ? { text: 'Half of it is here', fault: 'cut_off' } : 'All of it.'
  const kit = await open()
  await kit.say('Tell me')
  await quiet(kit)
  expect(server.requests.map(({ said }) => said.at(-1)!.text)).toEqual(['Tell me', 'Tell me'])
})

describe('the model', () => {
  test('is asked what it is to answer last, where it spoke since itself', async () => {
    const gate = Promise.withResolvers<void>()
    script = async ({ said }) => {
      await gate.promise
      return `answer to: ${said.at(-1)!.text}`
    }
    const model = createOpenAICompatible({ name: 'loopback', baseURL: server.url })('scripted')
    const kit = await open({
      inbox: { quietMs: 0 },
      responder: modelResponder({ model, memoryTools: false }),
    })
    await kit.say('What is one?')
    await until(kit, () => expect(server.requests).toHaveLength(1))
    await kit.say('And what is two?')
    gate.resolve()
    await quiet(kit)
    expect(kit.platform.texts).toHaveLength(2)
    expect(JSON.stringify(server.requests[1]!.said)).not.toContain('no new message')
    expect(kit.platform.texts[1]).toBe('answer to: And what is two?')
  })
})
