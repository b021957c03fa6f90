import { afterEach, expect, it, vi } from 'vitest'
import {
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
  type Summarizer,
  sqlite,
  tokens,
} from '../../src/index.ts'
import type { ScheduleStore } from '../../src/store/index.ts'
import { storeWith } from '../../src/store/store-with.ts'

/** What a review found, each as it was found. */

const open: Palimpsest[] = []
let now = 0

afterEach(async () => {
  for (const palimpsest of open.splice(0)) await palimpsest.close()
})

async function start(options: Partial<PalimpsestOptions> = {}): Promise<Palimpsest> {
  now = Date.parse('2026-03-02T12:00:00Z')
  const palimpsest = await createPalimpsest({ store: sqlite(':memory:'), clock: () => now, ...options })
  open.push(palimpsest)
  return palimpsest
}

const ANN = { kind: 'private', user: 'ann' } as const

async function turn(palimpsest: Palimpsest, id: string, content: string, user = 'ann'): Promise<void> {
  const chat = palimpsest.session(id, { kind: 'private', user })
  now += 60_000
  await chat.append({ role: 'user', content, sender: { id: user } })
  await chat.append({ role: 'assistant', content: 'I see.' })
}

function scripted(extractFacts: Summarizer['extractFacts'], text = 'Ann said things.'): Summarizer {
  const summarize: Summarizer['summarize'] = async () => ({ text, events: [], details: [] })
  return { name: 'scripted', version: '1', summarize, ...(extractFacts && { extractFacts }) }
}

const hangs = () => new Promise<never>(() => {})

it('a model that hangs in an extraction delays neither other sessions nor the end', async () => {
  const summarizer = scripted(async ({ subject, sources }) => {
    if (subject?.id === 'slow') return hangs()
    const [seq] = sources
    return { facts: [{ text: 'Ann lives in Rome', section: 'profile', seq: seq!, on: null, replaces: [] }] }
  })
  const palimpsest = await start({ summarizer, memory: { extract: 'turn' } })
  await turn(palimpsest, 'slow', 'I live in a house that is slow.', 'slow')
  await turn(palimpsest, 'quick', 'I live in Rome since years.')
  await expect.poll(async () => (await palimpsest.memory.user('ann').read())?.content).toContain('Rome')
  const started = performance.now()
  await palimpsest.close()
  expect(performance.now() - started).toBeLessThan(30_000)
})

it('a model that is down is asked ever more seldom', async () => {
  let calls = 0
  const summarizer = scripted(async () => {
    calls += 1
    throw new Error('down')
  })
  const palimpsest = await start({ summarizer, memory: { extract: 'turn' }, onError: () => {} })
  await turn(palimpsest, 'a', 'I live in Rome since years.')
  await palimpsest.settled()
  for (let minute = 0; minute < 24 * 60; minute += 5) {
    now += 300_000
    await turn(palimpsest, 'other', 'Hi!', 'bob')
    await palimpsest.settled()
  }
  expect(calls).toBeLessThan(40)
})

it('a store that fails once does not end the extraction', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const store = sqlite(':memory:')
  let fails = 1
  const listDue: ScheduleStore['listDue'] = (namespace, page) =>
    page.kind === 'extraction' && fails-- > 0
      ? Promise.reject(new Error('disk'))
      : store.schedule.listDue(namespace, page)
  const failing = storeWith(store, { schedule: { ...store.schedule, listDue } })
  try {
    const palimpsest = await start({ store: failing, memory: { extract: 'turn' }, onError: () => {} })
    await vi.advanceTimersByTimeAsync(10)
    fails = 1
    await turn(palimpsest, 'a', 'I live in Rome since years.')
    await vi.advanceTimersByTimeAsync(10)
    now += 2_000
    await vi.advanceTimersByTimeAsync(2_000)
    await palimpsest.settled()
    expect((await palimpsest.memory.user('ann').read())?.content).toContain('Rome')
  } finally {
    vi.useRealTimers()
  }
})

it.each(['', "I'm sorry, but I can't help with that.", 'Error generating summary: 429 Too Many Requests'])(
  'an answer that is no summary (%j) does not become memory',
  async answer => {
    const summarizer: Summarizer = {
      ...scripted(undefined),
      summarize: async ({ of, messages, extracts }) => ({
        text: of === 'summaries' ? answer : 'Ann told about her harvest of apples and pears in the valley.',
        events: [],
        details: [],
        ...(extracts && {
          extracts: messages.slice(0, 3).map(({ seq }) => ({
            text: `Ann harvested field number ${seq} with its ${seq * 11} apple trees`,
            on: '2026-03-02',
            seq,
          })),
        }),
      }),
    }
    const palimpsest = await start({
      summarizer,
      folding: 'manual',
      policy: tokens({ budget: 4_000 }),
      memory: { budgets: { chat: 250 } },
    })
    const chat = palimpsest.session('a', ANN)
    for (let fold = 0; fold < 6; fold++) {
      for (let index = 0; index < 12; index++)
        await chat.append([
          { role: 'user', content: `We harvest the field ${fold}.${index} `.repeat(12) },
          { role: 'assistant', content: 'Good.' },
        ])
      now += 86_400_000
      await chat.compact({ force: true })
    }
    const { content, tokens: size } = (await chat.memory.read())!
    expect(content).toMatch(/\[\d+ lines\] \S/)
    if (answer !== '') expect(content).not.toContain(answer)
    expect(size).toBeLessThan(400)
  },
)

