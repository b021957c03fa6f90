import fc from 'fast-check'
import { contentText } from 'palimpsest/internals/log/index'
import { describe, expect, test } from 'vitest'
import { alignWhole } from './align.ts'
import { Prints, type Said } from './fingerprint.ts'
import { repliesToRepeat } from './repeats.ts'

interface Logged extends Said {
  readonly isElsewhere: boolean
}

/** A log that is told only what clients send. */
class Log {
  messages: readonly Logged[] = []
  forks = 0
  readonly hidden: Logged[] = []
  readonly #prints = new Prints()

  add(...messages: readonly Said[]): void {
    this.messages = [...this.messages, ...messages.map(message => ({ ...message, isElsewhere: false }))]
  }

  addElsewhere(content: string): void {
    this.messages = [...this.messages, { role: 'user', content, isElsewhere: true }]
  }

  receive(list: readonly Said[]): void {
    const theirs = list.map(message => this.#prints.of(message))
    const answered = list.findLastIndex(({ role }) => role === 'assistant') + 1
    const known = this.messages.map(message => ({
      ...{ ...this.#prints.of(message), isElsewhere: message.isElsewhere, age: 0 },
    }))
    if (answered === 0) {
      if (repliesToRepeat(known, theirs, { isRetry: false }) === null) this.add(...list)
      return
    }
    const { outcome, ourEnd, theirEnd } = alignWhole(
      known,
      { prints: theirs, answered },
      { isWholeLog: true },
    )
    if (outcome === 'contradicts') {
      this.forks += 1
      this.messages = this.messages.slice(0, ourEnd)
    }
    if (outcome === 'asks-again') {
      this.hidden.push(...this.messages.slice(ourEnd))
      this.messages = this.messages.slice(0, ourEnd)
    } else this.add(...list.slice(theirEnd))
  }

  /** Without what came from elsewhere and replies that broke off. */
  get said(): readonly string[] {
    return this.messages
      .filter(({ content, isElsewhere }) => !isElsewhere && !contentText(content).startsWith('broke off'))
      .map(wordsOf)
  }
}

function wordsOf({ role, content }: Said): string {
  return `${role}: ${typeof content === 'string' ? content : JSON.stringify(content)}`
}

const user = (content: string): Said => ({ role: 'user', content })
const reply = (content: string): Said => ({ role: 'assistant', content })
const call = (toolCallId: string, input: unknown): Said => ({
  role: 'assistant',
  content: [{ type: 'tool-call', toolCallId, toolName: 'look', input }],
})
const result = (toolCallId: string, output: string): Said => ({
  role: 'tool',
  content: [{ type: 'tool-result', toolCallId, output }],
})

/** Few words, so that much is said twice. */
const words = fc.constantFrom('ok', 'yes', '+1')
const answers = fc.constantFrom('**Noted.**', '<think>Hm, caf\u00e9.</think>Caf\u00e9.', '- one\n- two')

describe('a client that sends all that it has', () => {
  const turn = fc.record({ question: words, answer: words })
  const step = fc.oneof(
    { weight: 4, arbitrary: turn.map(each => ({ ...each, type: 'turn' as const })) },
    { weight: 1, arbitrary: turn.map(each => ({ ...each, type: 'fails first' as const })) },
    { weight: 1, arbitrary: turn.map(each => ({ ...each, type: 'breaks off first' as const })) },
    { weight: 1, arbitrary: fc.constant({ type: 'elsewhere' as const }) },
  )

  test('loses nothing, doubles nothing and never parts from the log, whatever it says again', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), steps => {
        const log = new Log()
        const mine: Said[] = []
        for (const [place, each] of steps.entries()) {
          if (each.type === 'elsewhere') {
            log.addElsewhere(`from elsewhere ${place}`)
            continue
          }
          mine.push(user(each.question))
          log.receive(mine)
          if (each.type === 'fails first') log.receive(mine)
          if (each.type === 'breaks off first' && mine.length > 1) {
            log.add({
              role: 'assistant',
              content: [{ type: 'text', text: `broke off ${place}`, interrupted: 'aborted' }],
            })
            log.receive(mine)
          }
          mine.push(reply(each.answer))
          log.add(reply(each.answer))
        }
        expect(log.forks).toBe(0)
        expect(log.said).toEqual(mine.map(wordsOf))
      }),
      { numRuns: 1_000 },
    )
  })
})

