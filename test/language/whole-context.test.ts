import { afterAll, describe, expect, test } from 'vitest'
import {
  type Context,
  createPalimpsest,
  type MessageInput,
  type Palimpsest,
  type Session,
  tokens,
} from '../../packages/palimpsest/src/index.ts'
import { PLACES } from '../stores.ts'

/** What people, tools and the bot say, in one script each. */
const TALKS = {
  zh: {
    name: '小王',
    persona: '你叫墨墨，说话简短。',
    note: '公司的产品叫极光。',
    question: '我的船停在哪里？',
    said: (turn: number) =>
      `第${turn}天我们决定了极光号的货柜放在哪里，船停在${turn}号码头，吊车下午才来，发票明天再核对。`,
    reply: (turn: number) => `好的，第${turn}天的事情我记下了，码头和发票都会再提醒你。`,
    result: '码头今天有十二条船，极光号排在第三位，预计下午三点开始装货。',
    system: '聊天已移到新的群。',
    edited: '我的船停在九号码头。',
    file: '合同',
  },
  en: {
    name: 'Wang',
    persona: 'You are called Momo and speak briefly.',
    note: 'The product of the company is called Aurora.',
    question: 'Where is my ship moored?',
    said: (turn: number) =>
      `On day ${turn} we decided where the containers of the Aurora go; she lies at pier ${turn} and the crane comes later.`,
    reply: (turn: number) =>
      `Good, I have noted what happened on day ${turn}, with the pier and the invoice.`,
    result: 'There are twelve ships at the pier today, the Aurora is the third, loading begins at three.',
    system: 'The chat has moved to another group.',
    edited: 'My ship is moored at pier nine.',
    file: 'contract',
  },
} as const

type Talk = keyof typeof TALKS

const DAY_MS = 86_400_000

async function hold(chat: Session, language: Talk, clock: { now: number }): Promise<void> {
  const talk = TALKS[language]
  const say = (input: MessageInput) => chat.append(input)
  const sender = { id: '1', name: talk.name }
  for (let turn = 1; turn <= 40; turn++) {
    await say({ role: 'user', content: talk.said(turn), sender })
    const toolCallId = `c${turn}`
    await say({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId, toolName: 'look_up', input: {} }],
    })
    if (turn % 4 !== 0)
      await say({
        role: 'tool',
        content: [{ type: 'tool-result', toolCallId, toolName: 'look_up', output: talk.result.repeat(3) }],
      })
    await say({ role: 'assistant', content: talk.reply(turn) })
    if (turn % 4 === 0) {
      await chat.compact({ force: true })
      clock.now += DAY_MS
    }
  }
  await say({ role: 'system', content: talk.system })
  await say({
    role: 'user',
    content: [
      { type: 'image', image: 'https://example.com/a' },
      { type: 'file', filename: talk.file },
    ],
    sender,
  })
  await say({ role: 'user', content: [{ type: 'audio', duration: 3, name: talk.file }], sender })
  await say({ role: 'assistant', content: [{ type: 'text', text: talk.reply(30), interrupted: 'aborted' }] })
  for (const [toolCallId, output] of Object.entries({
    d: { type: 'execution-denied' },
    e: { type: 'error-text', value: talk.result },
    f: '',
    g: [{ type: 'image' }],
  })) {
    await say({ role: 'user', content: talk.said(31), sender })
    await say({
      role: 'assistant',
      content: [{ type: 'tool-call', toolCallId, toolName: 'look_up', input: {} }],
    })
    await say({ role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: 'look_up', output }] })
    await say({ role: 'assistant', content: talk.reply(31) })
  }
  await say({ role: 'user', content: talk.said(30).repeat(60), sender })
  // A result that comes when its call is long over.
  await say({
    role: 'tool',
    content: [{ type: 'tool-result', toolCallId: 'c8', toolName: 'look_up', output: talk.result }],
  })
  await say({ role: 'user', content: ' ', sender })
  await chat.pin(1)
  await chat.note(talk.note)
}

const opened: (() => Promise<void>)[] = []
afterAll(async () => {
  for (const close of opened) await close()
})

async function open(place: (typeof PLACES)[keyof typeof PLACES], language: Talk) {
  const clock = { now: Date.UTC(2026, 2, 2, 9) }
  const at = place()
  const palimpsest = await createPalimpsest({
    store: await at.open(),
    policy: tokens({ budget: 1_800 }),
    folding: 'manual',
    clock: () => clock.now,
    memory: { owner: '1', budgets: { chat: 120, daily: 120 } },
  })
  opened.push(async () => {
    await palimpsest.close()
    await at.remove()
  })
  const talk = TALKS[language]
  const { memory } = palimpsest
  await memory.persona.append(talk.persona)
  await memory.global.append(talk.note)
  await memory.user('1').append(talk.note)
  await memory.scope('2').append(talk.note)
  const chat = palimpsest.session('3', { kind: 'private', user: '1', scope: '2' })
  await hold(chat, language, clock)
  return { palimpsest, chat, talk, clock }
}

