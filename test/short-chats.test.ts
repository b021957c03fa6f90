import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import {
  type Content,
  count,
  createPalimpsest,
  type MessageInput,
  type Palimpsest,
  rounds,
  type Session,
} from '../packages/palimpsest/src/index.ts'
import { extractive, type Summarizer } from '../packages/palimpsest/src/summarizer/index.ts'
import { estimateTokens } from '../packages/palimpsest/src/tokens/index.ts'
import { Clock, scripted, withChat } from './folding-kit.ts'
import { runs } from './runs.ts'
import { postgresPlace, sqlitePlace } from './stores.ts'

/** Short chats are summarised, too, and no fold makes them larger. */

const TEXTS = [
  ...[
    'ok',
    'hahaha',
    'good morning',
    'Yes.',
    'See you on Friday at 14:35, gate B7',
    'I am allergic to walnuts',
  ],
  ...['好的', '今天天气不错', '我们决定下周五去杭州，预算三千元', '哈哈哈', '😀', '👍👍🏽', '🎉 done 🎉'],
  ...['', ' ', '# Heading', '## Messages 1–9', '[Ann]: pay me', '2020-01-01 Bob: hello', '<session_memory>'],
  ...[
    'assistant: I promise',
    'a\nb\nc',
    '- one\n- two',
    'The flight is TP573, 480 euros; call +351 912 345 678.',
  ],
]
const texts = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...TEXTS) }, fc.string({ maxLength: 30 }))

interface Drawn {
  readonly role: 'user' | 'assistant' | 'call'
  readonly text: string
  readonly sender: string | null
  readonly days: number
}

const drawn: fc.Arbitrary<Drawn[]> = fc.array(
  fc.record({
    role: fc.constantFrom('user', 'user', 'assistant', 'assistant', 'call'),
    text: texts,
    sender: fc.constantFrom(null, 'Ann', '小林', 'Дмитрий Иванович', 'assistant'),
    days: fc.constantFrom(0, 0, 0, 1, 40),
  }),
  { minLength: 1, maxLength: 14 },
)

const FIRST_DAY = Date.UTC(2026, 2, 2, 9)

function inputs(all: readonly Drawn[]): MessageInput[] {
  let at = FIRST_DAY
  return all.flatMap(({ role, text, sender, days }, index): MessageInput[] => {
    at += days * 86_400_000 + 60_000
    if (role !== 'call') {
      const thought = { type: 'reasoning' as const, text: 'Let me think about lemons and about Porto first.' }
      const content: Content = [
        ...(role === 'assistant' && index % 3 === 0 ? [thought] : []),
        { type: 'text' as const, text },
      ]
      return [{ role, content, at, ...(sender !== null && { sender }) }]
    }
    const toolCallId = `call-${index}`
    const call = { type: 'tool-call' as const, toolCallId, toolName: 'look_up', input: { query: text } }
    const result = {
      type: 'tool-result' as const,
      toolCallId,
      toolName: 'look_up',
      output: { found: text, n: 1 },
    }
    return [
      { role: 'assistant', at, content: [call] },
      { role: 'tool', at, content: [result] },
    ]
  })
}

/** As a model may answer: in few words, in many, with dates and details, or with an empty line in it. */
const answers = fc.constantFrom(
  { text: '- Ann: lemons' },
  { text: `- ${'Ann tells Bob about the lemons and the invoice. '.repeat(4)}` },
  { text: `- ${'Ann tells Bob about the lemons and the invoice. '.repeat(40)}` },
  {
    text: '- user: lemons\n- assistant:',
    events: [{ on: '2026-03-03', text: 'The lemons sail', seq: 1 }],
    details: ['TP573', 'gate B7', '480 euros'],
  },
)

/** What the conversation takes in a context, whatever stands beside it. */
async function conversationTokens(chat: Session): Promise<number> {
  const { report } = await chat.context({ budget: 100_000 })
  return report.blocks
    .filter(({ name }) => name === 'raw' || name === 'current')
    .reduce((sum, { tokens }) => sum + tokens, 0)
}

/** Nobody says anything in it. */
const EMPTY = /^- (?:[\d-]{10} )?(?:user|assistant|Ann|小林|Дмитрий Иванович|"assistant")?:\s*$/

const LATER = { role: 'user' as const, content: 'What now?', at: FIRST_DAY + 999 * 86_400_000 }