/** What clients do to what they send again: to the turns before, and to the question that is asked now. */
const HABITS: Readonly<
  Record<
    string,
    { keep?: (history: readonly Said[]) => readonly Said[]; wrap?: (question: string) => string }
  >
> = {
  'sends it as it is': {},
  'keeps no calls and results': {
    keep: history => history.filter(({ role, content }) => role !== 'tool' && typeof content === 'string'),
  },
  'clears old results': {
    keep: history => history.map(each => (each.role === 'tool' ? result('any', '[cleared]') : each)),
  },
  'renames calls': {
    keep: history =>
      history.map(each => {
        const [part] = typeof each.content === 'string' ? [] : each.content
        if (part?.type === 'tool-call') return call('renamed', part.input)
        return part?.type === 'tool-result' ? result('renamed', String(part.output)) : each
      }),
  },
  'takes markdown away': { keep: mapReplies(text => text.replaceAll(/[*-]/g, '').replaceAll('\n', ' ')) },
  'takes thoughts away': { keep: mapReplies(text => text.replace(/<think>.*<\/think>/, '')) },
  'writes letters in parts': { keep: mapReplies(text => text.normalize('NFD')) },
  'puts what it found around the question': {
    wrap: question => `Context: ${question} is short.\n\n${question}`,
  },
}

function mapReplies(change: (text: string) => string) {
  return (history: readonly Said[]) =>
    history.map(each =>
      each.role === 'assistant' && typeof each.content === 'string' ? reply(change(each.content)) : each,
    )
}

describe.each(Object.entries(HABITS))('a client that %s', (_, { keep = all => all, wrap = text => text }) => {
  const turn = fc.record({ question: words, answer: answers, calls: fc.nat(2), isElsewhere: fc.boolean() })
  const scenario = fc.record({
    turns: fc.array(turn, { maxLength: 15 }),
    window: fc.oneof(fc.constant(Infinity), fc.integer({ min: 2, max: 12 })),
  })

  test('and keeps all of it or the end: every new message is stored once, and none is hidden', () => {
    fc.assert(
      fc.property(scenario, ({ turns, window }) => {
        const log = new Log()
        const history: Said[] = []
        const expected: Said[] = []
        for (const { question, answer, calls, isElsewhere } of turns) {
          const asked = user(wrap(question))
          const now: Said[] = [asked]
          const send = () => {
            const before = keep(history)
            const most = Math.max(0, window - now.length)
            log.receive([...before.slice(Math.max(0, before.length - most)), ...now])
          }
          send()
          for (let number = 1; number <= calls; number++) {
            now.push(call(`call ${number}`, { number }))
            log.add(now.at(-1)!)
            now.push(result(`call ${number}`, 'found'))
            send()
          }
          now.push(reply(answer))
          log.add(now.at(-1)!)
          if (isElsewhere) log.addElsewhere('from elsewhere')
          history.push(user(question), ...now.slice(1))
          expected.push(...now)
        }
        expect(log.forks).toBe(0)
        expect(log.hidden).toEqual([])
        expect(log.said).toEqual(expected.map(wordsOf))
      }),
      { numRuns: 500 },
    )
  })
})

