import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  count,
  createPalimpsest,
  type MessageInput,
  type Palimpsest,
  type Session,
} from '../../packages/palimpsest/src/index.ts'
import { condenseLines } from '../../packages/palimpsest/src/memory/condense-document.ts'
import { extractive } from '../../packages/palimpsest/src/summarizer/index.ts'
import { Clock, extractor } from '../memory/kit.ts'
import { PLACES, type StorePlace } from '../stores.ts'
import { instantOf } from './sentences.ts'

/** Wednesday, 4 March, late in the evening in New York; in Shanghai, where the bot is, it is Thursday. */
const WEDNESDAY = '2026-03-04T22:30:00'
const NEW_YORK = 'America/New_York'

const say = (id: string, content: string, zone = NEW_YORK): MessageInput => ({
  role: 'user',
  content,
  sender: { id, name: id },
  at: WEDNESDAY,
  zone,
})
const ok: MessageInput = { role: 'assistant', content: 'ok', at: '2026-03-05T23:00:00', zone: 'UTC' }

const GROUP = [
  say('Ann', "I'm so excited for Saturday, we decided to rent the boat."),
  say('Bob', 'The meeting with the harbour master was moved to Monday.'),
  say('Kim', 'The train with the crates left on Monday.'),
  say('Li', '手术改到周一了，医生说的', 'Asia/Shanghai'),
  say('Mei', '票买好了，周六出发去苏州', 'Asia/Shanghai'),
  say('Eve', 'We agreed on Friday for the keys of the flat.'),
]
/** So that the fold is no few lines that are kept word for word. */
const TALK = Array.from({ length: 12 }, (_, at) =>
  say(
    'Zoe',
    `haha yes, it is what it is, and so it goes on and on as ever, number ${at} of these little remarks`,
  ),
)
/** What may stand behind a day in all that is derived, by whose line it is. */
const CERTAIN: Readonly<Record<string, string>> = {
  Ann: 'Saturday (2026-03-07)',
  Bob: 'Monday (2026-03-09)',
  Kim: 'Monday (2026-03-02)',
  Li: '周一 (2026-03-09)',
  Mei: '周六 (2026-03-07)',
  Eve: 'Friday for',
}