/** All that a model reads of it, in each of its forms. */
async function formsOf(context: Context): Promise<readonly string[]> {
  const texts: string[] = []
  const collect = (value: unknown, key = ''): void => {
    if (typeof value === 'string') {
      if (
        ![
          'type',
          'role',
          'id',
          'toolCallId',
          'tool_call_id',
          'toolName',
          'name',
          'url',
          'data',
          'mediaType',
          'tool_use_id',
          'arguments',
        ].includes(key)
      )
        texts.push(value)
    } else if (Array.isArray(value)) for (const each of value) collect(each)
    else if (typeof value === 'object' && value !== null)
      for (const [name, each] of Object.entries(value)) collect(each, name)
  }
  collect(context.instructions)
  collect(context.messages)
  collect(context.toOpenAI())
  collect(context.toAnthropic())
  for (const limit of [200, 600, 2_000, 1_000_000])
    collect(context.toText({ limit, instructions: true }).replaceAll(/"?look_up"?|\{\}/g, ''))
  return texts
}

function descriptions(value: unknown): readonly string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) =>
    key === 'description' ? [String(each)] : descriptions(each),
  )
}

/** What names something, in every language: blocks, tools and their arguments. */
const NAMES =
  /<\/?[a-z_]+>|\b(?:look_up|error-text|query_history|expand_history|write_\w+|fromSeq|toSeq|segment|section|content|ISO|id|before|after|limit|sender)\b/g
const ENGLISH = /[A-Za-z]{2,}/
const CHINESE = /[\p{Script=Han}\u3000-\u303f\uff00-\uffef]/u

function foreignIn(texts: readonly string[], language: Talk): readonly string[] {
  const isForeign = language === 'zh' ? ENGLISH : CHINESE
  return texts.flatMap(text => text.replaceAll(NAMES, '').split('\n')).filter(line => isForeign.test(line))
}

async function everything(chat: Session, palimpsest: Palimpsest, talk: (typeof TALKS)[Talk]) {
  const tools = await chat.memoryTools()
  const asked = { tools: tools.toAISDK(), query: talk.question }
  const contexts: Context[] = []
  const look = async () => {
    for (const budget of [undefined, 1_200, 1_700, 2_500, 9_000, 40_000])
      contexts.push(await chat.context({ ...asked, ...(budget && { budget }) }))
  }
  await look()
  await tools.execute('write_chat_memory', { section: talk.name, content: talk.edited })
  await chat.edit(1, talk.edited)
  await palimpsest.memory.global.append(talk.edited)
  await look()
  return { tools, contexts }
}

describe.for(Object.entries(PLACES))('%s: all that a model reads', ([, place]) => {
  test.for(['zh', 'en'] as const)('of a session in %s is in its language', async language => {
    const { palimpsest, chat, talk } = await open(place, language)
    const levels = (await chat.segments('all')).map(({ level }) => level)
    expect(Math.max(...levels)).toBeGreaterThan(1)
    const { tools, contexts } = await everything(chat, palimpsest, talk)
    const texts = (await Promise.all(contexts.map(formsOf))).flat()
    expect(foreignIn(texts, language)).toEqual([])
    expect(contexts.map(context => context.language)).toEqual(contexts.map(() => language))
    expect(await chat.language()).toBe(language)

    const names = new Set(contexts.flatMap(({ report }) => report.blocks.map(({ name }) => name)))
    for (const name of [
      'persona',
      'global_memory',
      'guidance',
      'user_memory',
      'scope_memory',
      'chat_memory',
      'daily_log',
      'session_memory',
      'recent_changes',
      'recall',
    ])
      expect(names).toContain(name)
    const omitted = new Set(contexts.flatMap(({ report }) => report.omitted.map(({ what }) => what)))
    for (const what of ['messages', 'segments', 'text', 'memory'] as const) expect(omitted).toContain(what)

    expect(tools.language).toBe(language)
    expect(
      foreignIn(descriptions([tools.toOpenAI(), tools.toAnthropic(), tools.toAISDK()]), language),
    ).toEqual([])
    const wrong: readonly (readonly [string, unknown])[] = [
      ['write_chat_memory', {}],
      ['write_chat_memory', { section: '##', content: talk.note }],
      ['write_chat_memory', { section: talk.name, content: talk.note.repeat(300) }],
      ['write_chat_memory', { section: talk.name, content: `${talk.note}\n`.repeat(30) }],
      ['write_chat_memory', { section: talk.name, content: '' }],
      ['query_history', { query: talk.question, limit: -1 }],
      ['query_history', { query: talk.question, after: '?' }],
      ['expand_history', { segment: 9_999 }],
      ['expand_history', { fromSeq: 3, toSeq: 2 }],
      ['expand_history', {}],
      ['expand_history', { 1: 2 }],
      ['?', {}],
      ['write_chat_memory', { section: talk.name, content: talk.edited }],
    ]
    for (const [name, args] of wrong) {
      const { error = '', result = '', warning = '' } = await tools.execute(name, args)
      expect(`${error}${result}${warning}`).not.toBe('')
      // What a problem is called is the only English in what a model got wrong.
      expect(foreignIn([error, result, warning].map(String), language)).toEqual([])
    }
    const memory = await chat.memory.read()
    expect(foreignIn([memory!.content], language)).toEqual([])
  })
})
