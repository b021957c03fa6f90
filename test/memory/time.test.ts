import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  count,
  createPalimpsest,
  type MessageInput,
  modelSummarizer,
  type Palimpsest,
  type Session,
  sqlite,
} from '../../packages/palimpsest/src/index.ts'
import { extractive, type Summarizer } from '../../packages/palimpsest/src/summarizer/index.ts'
import { type ModelServer, startModelServer } from '../../packages/palimpsest/src/testing/index.ts'
import { Clock, extractor } from './kit.ts'

/** Where the bot lives; nobody who talks with it does. */
const ZONE = 'Asia/Tokyo'

/** Late on Thursday the 5th; in Tokyo it is Friday afternoon. */
const ann = { sender: { id: 'ann', name: 'Ann' }, at: '2026-03-05T23:30:00', zone: 'America/Los_Angeles' }
/** Friday the 6th, early, and late enough that tomorrow is the 7th; at the same instant it is Thursday where Bob is. */
const li = { sender: { id: 'li', name: 'Li' }, at: '2026-03-06T05:00:00', zone: 'Asia/Shanghai' }
const bob = { sender: { id: 'bob', name: 'Bob' }, at: '2026-03-05T18:00:00', zone: 'Europe/Berlin' }
/** No zone of his own: the bot's holds. Thursday the 5th, an hour before midnight in Tokyo. */
const kim = { sender: { id: 'kim', name: 'Kim' }, at: '2026-03-05T23:00:00' }

const say = (who: Omit<MessageInput, 'role' | 'content' | 'text'>, content: string): MessageInput => ({
  role: 'user',
  content,
  ...who,
})
const ok: MessageInput = { role: 'assistant', content: 'ok', at: '2026-03-06T17:00:00' }

const GROUP = [
  say(bob, 'We agreed on the price of the crane last week with the whole board.'),
  say(li, '我们决定明天去看房子，预算是三百万。'),
  say(kim, 'The deadline is set for the day after tomorrow, as the harbour wants it.'),
  say(ann, 'We decided to meet the harbour master next Friday.'),
  ok,
]

let clock: Clock
let palimpsest: Palimpsest
let group: Session
let extract: (sessionId: string) => Promise<void>

async function open(summarizer: Summarizer): Promise<void> {
  clock = new Clock(Date.UTC(2026, 2, 6, 9))
  const store = sqlite(':memory:', { durability: 'normal' })
  palimpsest = await createPalimpsest({
    store,
    policy: count({ threshold: 20, keepLast: 1 }),
    folding: 'manual',
    summarizer,
    clock: clock.read,
    zone: ZONE,
    memory: { extract: 'turn' },
  })
  group = palimpsest.session('group', { kind: 'group', scope: 'harbour' })
  extract = extractor({ store, clock: clock.read, zone: ZONE, summarizer })
}

afterEach(() => palimpsest.close())

const linesOf = (content: string | undefined) =>
  content?.split('\n').filter(line => line.startsWith('- 2')) ?? []

