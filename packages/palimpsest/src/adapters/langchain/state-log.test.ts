import { AIMessage, type BaseMessage, HumanMessage, ToolMessage } from '@langchain/core/messages'
import fc from 'fast-check'
import { afterEach, describe, expect, test } from 'vitest'
import { openAIViolations } from '../../../../../test/provider-rules.ts'
import { runs } from '../../../../../test/runs.ts'
import { createPalimpsest, type Palimpsest, sqlite } from '../../index.ts'
import { StateLog } from './state-log.ts'

const open: Palimpsest[] = []
afterEach(async () => {
  for (const palimpsest of open.splice(0)) await palimpsest.close()
})

async function start(): Promise<Palimpsest> {
  const palimpsest = await createPalimpsest({ store: sqlite(':memory:'), folding: 'manual', indexing: 'off' })
  open.push(palimpsest)
  return palimpsest
}

type Step =
  | { readonly does: 'say'; readonly text: string }
  | { readonly does: 'call'; readonly text: string; readonly result: string }
  | { readonly does: 'reply'; readonly text: string }
  | { readonly does: 'trim'; readonly keep: number }
  | { readonly does: 'restart' }
  | { readonly does: 'store' }

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.constantFrom('yes', '你好', '🙂', 'a\r\nb', '\ud800', ''),
)
const step = fc.oneof<fc.Arbitrary<Step>[]>(
  fc.record({ does: fc.constant('say' as const), text }),
  fc.record({ does: fc.constant('call' as const), text, result: text }),
  fc.record({ does: fc.constant('reply' as const), text }),
  fc.record({ does: fc.constant('trim' as const), keep: fc.integer({ min: 1, max: 4 }) }),
  fc.constant({ does: 'restart' as const }),
  fc.constant({ does: 'store' as const }),
)

/** What the agent adds to its state in a step. */
function added(step: Step, id: number): BaseMessage[] {
  if (step.does === 'say') return [new HumanMessage({ id: `h${id}`, content: step.text })]
  if (step.does === 'reply') return [new AIMessage({ id: `a${id}`, content: step.text })]
  if (step.does !== 'call') return []
  const tool_calls = [{ id: `c${id}`, name: 'look_up', args: { text: step.text } }]
  return [
    new AIMessage({ id: `a${id}`, content: step.text, tool_calls }),
    new ToolMessage({ id: `t${id}`, content: step.result, tool_call_id: `c${id}` }),
  ]
}

test('each message is stored once and in order, however the state is cut and the process restarted', async () => {
  const palimpsest = await start()
  let run = 0
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async steps => {
      const session = palimpsest.session(`run-${run++}`)
      let log = new StateLog()
      let state: BaseMessage[] = []
      const all: BaseMessage[] = []
      for (const [id, step] of steps.entries()) {
        const messages = added(step, id)
        all.push(...messages)
        state.push(...messages)
        if (step.does === 'store' || step.does === 'trim') await log.store(session, state)
        if (step.does === 'trim') state = state.slice(-step.keep)
        if (step.does === 'restart') log = new StateLog()
      }
      await log.store(session, state)
      const stored = await session.messages()
      expect(stored.map(({ externalId }) => externalId)).toEqual(all.map(({ id }) => `langchain:${id}`))
      if (all.length === 0) return
      const context = await session.context()
      expect(openAIViolations(context.toOpenAI())).toEqual([])
    }),
    { numRuns: runs(50, 150) },
  )
})