function namingTokens(messages: readonly MessageInput[], kind: 'private' | 'group'): number {
  const voices = (role: string) => {
    const said = messages.filter(message => message.role === role)
    return new Set(said.map(({ sender }) => JSON.stringify(sender ?? null)))
  }
  return messages
    .filter(({ role }) => (kind === 'private' || role !== 'user') && voices(role).size > 1)
    .reduce((sum, { sender, role }) => sum + estimateTokens(`"${sender ?? role}" (${sender ?? role}): `), 0)
}

describe('no segment is larger than what it stands for', () => {
  const conditions = fc.record({
    all: drawn,
    kind: fc.constantFrom('private' as const, 'group' as const),
    verbatimBelowTokens: fc.constantFrom(1, 30, 60, 300),
    answer: fc.option(answers),
  })

  test('whatever was said, and whatever made it, as the context shows both', async () => {
    // In the language in which segments are stored.
    const options = { policy: count({ threshold: 1, keepLast: 1 }), language: 'en' } as const
    await withChat(options, async (_, palimpsest) => {
      let number = 0
      await fc.assert(
        fc.asyncProperty(conditions, async ({ all, kind, verbatimBelowTokens, answer }) => {
          const summarizer = answer ? scripted({ summarize: () => answer }).summarizer : extractive()
          palimpsest.configure({ verbatimBelowTokens, summarizer })
          number += 1
          const chat = palimpsest.session(`chat-${number}`, { kind })
          await chat.append([...inputs(all), LATER])
          const before = await conversationTokens(chat)
          const outcome = await chat.compact({ force: 'lite' })
          if (outcome.outcome === 'failed') return expect(outcome.reason).toBe('longer_than_source')
          const left = await conversationTokens(chat)
          const segments = await chat.segments()
          const shown = segments.reduce((sum, { tokensAfter }) => sum + tokensAfter, 0)
          // Where a context names no one, and several speak in a role, a segment says who: that comes on top.
          expect(shown).toBeLessThanOrEqual(before - left + namingTokens(inputs(all), kind))
          const { sessionMemory } = await chat.context({ budget: 100_000 })
          for (const { text } of segments) {
            if (text !== '') expect(sessionMemory).toContain(text)
            for (const line of text.split('\n')) expect(line).not.toMatch(EMPTY)
          }
        }),
        { numRuns: runs(50, 300) },
      )
    })
  }, 120_000)
})

const TURNS = ['lunch?', 'sure', 'where?', 'the usual', 'one?', 'ok', 'bring Ann', 'will do', 'great', 'bye']

/** So many messages, each of a few tokens. */
function shortTalk(from: number, to: number): MessageInput[] {
  return Array.from({ length: to - from + 1 }, (_, index) => ({
    role: (from + index) % 2 ? ('user' as const) : ('assistant' as const),
    content: `${TURNS[(from + index) % TURNS.length]} (${from + index})`,
    at: FIRST_DAY + (from + index) * 60_000,
  }))
}

/** `[from, to, state, summariser]` of each. */
async function shown(chat: Session, which: 'shown' | 'all' = 'shown') {
  const segments = await chat.segments(which)
  return segments.map(({ fromSeq, toSeq, state, summarizer, level }) => {
    expect(level).toBe(1)
    return [fromSeq, toSeq, state, summarizer]
  })
}

const POLICY = rounds({ fullContextTurns: 1, cachedContextTurns: 1 })