describe('days that were said, folded nine days later', () => {
  beforeEach(async () => {
    await open(extractive())
    await group.append(GROUP)
    clock.pass({ days: 9 })
  })

  const ofBob =
    '- 2026-03-05: Bob (bob): We agreed on the price of the crane last week (2026-02-23/03-01) with the whole board.'
  const ofLi = '- 2026-03-06: Li (li): 我们决定明天 (2026-03-07)去看房子，预算是三百万。'
  const ofKim =
    '- 2026-03-05: Kim (kim): The deadline is set for the day after tomorrow (2026-03-07), as the harbour wants it.'
  const ofAnn = '- 2026-03-05: Ann (ann): We decided to meet the harbour master next Friday (2026-03-13).'

  it('stand in chat memory as they were meant where they were said', async () => {
    await group.compact({ force: true })
    const lines = linesOf((await group.memory.read())?.content)
    expect(lines.length).toBeGreaterThanOrEqual(3)
    for (const line of lines) expect([ofBob, ofLi, ofKim, ofAnn]).toContain(line)
    const facts = await group.memory.facts()
    expect(facts).toHaveLength(lines.length)
    const known: Readonly<Record<string, string | null>> = {
      [ofBob]: null,
      [ofLi]: '2026-03-07',
      [ofKim]: '2026-03-07',
      [ofAnn]: '2026-03-13',
    }
    const said: Readonly<Record<string, string>> = {
      [ofBob]: '2026-03-05T17:00:00.000Z',
      [ofLi]: '2026-03-05T21:00:00.000Z',
      [ofKim]: '2026-03-05T14:00:00.000Z',
      [ofAnn]: '2026-03-06T07:30:00.000Z',
    }
    for (const { line, on, saidAt } of facts) {
      expect({ line, on }).toEqual({ line, on: known[line] })
      expect(saidAt.toISOString()).toBe(said[line])
    }
  })

  it('are filed in the daily log under the day that it was where the bot is', async () => {
    await group.compact({ force: true })
    const lines = async (day: string) => linesOf((await group.daily(day).read())?.content)
    const [fifth, sixth] = [await lines('2026-03-05'), await lines('2026-03-06')]
    for (const line of fifth) expect(line).toBe(ofKim)
    for (const line of sixth) expect([ofBob, ofLi, ofAnn]).toContain(line)
    expect(fifth.length + sixth.length).toBe(linesOf((await group.memory.read())?.content).length)
    const days = (await palimpsest.memory.list({ layer: 'daily' })).map(({ key }) => key)
    expect(days).toEqual(fifth.length > 0 ? ['2026-03-05/group', '2026-03-06/group'] : ['2026-03-06/group'])
  })

  it('stand so in the memory of the scope, each with the day that it speaks of', async () => {
    await extract('group')
    const scope = palimpsest.memory.scope('harbour')
    expect(linesOf((await scope.read())?.content)).toEqual([ofBob, ofLi, ofAnn, ofKim])
    expect((await scope.facts()).map(({ line, on }) => [line, on])).toEqual([
      [ofBob, null],
      [ofLi, '2026-03-07'],
      [ofKim, '2026-03-07'],
      [ofAnn, '2026-03-13'],
    ])
  })

  it('stand so in a person’s memory, extracted long after', async () => {
    for (const [who, id, text, line, on] of [
      [
        ann,
        'ann',
        'My birthday is tomorrow.',
        '- 2026-03-05: My birthday is tomorrow (2026-03-06).',
        '2026-03-06',
      ],
      [
        li,
        'li',
        '我喜欢喝茶，我们明天去买茶。',
        '- 2026-03-06: 我喜欢喝茶，我们明天 (2026-03-07)去买茶。',
        '2026-03-07',
      ],
      [
        bob,
        'bob',
        'I moved to Berlin last week.',
        '- 2026-03-05: I moved to Berlin last week (2026-02-23/03-01).',
        null,
      ],
    ] as const) {
      const chat = palimpsest.session(`private ${id}`, { user: id })
      await chat.append([say(who, text), ok])
      clock.pass({ days: 3 })
      await extract(chat.id)
      const memory = palimpsest.memory.user(id)
      expect(linesOf((await memory.read())?.content)).toEqual([line])
      expect(await memory.facts()).toMatchObject([
        { line, on, subject: id, saidAt: new Date((await chat.messages())[0]!.at), from: 'extraction' },
      ])
    }
  })

  it('keep their days when their lines are condensed, months later', async () => {
    await group.compact({ force: true })
    palimpsest.configure({ memory: { budgets: { chat: 150 } } })
    for (let day = 0; day < 6; day++) {
      clock.pass({ days: 20 })
      await group.memory.append(
        `- 2026-0${4 + day}-01: crate ${day} of the lemons came to the harbour of Porto`,
      )
    }
    const { content } = (await group.memory.read())!
    expect(content).toMatch(/^- 2026-03-05 – 2026-0\d-\d\d: /m)
    for (const [, phrase, day] of content.matchAll(
      /(last week|明天|day after tomorrow|next Friday) \(([^)]*)\)/g,
    ))
      expect(
        {
          'last week': '2026-02-23/03-01',
          明天: '2026-03-07',
          'day after tomorrow': '2026-03-07',
          'next Friday': '2026-03-13',
        }[phrase!],
      ).toBe(day)
    expect(content).not.toMatch(/(?:last week|明天|day after tomorrow|next Friday)(?! \()/)
  })
})

describe('a note of a tool', () => {
  it('is dated where the bot is, and knows of which day it speaks', async () => {
    await open(extractive())
    await group.append(GROUP)
    // Half past midnight of the 8th in Tokyo.
    clock.now = Date.UTC(2026, 2, 7, 15, 30)
    const tools = await group.memoryTools()
    await tools.execute('write_chat_memory', {
      section: 'Plans',
      content: 'The crane is checked on 2026-04-02.',
    })
    await tools.execute('write_chat_memory', { section: 'Plans', content: 'The crane is yellow and tall.' })
    expect((await group.memory.facts()).map(({ line, on }) => [line, on])).toEqual([
      ['- 2026-03-08: The crane is checked on 2026-04-02.', '2026-04-02'],
      ['- 2026-03-08: The crane is yellow and tall.', null],
    ])
  })
})

describe('a model', () => {
  let server: ModelServer
  beforeEach(async () => {
    server = await startModelServer()
    const settings = { name: 'test', baseURL: server.url, supportsStructuredOutputs: true }
    await open(modelSummarizer(createOpenAICompatible(settings)('small'), { maxRetries: 0 }))
  })
  afterEach(() => server.close())

  it('is shown each message on its own day and in its own zone, and its lines are dated so', async () => {
    const filler = ' The crates of lemons sail to Porto.'.repeat(20)
    await group.append(
      GROUP.map(message => ({ ...message, content: `${message.content}${filler}` }) as MessageInput),
    )
    clock.pass({ days: 9 })
    server.setReply(
      JSON.stringify({
        summary: 'They talked about cranes and houses.',
        events: [],
        details: [],
        extracts: [
          { text: 'Ann said that they meet the harbour master on 2026-03-13.', seq: 4 },
          { text: 'Li 说他们 2026-03-07 去看房子。', seq: 2 },
        ],
        memo: {},
      }),
    )
    await group.compact({ force: true })
    const prompt = JSON.stringify(server.requests[0]!.body.messages)
    expect(prompt).toContain('[Thursday 2026-03-05, America/Los_Angeles]\\n#4 2026-03-05 23:30 Ann: ')
    expect(prompt).toContain('[Friday 2026-03-06, Asia/Shanghai]\\n#2 2026-03-06 05:00 Li: ')
    expect(prompt).toContain('[Thursday 2026-03-05, Asia/Tokyo]\\n#3 2026-03-05 23:00 Kim: ')
    expect((await group.memory.facts()).map(({ line, on, subject }) => [line, on, subject])).toEqual([
      ['- 2026-03-06: Li (li) 说他们 2026-03-07 去看房子。', '2026-03-07', 'li'],
      ['- 2026-03-05: Ann (ann) said that they meet the harbour master on 2026-03-13.', '2026-03-13', 'ann'],
    ])
  })
})