describe('what it costs', () => {
  /** How many of the messages anybody looked into. */
  function watched(count: number): { messages: BaseMessage[]; looks: Set<number> } {
    const looks = new Set<number>()
    const messages = Array.from({ length: count }, (_, place) => {
      const message: BaseMessage =
        place % 2 === 0
          ? new HumanMessage({ id: `m${place}`, content: '' })
          : new AIMessage({ id: `m${place}`, content: '' })
      return Object.defineProperty(message, 'content', {
        get: () => {
          looks.add(place)
          return `Message ${place}`
        },
      })
    })
    return { messages, looks }
  }

  test('only what is new is looked at, and after a restart the log once', async () => {
    const palimpsest = await start()
    const session = palimpsest.session('long')
    const { messages, looks } = watched(2_001)
    await new StateLog().store(session, messages.slice(0, 2_000))
    expect(await session.count()).toBe(2_000)
    const restarted = new StateLog()
    looks.clear()
    await restarted.store(session, messages.slice(0, 2_000))
    expect(looks.size).toBe(0)
    await restarted.store(session, messages)
    expect([...looks]).toEqual([2_000])
    expect(await session.count()).toBe(2_001)
  })
})

test('a state that is new to a log with a long past is stored once, too', async () => {
  const palimpsest = await start()
  const session = palimpsest.session('chat')
  const state = [new HumanMessage({ id: 'a', content: 'One' }), new AIMessage({ id: 'b', content: 'Two' })]
  await new StateLog().store(session, state)
  for (let place = 0; place < 300; place++)
    await session.append({ role: 'user', content: `Elsewhere ${place}` })
  state.push(new HumanMessage({ id: 'c', content: 'Three' }))
  await new StateLog().store(session, state)
  const stored = await session.messages({ limit: 1_000 })
  expect(stored.filter(({ externalId }) => externalId !== null).map(({ content }) => content)).toEqual([
    'One',
    'Two',
    'Three',
  ])
})

test('calls at the same time store each message once', async () => {
  const palimpsest = await start()
  const session = palimpsest.session('chat')
  const log = new StateLog()
  const state = ['One', 'Two', 'Three'].map(content => new HumanMessage({ id: content, content }))
  await Promise.all([1, 2, 3].map(count => log.store(session, state.slice(0, count))))
  expect((await session.messages()).map(({ content }) => content)).toEqual(['One', 'Two', 'Three'])
})

describe('after an erasure', () => {
  const asked = new HumanMessage({ id: 'h1', content: 'What is it?' })
  const changed = [asked, new AIMessage({ id: 'a1', content: 'It is something else.' })]
  const next = new HumanMessage({ id: 'h2', content: 'And now?' })

  async function answered(log: StateLog) {
    const palimpsest = await start()
    const session = palimpsest.session('s')
    await log.store(session, [asked])
    await log.storeReply(session, new AIMessage({ id: 'a1', content: 'It is this.' }))
    return { palimpsest, session }
  }

  test('a reply is not edited over what another session of the name holds', async () => {
    const log = new StateLog()
    const { palimpsest, session } = await answered(log)
    await palimpsest.forget({ kind: 'session', sessionId: 's' })
    await session.append([
      { role: 'user', content: 'Hello', sender: 'Bob' },
      { role: 'user', content: 'Anybody?', sender: 'Bob' },
    ])
    await log.store(session, [...changed, next])
    const said = (await session.messages()).map(({ content }) => content)
    expect([said.slice(0, 2), said.at(-1)]).toEqual([['Hello', 'Anybody?'], 'And now?'])
    expect(await session.versions(2)).toHaveLength(1)
  })

  test('nothing of the session before is taken for what is in this one', async () => {
    const log = new StateLog()
    const { palimpsest, session } = await answered(log)
    await palimpsest.forget({ kind: 'session', sessionId: 's' })
    await log.store(session, [asked])
    expect((await session.messages()).map(({ externalId }) => externalId)).toEqual(['langchain:h1'])
  })

  test('a reply that is gone stays gone, and the run goes on', async () => {
    const log = new StateLog()
    const { palimpsest, session } = await answered(log)
    await palimpsest.forget({ kind: 'messages', sessionId: 's', seqs: [2] })
    await log.store(session, [...changed, next])
    expect((await session.messages()).map(({ content }) => content)).toEqual(['What is it?', 'And now?'])
  })
})
