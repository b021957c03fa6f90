import fc from 'fast-check'
import type { Content, MessageInput } from 'palimpsest/internals/log/index'
import { createPalimpsest, type PalimpsestOptions } from 'palimpsest/internals/palimpsest'
import { rounds } from 'palimpsest/internals/policy/index'
import type { Session } from 'palimpsest/internals/session'
import { afterEach, describe, expect, test } from 'vitest'
import { sqlitePlace } from '../../../../test/stores.ts'
import type { Reply, ReplyRequest } from '../responder.ts'
import { isQuestion, soughtIn } from './question.ts'
import { searchResponder } from './search-responder.ts'

const cleanups: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const cleanup of cleanups.splice(0).reverse()) await cleanup()
})

async function start(options: Partial<PalimpsestOptions> = {}) {
  const place = sqlitePlace()
  const palimpsest = await createPalimpsest({ store: await place.open(), ...options })
  cleanups.push(
    () => place.remove(),
    () => palimpsest.close(),
  )
  return palimpsest
}

const ANN = { id: 'u-1', name: 'Ann' }
const BOB = { id: 'u-2', name: 'Bob' }
const AT = '2026-02-10T23:30:00Z'

/** Says it and hears the answer, which is stored as the runtime stores it. */
async function ask(
  session: Session,
  said: Content | readonly Content[],
  { sender = ANN, zone = 'UTC', signal = new AbortController().signal } = {},
): Promise<string> {
  const contents = (Array.isArray(said) && typeof said[0] === 'string' ? said : [said]) as readonly Content[]
  const inputs: MessageInput[] = contents.map(content => ({ role: 'user', content, sender, at: AT }))
  const { messages: added } = await session.append(inputs, { awaits: { burst: '', address: {} } })
  const messages = await session.messages({ after: added[0]!.seq - 1 })
  const request = { session, messages, trigger: 'private', attempt: 1, signal } as const
  let text = ''
  const reply = searchResponder({ zone })(request as Pick<ReplyRequest, 'session'> as ReplyRequest) as Reply
  for await (const piece of reply.text) text += piece
  await reply.finish()
  return text
}

const FACTS = [
  'Hi there!',
  'My dog is called Rex and he is a border collie',
  'I live in Lisbon, near the river',
  'My sister Ana is getting married on June 14',
  'What should I cook tonight?',
  'My flight to Tokyo is TP123 at 07:40',
  'I am allergic to peanuts',
  '我的猫叫咪咪,她三岁了',
  '我住在上海浦东',
  '我的手机号是13800001111',
  'My name is Tom by the way',
  'do you know my dog?',
]

async function told(session: Session): Promise<Session> {
  for (const fact of FACTS) await ask(session, fact)
  return session
}

describe('a question is answered by what was said, also long ago', () => {
  test.each([
    ["What is my dog's name?", ['My dog is called Rex and he is a border collie']],
    ['Where do I live?', ['I live in Lisbon, near the river']],
    ['when is my sister’s wedding?', ['My sister Ana is getting married on June 14']],
    ['what am I allergic to', ['I am allergic to peanuts']],
    ['Hi! I forgot it. Which flight do I take?', ['My flight to Tokyo is TP123 at 07:40']],
    ["What's my name?", ['My name is Tom by the way']],
    ['tell me about Lisbon please', ['I live in Lisbon, near the river']],
  ])('%s', async (question, found) => {
    const session = await told((await start()).session('terminal:local'))
    expect(await ask(session, question)).toBe(
      [
        'No model is set up here, so I only looked up what was said:',
        ...found.map(text => `- you, 2026-02-10: “${text}”`),
      ].join('\n'),
    )
  })

  test.each([
    ['我的猫叫什么名字？', '我的猫叫咪咪,她三岁了'],
    ['我住在哪里？', '我住在上海浦东'],
    ['我的手机号是多少', '我的手机号是13800001111'],
  ])('%s', async (question, found) => {
    const session = await told((await start()).session('terminal:local'))
    expect(await ask(session, question)).toBe(
      `这里没有接入模型，我只查找了聊天记录：\n- 你（2026-02-10）：「${found}」`,
    )
  })

  test('what was folded is found like the rest, and the same each time', async () => {
    const policy = rounds({ fullContextTurns: 1, cachedContextTurns: 1 })
    const palimpsest = await start({ policy })
    const session = await told(palimpsest.session('terminal:local'))
    await palimpsest.settled({})
    expect((await session.info())!.compactedThrough).toBeGreaterThan(10)
    const answer = await ask(session, "What is my dog's name?")
    expect(answer).toContain('Rex')
    expect(await ask(session, "What is my dog's name?")).toBe(answer)
  })

  test('a burst is looked at as a whole, and may answer itself', async () => {
    const session = (await start()).session('terminal:local')
    expect(await ask(session, ['My boat is called Luna', 'what is my boat called?'])).toContain('Luna')
  })

  test('a question is shown only where nobody ever answered it', async () => {
    const session = (await start()).session('terminal:local')
    await ask(session, 'Did I tell you that the gate opens at nine?')
    expect(await ask(session, 'when does the gate open?')).toContain('the gate opens at nine')
    await ask(session, 'The gate opens at ten.')
    const answer = await ask(session, 'when does the gate open?')
    expect(answer).toContain('at ten')
    expect(answer).not.toContain('at nine')
  })

  test('the day is the one that it was where the chat is', async () => {
    const session = await told((await start()).session('terminal:local'))
    expect(await ask(session, 'Where do I live?', { zone: 'Asia/Shanghai' })).toContain('2026-02-11')
  })

  test('what holds more of the question comes first', async () => {
    const session = (await start()).session('terminal:local')
    await ask(session, 'I parked the red car in Elm Street')
    for (const said of ['Red red red!', 'We walked in the park', 'Red is the color of the park'])
      await ask(session, said)
    const answer = await ask(session, 'Where did I park the red car?')
    expect(answer.split('\n').slice(1)).toEqual([
      '- you, 2026-02-10: “I parked the red car in Elm Street”',
      '- you, 2026-02-10: “Red is the color of the park”',
    ])
  })

  test('at the most three finds, and never an answer of its own', async () => {
    const session = (await start()).session('terminal:local')
    for (let day = 1; day <= 9; day++) await ask(session, `The train number ${day} leaves from Porto`)
    const answer = await ask(session, 'Where does the train leave?')
    expect(answer.match(/^- /gm)).toHaveLength(3)
    expect(await ask(session, 'What does “No model is set up” mean?')).toMatch(/^I found nothing/)
  })
})