/** What clients put around an answer, and take out of it. */
const DECORATIONS: readonly ((text: string) => string)[] = [
  text => text,
  text => `${text}\n\n— sent with MyApp`,
  text => `${text} [reply 7 of 25, 12:04]`,
  text => `🤖 Assistant: ${text}`,
  text => text.replaceAll(/[*_`#>-]/g, ''),
  text => `  ${text.replaceAll(/\s+/g, ' ')}\n`,
  text => text.replace(/<think>.*?<\/think>/s, ''),
  text => text.replace(/<reasoning>.*?<\/reasoning>/s, '').trim(),
  text => text.replaceAll(/\p{Extended_Pictographic}/gu, ''),
  text => `<p>${text.replaceAll('\n', '<br/>')}</p>`,
  text => text.normalize('NFD'),
]

const decoration = fc
  .uniqueArray(fc.nat(DECORATIONS.length - 1), { minLength: 1, maxLength: 3 })
  // Whoever takes marks away does so before the page is made.
  .map(places => places.toSorted((one, other) => one - other))
  .map(places => (text: string) => places.reduce((text, place) => DECORATIONS[place]!(text), text))

const longAnswers = fc.oneof(
  answers,
  fc.constantFrom('Ok', 'Yes, *on Friday* 🎉 at noon.', '好的，明天下午三点见。'),
  fc
    .tuple(
      fc.nat(99),
      fc.constantFrom('', '<think>Let me see.</think>', '<reasoning>When is it?</reasoning>\n'),
    )
    .map(
      ([number, thought]) => `${thought}The **ferry** leaves from pier ${number} at noon. Be there early.`,
    ),
)

describe('a client that decorates replies', () => {
  const turn = fc.record({ question: words, answer: longAnswers, decorate: decoration, fails: fc.boolean() })
  const turns = fc.array(turn, { minLength: 1, maxLength: 25 })

  test('goes on in one session, and each message is stored once', () => {
    fc.assert(
      fc.property(turns, turns => {
        const log = new Log()
        const mine: Said[] = []
        const expected: Said[] = []
        for (const { question, answer, decorate, fails } of turns) {
          log.receive([...mine, user(question)])
          // The answer was lost on its way, and the client asks once more.
          if (fails) log.receive([...mine, user(question)])
          log.add(reply(answer))
          mine.push(user(question), reply(decorate(answer)))
          expected.push(user(question), reply(answer))
        }
        expect(log.forks).toBe(0)
        expect(log.hidden).toEqual([])
        expect(log.said).toEqual(expected.map(wordsOf))
      }),
      { numRuns: 300 },
    )
  })

  test('also otherwise each time, with the oldest left out, where no question is asked twice', () => {
    fc.assert(
      fc.property(
        turns,
        fc.integer({ min: 2, max: 12 }),
        fc.infiniteStream(decoration),
        (turns, window, anew) => {
          const log = new Log()
          const mine: Said[] = []
          const expected: Said[] = []
          for (const [place, { question, answer }] of turns.entries()) {
            const asked = user(`${question} ${place}`)
            const decorated = mine.map(each =>
              each.role === 'assistant' ? reply(anew.next().value!(each.content as string)) : each,
            )
            log.receive([...decorated.slice(-window), asked])
            log.add(reply(answer))
            mine.push(asked, reply(answer))
            expected.push(asked, reply(answer))
          }
          expect(log.forks).toBe(0)
          expect(log.hidden).toEqual([])
          expect(log.said).toEqual(expected.map(wordsOf))
        },
      ),
      { numRuns: 200 },
    )
  })

  test('asks for the last answer again, in its place', () => {
    fc.assert(
      fc.property(turns, turns => {
        const log = new Log()
        const mine: Said[] = []
        for (const [place, { question, answer, decorate }] of turns.entries()) {
          const asked = user(`${question} ${place}`)
          log.receive([...mine, asked])
          log.add(reply(answer))
          mine.push(asked, reply(decorate(answer)))
        }
        // A list without a reply is new as a whole.
        if (turns.length === 1) return
        log.receive(mine.slice(0, -1))
        expect(log.forks).toBe(0)
        expect(log.hidden.map(wordsOf)).toEqual([wordsOf(reply(turns.at(-1)!.answer))])
      }),
    )
  })
})

describe('a client whose texts are all different', () => {
  const scenario = fc.record({
    turns: fc.integer({ min: 2, max: 20 }),
    window: fc.integer({ min: 2, max: 50 }),
    edited: fc.nat(),
  })
  const talk = (turns: number) => {
    const log = new Log()
    const history = Array.from({ length: turns }, (_, place) => [
      user(`question ${place}`),
      reply(`answer ${place}`),
    ]).flat()
    log.add(...history)
    return { log, history }
  }

  test('asks for the last answer again, in its place', () => {
    fc.assert(
      fc.property(scenario, ({ turns, window }) => {
        const { log, history } = talk(turns)
        log.receive(history.slice(0, -1).slice(-window))
        expect(log.forks).toBe(0)
        expect(log.hidden.map(wordsOf)).toEqual([`assistant: answer ${turns - 1}`])
        expect(log.said).toEqual(history.slice(0, -1).map(wordsOf))
      }),
    )
  })

  test('edits a question or a reply: the log parts there', () => {
    fc.assert(
      fc.property(scenario, ({ turns, edited }) => {
        const { log, history } = talk(turns)
        const place = 1 + (edited % (history.length - 1))
        const isQuestion = history[place]!.role === 'user'
        const list = [...history.slice(0, place), ...(isQuestion ? [] : [reply('edited')]), user('new')]
        log.receive(list)
        expect(log.forks).toBe(1)
        expect(log.said).toEqual(list.map(wordsOf))
      }),
    )
  })
})