it('memory makes no context overflow that fits without it', async () => {
  const palimpsest = await start({ folding: 'manual', policy: tokens({ budget: 8_000 }) })
  const chat = palimpsest.session('a', ANN)
  await chat.append({ role: 'user', content: 'And now?' })
  await palimpsest.memory.persona.replace('You are kind and know much about trains. '.repeat(200))
  await palimpsest.memory.global.replace('- Our trains are green and go to every town.\n'.repeat(150))
  const tools = (await chat.memoryTools()).toAISDK()
  for (const words of [0, 2_000, 4_000, 5_000, 5_500, 6_000]) {
    const instructions = 'obey '.repeat(words)
    const { report } = await chat.context({ instructions, tools })
    expect(report.tokens).toBeLessThanOrEqual(8_000)
  }
  for (const budget of [900, 1_200, 2_000, 100_000])
    expect((await chat.context({ budget, tools })).report.tokens).toBeLessThanOrEqual(budget)
})

it('a bot that always names its budget has a prefix that stays, too', async () => {
  const palimpsest = await start({ folding: 'manual' })
  const chat = palimpsest.session('a', ANN)
  await chat.append({ role: 'user', content: 'Hello there, how are things?' })
  await chat.memory.append('- one', { section: 'A' })
  const first = await chat.context({ budget: 9_000 })
  await chat.memory.append('- two', { section: 'A' })
  const second = await chat.context({ budget: 9_000 })
  expect(second.instructions).toBe(first.instructions)
  expect(JSON.stringify(second.messages)).toContain('chat_memory, new: two')
})

it('a heading that changes, and a budget, are noticed', async () => {
  const palimpsest = await start({ folding: 'manual' })
  const chat = palimpsest.session('a', ANN)
  await chat.append({ role: 'user', content: 'Hello there, how are things?' })
  await chat.append({ role: 'assistant', content: 'Well.' })
  await palimpsest.memory.user('ann').replace(`## Likes\n- tea\n\n${'- and cake with cream\n'.repeat(60)}`)
  expect((await chat.context()).instructions).toContain('## Likes')
  await palimpsest.memory.user('ann').replace(`## Dislikes\n- tea\n\n${'- and cake with cream\n'.repeat(60)}`)
  now += 2 * 3_600_000
  const { instructions } = await chat.context()
  expect(instructions).toContain('## Dislikes')
  palimpsest.configure({ memory: { budgets: { user: 100 } } })
  expect((await chat.context()).instructions.length).toBeLessThan(instructions.length / 2)
})

it('the newest line is not condensed away, wherever it stands', async () => {
  const palimpsest = await start({ folding: 'manual', memory: { budgets: { chat: 300 } } })
  const tools = await palimpsest.session('a', ANN).memoryTools()
  const write = (section: string, content: string) => tools.execute('write_chat_memory', { section, content })
  await write('Upper', 'The first line of the upper section')
  for (let index = 0; index < 20; index++)
    await write('Lower', `The line number ${index} of the lower section, which is rather long`)
  await write('Upper', 'The newest line of all, in the upper section')
  const chat = palimpsest.session('a')
  expect((await chat.memory.read())!.content).toContain('The newest line of all')
  expect((await chat.memory.undo()).content).not.toContain('The newest line of all')
})

it('a rollback brings back what the hidden message had replaced', async () => {
  const palimpsest = await start({ memory: { extract: 'turn' } })
  await turn(palimpsest, 'a', 'I live in Berlin.')
  await palimpsest.settled()
  await turn(palimpsest, 'a', 'I live in Paris now.')
  await palimpsest.settled()
  expect((await palimpsest.memory.user('ann').read())!.content).not.toContain('Berlin')
  await palimpsest.session('a').rollback(2)
  const { content } = (await palimpsest.memory.user('ann').read())!
  expect(content).toContain('Berlin')
  expect(content).not.toContain('Paris')
})

it('an undo after a redo takes back the same change again', async () => {
  const palimpsest = await start({ folding: 'manual' })
  const { global } = palimpsest.memory
  await global.replace('- first')
  await global.append('- second')
  const { version } = await global.undo()
  await global.undo({ version })
  expect((await global.undo()).content).toBe('- first\n')
})

it('what tools said is found and read, too', async () => {
  const palimpsest = await start({ folding: 'manual' })
  const chat = palimpsest.session('a', ANN)
  await chat.append({ role: 'user', content: 'What does it cost?' })
  const call = { toolCallId: 'c1', toolName: 'price' }
  await chat.append({ role: 'assistant', content: [{ type: 'tool-call', ...call, input: { of: 'bike' } }] })
  await chat.append({ role: 'tool', content: [{ type: 'tool-result', ...call, output: 'It is 4711 euros' }] })
  const tools = await chat.memoryTools()
  expect(JSON.stringify(await tools.execute('query_history', { query: '4711' }))).toContain('4711 euros')
  expect(JSON.stringify(await tools.execute('expand_history', { fromSeq: 3 }))).toContain('4711 euros')
  expect(await tools.execute('query_history', { query: 'x', constructor: 'y' })).toHaveProperty('error')
})

it('what was agreed lies ahead', async () => {
  const palimpsest = await start({ memory: { extract: 'turn' } })
  const group = palimpsest.session('g', { kind: 'group', scope: 'acme' })
  await group.append({
    role: 'user',
    content: 'We decided to meet on Friday at 14:00.',
    sender: { id: 'ann' },
  })
  await group.append({ role: 'assistant', content: 'Good.' })
  await palimpsest.settled()
  expect((await palimpsest.memory.scope('acme').read())!.content).toContain('2026-03-06')
})