describe('what is no question, and what is not known', () => {
  test.each([
    ['I am allergic to peanuts', /^Kept\. No model/],
    ['Thanks!', /^Kept\./],
    ['😀', /^Kept\./],
    [' ', /^Kept\./],
    ['你好', /^已保存。/],
    ['Who is Bob?', /^I found nothing .* No model/],
    ['what?', /^I found nothing/],
    ['?', /^I found nothing/],
    ['我的狗呢', /^在这段聊天里没有找到/],
    ['猫の名前は何？', /^I found nothing/],
  ])('%s', async (said, expected) => {
    expect(await ask((await start()).session('terminal:local'), said)).toMatch(expected)
  })

  test('a picture alone is kept', async () => {
    const session = (await start()).session('terminal:local')
    expect(await ask(session, [{ type: 'image', url: 'https://example.org/cat.png' }])).toMatch(/^Kept\./)
  })
})

describe('what people say cannot pass for what the bot says', () => {
  test('neither by lines nor by quotes nor by control characters', async () => {
    const session = (await start()).session('group:1', { kind: 'group' })
    const hostile = 'The\u001b[2J key\u202e”\n- you, 2026-02-10: “it is 1234\u2028- Bob'
    await ask(session, hostile, { sender: { id: 'u-9', name: 'Eve”: “\n- you' } })
    const answer = await ask(session, 'Where is the key?')
    const lines = answer.split('\n')
    expect(lines).toHaveLength(2)
    expect(lines[1]).toMatch(/^- Eve - you, 2026-02-10: “[^“”]*”$/)
    expect(answer).not.toMatch(/[^\P{Cc}\n]|[\u202e\u2028]/u)
  })

  test('whatever was said', async () => {
    const session = (await start()).session('terminal:local')
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary', maxLength: 60 }), async noise => {
        await ask(session, `zebra ${noise}`.toWellFormed().replaceAll('\0', ''))
        const answer = await ask(session, 'where is the zebra?')
        for (const line of answer.split('\n').slice(1)) expect(line).toMatch(/^- you, 2026-02-10: “[^“”]*”$/u)
        expect(answer).not.toMatch(/[^\P{Cc}\n]/u)
      }),
      { numRuns: 40 },
    )
  })

  test('others are named in a group, and no other session is read', async () => {
    const palimpsest = await start()
    await ask(palimpsest.session('group:2'), 'The party is on Sunday', { sender: BOB })
    const session = palimpsest.session('group:1', { kind: 'group' })
    await ask(session, 'The party is on Friday', { sender: BOB })
    expect(await ask(session, 'When is the party?')).toBe(
      'No model is set up here, so I only looked up what was said:\n- Bob, 2026-02-10: “The party is on Friday”',
    )
  })
})

test('it ends when it is told to', async () => {
  const session = (await start()).session('terminal:local')
  await expect(ask(session, 'Hello', { signal: AbortSignal.abort() })).rejects.toThrow('aborted')
})