describe.each(Object.entries(PLACES))('on %s', (_, placeOf) => {
  let place: StorePlace
  let palimpsest: Palimpsest
  let group: Session
  let clock: Clock
  let extract: (sessionId: string) => Promise<void>

  beforeEach(async () => {
    clock = new Clock(Date.UTC(2026, 2, 5, 5))
    place = placeOf()
    const store = await place.open()
    palimpsest = await createPalimpsest({
      store,
      policy: count({ threshold: 20, keepLast: 1 }),
      folding: 'manual',
      summarizer: extractive(),
      clock: clock.read,
      zone: 'Asia/Shanghai',
      memory: { extract: 'turn' },
    })
    extract = extractor({ store, clock: clock.read, zone: 'Asia/Shanghai' })
    group = palimpsest.session('group', { kind: 'group', scope: 'harbour' })
    await group.append([...GROUP, ...TALK, ok])
    clock.pass({ days: 9 })
  })

  afterEach(async () => {
    await palimpsest.close()
    await place.remove()
  })

  /** Every line of a person has that person's day as it was meant, or as it was said. */
  function check(text: string): number {
    let seen = 0
    for (const line of text.split('\n')) {
      const name = Object.keys(CERTAIN).find(each => line.includes(`${each}: `))
      if (name === undefined || !/Saturday|Monday|Friday|周/.test(line)) continue
      expect(line).toContain(CERTAIN[name])
      if (name === 'Eve') expect(line).not.toMatch(/Friday \(/)
      seen++
    }
    return seen
  }

  test('summaries and chat memory tell the day that was meant, or the word beside the day on which it was said', async () => {
    await group.compact({ force: true })
    const summaries = (await group.segments()).map(({ summary }) => summary).join('\n')
    expect(summaries).toMatch(/^- 2026-03-04 /m)
    const memory = (await group.memory.read())?.content ?? ''
    expect(check(summaries) + check(memory)).toBeGreaterThanOrEqual(5)
    for (const line of memory.split('\n').filter(each => each.startsWith('- 2')))
      expect(line).toMatch(/^- 2026-03-0[45]: /)
    for (const { line, on } of await group.memory.facts()) {
      const name = Object.keys(CERTAIN).find(each => line.includes(`${each}: `))
      const day = /\((\d{4}-\d{2}-\d{2})\)/.exec(name === undefined ? '' : CERTAIN[name]!)?.[1] ?? null
      expect({ line, on }).toEqual({ line, on: day })
    }
  })

  test('memory’s extraction does so, too', async () => {
    await extract('group')
    const scope = palimpsest.memory.scope('harbour')
    expect(check((await scope.read())?.content ?? '')).toBeGreaterThanOrEqual(2)
    const ofEve = (await scope.facts()).find(({ line }) => line.includes('Eve'))
    expect(ofEve).toMatchObject({
      on: null,
      line: expect.stringMatching(/^- 2026-03-04: Eve: We agreed on Friday/),
    })
  })
})

/** Of the blind sets, each where and when it was said; `null`: it stays as it was said. */
const SAID: readonly (readonly [who: string, text: string, at: string, zone: string, day: string | null])[] =
  [
    [
      'Mona',
      "fyi they're shutting the water off Monday 9-3, says Okafor",
      '2026-06-14T18:00',
      'America/New_York',
      'Monday (2026-06-15)',
    ],
    [
      'Otto',
      "I haven't slept right since Wednesday, doctor Reyes says it is stress",
      '2026-06-14T18:00',
      'America/New_York',
      'Wednesday (2026-06-10)',
    ],
    [
      'Pia',
      'Order 88213 was dispatched on Saturday but tracking has not moved',
      '2026-11-16T12:00',
      'Europe/London',
      'Saturday (2026-11-14)',
    ],
    [
      'Quin',
      'Camp drop off for Leo was changed to Sunday 2pm, bring the form 12B',
      '2026-07-22T23:50',
      'America/Los_Angeles',
      'Sunday (2026-07-26)',
    ],
    [
      'Rae',
      'I have to call the school of Leo about the bus 17 tomorrow',
      '2026-11-01T23:50',
      'America/Los_Angeles',
      'tomorrow (2026-11-02)',
    ],
    [
      '小陈',
      '机票已经买了，周六早上七点的，CA1833',
      '2026-07-22T23:50',
      'Asia/Shanghai',
      '周六 (2026-07-25)',
    ],
    [
      '老赵',
      '您预约的洗牙改为周二上午10点，张医生，诊室302',
      '2026-01-08T12:00',
      'Asia/Shanghai',
      '周二 (2026-01-13)',
    ],
    ['小吴', '我周四就把3200块钱转过去了，你查查', '2026-06-14T12:00', 'Asia/Shanghai', '周四 (2026-06-11)'],
    ['阿梅', '还没睡呢，明天还要早起去宁波港口', '2026-05-07T00:30', 'Asia/Shanghai', null],
    ['小雯', '周五我可以', '2026-02-26T20:54', 'Asia/Shanghai', null],
    [
      'Sal',
      'I can open the workshop on Mondays and Uwe on Wednesdays',
      '2026-02-26T12:00',
      'Europe/Berlin',
      null,
    ],
  ]

describe.each(Object.entries(PLACES))('of the blind sets, on %s', (_, placeOf) => {
  test('what is derived tells the day on which each was meant, by the clock of its speaker', async () => {
    const place = placeOf()
    const clock = new Clock(Date.UTC(2026, 11, 1))
    const palimpsest = await createPalimpsest({
      store: await place.open(),
      policy: count({ threshold: 20, keepLast: 1 }),
      folding: 'manual',
      summarizer: extractive(),
      clock: clock.read,
      zone: 'UTC',
    })
    try {
      let seen = 0
      for (const [index, [who, text, local, zone, day]] of SAID.entries()) {
        const chat = palimpsest.session(`chat-${index}`, { kind: 'group' })
        const at = instantOf(local, zone)
        await chat.append([
          { role: 'user', content: text, sender: { id: who, name: who }, at, zone },
          ...TALK,
          ok,
        ])
        await chat.compact({ force: true })
        const derived = [
          ...(await chat.segments()).flatMap(({ summary, events }) => [
            summary,
            ...events.map(each => JSON.stringify(each)),
          ]),
          (await chat.memory.read())?.content ?? '',
        ].flatMap(each => each.split('\n').filter(line => line.includes(text.slice(-8))))
        for (const line of derived) {
          seen++
          if (day === null) expect(line).not.toMatch(/(?:周五|明天|Mondays?|Wednesdays?) \(2/)
          else expect(line).toContain(day)
        }
        const { on } = (await chat.memory.facts()).find(({ line }) => line.includes(text.slice(-8))) ?? {}
        if (on !== undefined) expect(on).toBe(day === null ? null : /\((.+)\)/.exec(day)![1])
      }
      expect(seen).toBeGreaterThanOrEqual(15)
    } finally {
      await palimpsest.close()
      await place.remove()
    }
  })
})

test('a word that stays as it was said keeps its day when its line is condensed, and condensed again', async () => {
  // Said on a Friday, and told under a range of days that begins on the Monday before: it is not that week's Friday.
  const said = 'Eve: the keys of the flat are handed over on Friday by Dona Graça'
  const lines = [
    '- 2026-03-02: Bob: we rented crane 12 of Larsen for 480 euros',
    `- 2026-03-06: ${said}`,
    ...[1, 2, 3, 4, 5, 6].map(
      day =>
        `- 2026-04-0${day}: Bob: pallet ${day} went to hall ${day} of the Larsen yard in the old harbour of Porto`,
    ),
  ]
  const request = { budgetTokens: 60, facts: [], summarizer: null, zone: 'UTC' }
  const first = await condenseLines(`# Chat memory\n\n## History\n${lines.join('\n')}\n`, request)
  const texts = [first!.by]
  const again = await condenseLines(
    `# Chat memory\n\n## History\n- 2026-03-02 – 2026-03-09: [2 lines] 2026-03-06 ${said}\n${lines.slice(2).join('\n')}\n`,
    request,
  )
  texts.push(again!.by)
  for (const text of texts) expect(text).not.toMatch(/Friday \(/)
  for (const text of texts.filter(each => each.includes('over on Friday')))
    expect(text).toMatch(/2026-03-06 [^;]*over on Friday/)
  expect(texts.join('\n')).toContain('over on Friday')
})