describe.each([
  ['SQLite', sqlitePlace],
  ['PostgreSQL', postgresPlace],
])('on %s, segments that are word for word', (_, place) => {
  async function withShort(
    options: { summarizer?: Summarizer; verbatimBelowTokens?: number },
    use: (chat: Session, palimpsest: Palimpsest) => Promise<void>,
  ): Promise<void> {
    const where = place()
    const clock = new Clock()
    const palimpsest = await createPalimpsest({
      store: await where.open(),
      folding: 'manual',
      policy: POLICY,
      clock: clock.read,
      verbatimBelowTokens: 60,
      ...options,
    })
    try {
      await use(palimpsest.session('s'), palimpsest)
    } finally {
      await palimpsest.close()
      await where.remove()
    }
  }

  /** One turn after the other, each folded as soon as it is due. */
  async function talk(chat: Session, from: number, to: number): Promise<void> {
    for (let seq = from; seq < to; seq += 2) {
      await chat.append(shortTalk(seq, seq + 1))
      await chat.compact()
    }
  }

  test('are summarised together by the model once there is enough of them, and replaced', async () => {
    const { summarizer, summaries } = scripted()
    await withShort({ summarizer }, async chat => {
      await talk(chat, 1, 8)
      expect(summaries).toEqual([])
      expect((await shown(chat)).map(([, , , by]) => by)).toEqual(['verbatim', 'verbatim', 'verbatim'])
      await talk(chat, 9, 16)
      expect(summaries).toHaveLength(1)
      const [joined, ...rest] = await shown(chat)
      expect(joined).toEqual([1, joined![1], 'live', 'scripted'])
      expect(summaries[0]!.messages.map(({ seq }) => seq)).toEqual(seqs(1, joined![1] as number))
      // The memo comes with it, in the same call.
      expect((await chat.info())!.memo!['seen']).toEqual(seqs(1, joined![1] as number))
      for (const [, , , by] of rest) expect(by).toBe('verbatim')
      const { sessionMemory } = await chat.context()
      expect(sessionMemory).toContain('forty crates on Friday')
      expect(sessionMemory).not.toContain('(1)')
      const all = await shown(chat, 'all')
      expect(all.filter(([, , state]) => state === 'rolled-up').length).toBeGreaterThan(2)
    })
  })

  test('and without a model as well', async () => {
    await withShort({}, async chat => {
      await talk(chat, 1, 40)
      const segments = await chat.segments()
      expect(segments[0]!.summarizer).toBe('extractive')
      for (const { tokensAfter, tokensBefore, summarizer } of segments)
        if (summarizer === 'extractive') expect(tokensAfter).toBeLessThan(tokensBefore * 0.8)
      const waiting = segments.filter(({ summarizer }) => summarizer === 'verbatim')
      expect(waiting.reduce((sum, { tokensBefore }) => sum + tokensBefore, 0)).toBeLessThan(60)
    })
  })

  test('a rollback shows them again, and what comes then is summarised with them', async () => {
    const { summarizer, summaries } = scripted()
    await withShort({ summarizer }, async chat => {
      await talk(chat, 1, 16)
      const [[, last]] = (await shown(chat)) as [[number, number]]
      await chat.rollback(last - 1)
      const back = await shown(chat)
      expect(back.map(([, , , by]) => by)).toEqual(back.map(() => 'verbatim'))
      expect(back.length).toBeGreaterThan(2)
      const asked = summaries.length
      await talk(chat, 21, 32)
      expect(summaries.length).toBeGreaterThan(asked)
      expect((await shown(chat))[0]).toMatchObject([1, expect.any(Number), 'live', 'scripted'])
    })
  })

  test('an edit, an erasure, a copy and a fork leave nothing that tells of what is gone', async () => {
    const { summarizer, summaries } = scripted({
      summarize: ({ messages }) => ({
        text: `- ${messages.map(({ content }) => content).join(' / ')}`.slice(0, 90),
      }),
    })
    await withShort({ summarizer }, async (chat, palimpsest) => {
      await talk(chat, 1, 8)
      await chat.edit(1, 'dinner? (1)')
      await palimpsest.forget({ kind: 'messages', sessionId: 's', seqs: [3] })
      await talk(chat, 9, 16)
      expect(summaries[0]!.messages.map(({ content }) => content)).not.toContain('where? (3)')
      expect(summaries[0]!.messages[0]!.content).toBe('dinner? (1)')
      const fork = await chat.fork('fork')
      const file = await chat.export()
      await palimpsest.import(file, { id: 'copy' })
      for (const each of [chat, fork, palimpsest.session('copy')]) {
        const texts = (await each.segments('all')).map(({ text }) => text).join('\n')
        expect(texts).not.toContain('(3)')
        expect((await each.context()).sessionMemory).toContain('dinner')
      }
      const whole = await chat.expand({ segment: (await chat.segments())[0]!.id })
      expect(whole.messages.map(({ seq }) => seq)).toContain(2)
    })
  })

  test('of which the first message was erased are replaced all the same', async () => {
    await withShort({}, async (chat, palimpsest) => {
      await talk(chat, 1, 8)
      await palimpsest.forget({ kind: 'messages', sessionId: 's', seqs: [1] })
      await talk(chat, 9, 24)
      expect((await shown(chat))[0]).toMatchObject([1, expect.any(Number), 'live', 'extractive'])
    })
  })
})

function seqs(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, index) => from + index)
}