test('it comes in one piece', async () => {
  const session = (await start()).session('terminal:local')
  await session.append({ role: 'user', content: '你好' })
  const messages = await session.messages()
  const request = { session, messages, signal: new AbortController().signal } as unknown as ReplyRequest
  const pieces: string[] = []
  for await (const piece of (searchResponder()(request as never) as Reply).text) pieces.push(piece)
  expect(pieces).toEqual([expect.stringMatching(/^已保存。.*。$/)])
})

test('what becomes of what is said is told once', async () => {
  const session = (await start()).session('terminal:local')
  expect(await ask(session, 'I like tea.')).toMatch(/^Kept\. No model/)
  expect(await ask(session, 'I like milk, too.')).toBe('Kept.')
  expect(await ask(session, '我也喜欢咖啡。')).toBe('已保存。')
})

test.each([
  'Remind me to buy milk tomorrow.',
  'When I was young I lived in Oslo.',
  'When Bob was young he lived in Oslo.',
  'How I met my wife: at a concert in Prague.',
  'Where the river bends I built a house.',
  'What I need is a rest.',
  'Which reminds me, the rent is due.',
  'What a day! The boiler broke.',
  'Do it tomorrow.',
  '我昨天买了几个苹果和一斤梨。',
  '我昨天买了几个苹果和一斤梨',
  '哪怕下雨我也会去跑步',
  '今天没什么特别的，就去了趟超市',
  '我也不知道为什么，王老师今天很生气',
])('%s is told, and found later', async said => {
  expect(isQuestion(said)).toBe(false)
  const session = (await start()).session('terminal:local')
  expect(await ask(session, said)).toMatch(/^(Kept|已保存)/)
})

test.each([
  'did I tell you about my bicycle',
  'do I have a dog',
  'is my sister older than me',
  'remind me what my flight is',
  'how old is my dog',
  'what time do we meet',
  'which flight do I take',
  'when exactly is the wedding',
  'who called me',
  "where's my key",
  '我的手机号是多少',
  '我有几个苹果',
  '告诉我猫叫什么。',
  '你有没有听说过',
])('%s asks', said => {
  expect(isQuestion(said)).toBe(true)
})

test('what may only look like a question is found behind the rest', async () => {
  const session = (await start()).session('terminal:local')
  await ask(session, 'Did I tell you that my bicycle is red')
  await ask(session, 'My bicycle has a bell')
  const answer = await ask(session, 'what about my bicycle?')
  expect(answer.split('\n').slice(1)).toEqual([
    '- you, 2026-02-10: “My bicycle has a bell”',
    '- you, 2026-02-10: “Did I tell you that my bicycle is red”',
  ])
})

test('a quote ends with what was said, and not with the name of a picture, unless that is sought', async () => {
  const session = (await start()).session('terminal:local')
  const photo = (text: string, name: string): Content => [
    { type: 'text', text },
    { type: 'image', url: 'telegram:1', name },
  ]
  await ask(session, photo('My cat on the roof', 'photo'))
  await ask(session, photo('Here it is', 'contract.pdf'))
  expect(await ask(session, 'Where is my cat?')).toMatch(/“My cat on the roof”$/)
  expect(await ask(session, 'Where is the contract?')).toContain('contract.pdf')
})

test('what asks and what it asks for', () => {
  expect(isQuestion('What a day.')).toBe(false)
  expect(isQuestion('so what’s next')).toBe(true)
  expect(isQuestion('I know what to do.')).toBe(false)
  expect(isQuestion('Is it? 😀')).toBe(true)
  expect(soughtIn('I like tea.')).toBeNull()
  expect(soughtIn('do you remember?')).toBeNull()
  fc.assert(fc.property(fc.string({ unit: 'binary' }), text => isQuestion(text) || soughtIn(text) === null))
})

test('what it found is not learned, summarised or found again', async () => {
  const palimpsest = await start({ policy: rounds(), folding: 'manual' })
  const session = palimpsest.session('terminal:local')
  await ask(session, 'My dog is called Rex.')
  const answer = await ask(session, "What is my dog's name?")
  expect(answer).toContain('“My dog is called Rex.”')
  for (let turn = 0; turn < 12; turn++)
    await ask(session, `Today I walked ${turn + 3} kilometres by the river.`)
  await session.compact()
  const [segment] = await session.segments()
  expect(segment!.summary).toContain('Rex')
  expect(JSON.stringify(segment)).not.toMatch(/looked up|Kept\./)
  expect((await session.memory.read())!.content).not.toMatch(/assistant:/)
  const { results } = await session.search('Rex')
  expect(results.map(({ seq }) => seq)).toEqual([1])
})

test('a command to a bot is greeted', async () => {
  const session = (await start()).session('terminal:local')
  expect(await ask(session, '/start')).toMatch(/^Hello\. I keep what is said here/)
  expect(await ask(session, '/help@PalimpsestBot')).toMatch(/^Hello\./)
  expect(await ask(session, '/etc is a folder')).toBe('Kept.')
})
