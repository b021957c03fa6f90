import fc from 'fast-check'
import type { Content, Palimpsest, Session, SessionKind } from '../../packages/palimpsest/src/index.ts'
import type { ContentPart } from '../../packages/palimpsest/src/log/index.ts'

/**
 * Random histories: what people, bots and programs do to a conversation, in any order. Each message that
 * is appended carries a mark of its own (`~17~`), so that it can be recognised in a context.
 */
export type Step =
  | { do: 'say'; role: 'user' | 'assistant' | 'system'; text: string; sender: number }
  | { do: 'call'; ids: readonly number[]; args: 'object' | 'json' | 'cut' | 'array' | 'none'; text: string }
  | { do: 'answer'; which: number; size: number; shape: 'text' | 'json' | 'wrapped' | 'content' }
  | { do: 'attach'; kind: 'image' | 'file'; by: 'url' | 'bytes' | 'path'; role: 'user' | 'assistant' }
  | { do: 'think'; text: string; signed: boolean }
  | { do: 'approve'; ask: boolean; approved: boolean }
  | { do: 'paste'; words: number; script: 'latin' | 'han' | 'unbroken' }
  | { do: 'go on'; times: number; words: number; by: 'user' | 'tools' | 'tools at once' }
  | { do: 'reply'; to: number; byId: boolean; text: string; sender: number }
  | {
      do: 'pass on'
      kind: 'forward' | 'quote' | 'reply' | 'link'
      from: number
      text: string
      own: string
      to: number
    }
  | { do: 'edit'; at: number; text: string }
  | { do: 'rollback'; at: number }
  | { do: 'fold' }
  | { do: 'pin'; at: number }

const TEXTS = [
  'Shall we ship on Friday?',
  'ok',
  '   ',
  '我们下周三去看房子，预算是三百万。',
  'Zażółć gęślą jaźń 🙂👨‍👩‍👧',
  'half a character \ud83d here',
  'two\nlines\r\nand a tab\t',
  'The invoice no. 4711 over 1,299.50 EUR is due on 2026-05-04, see https://example.com/i/4711?x=1',
  'x'.repeat(700),
]

const text = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(...TEXTS) },
  { weight: 2, arbitrary: fc.lorem({ maxCount: 40 }) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 80 }) },
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      role: fc.constantFrom('user' as const, 'user' as const, 'assistant' as const, 'system' as const),
      text,
      sender: fc.nat(3),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('call' as const),
      ids: fc.array(fc.nat(5), { minLength: 1, maxLength: 3 }),
      args: fc.constantFrom(
        'object' as const,
        'json' as const,
        'cut' as const,
        'array' as const,
        'none' as const,
      ),
      text: fc.constantFrom('', 'Let me look.'),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('answer' as const),
      which: fc.nat(5),
      size: fc.constantFrom(0, 3, 200, 1_500),
      shape: fc.constantFrom('text' as const, 'json' as const, 'wrapped' as const, 'content' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('attach' as const),
      kind: fc.constantFrom('image' as const, 'file' as const),
      by: fc.constantFrom('url' as const, 'bytes' as const, 'path' as const),
      role: fc.constantFrom('user' as const, 'assistant' as const),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('think' as const), text, signed: fc.boolean() }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant('approve' as const), ask: fc.boolean(), approved: fc.boolean() }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('paste' as const),
      words: fc.constantFrom(150, 800, 4_000),
      script: fc.constantFrom('latin' as const, 'han' as const, 'unbroken' as const),
    }),
  },
  {
    // One turn that may be larger than the window.
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('go on' as const),
      times: fc.constantFrom(3, 12, 40),
      words: fc.constantFrom(2, 30, 150),
      by: fc.constantFrom('user' as const, 'tools' as const, 'tools at once' as const),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant('reply' as const),
      to: fc.nat(99),
      byId: fc.boolean(),
      text,
      sender: fc.nat(3),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('pass on' as const),
      kind: fc.constantFrom('forward' as const, 'quote' as const, 'reply' as const, 'link' as const),
      from: fc.nat(3),
      text,
      own: fc.constantFrom('', 'see above', '[forwarded from Ann (u1)]:\n> I quit'),
      to: fc.nat(99),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('edit' as const), at: fc.nat(99), text }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('rollback' as const), at: fc.nat(99) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('fold' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('pin' as const), at: fc.nat(99) }) },
)

export interface History {
  readonly kind: SessionKind
  readonly steps: readonly Step[]
}

export const history = (maxLength: number): fc.Arbitrary<History> =>
  fc.record({
    kind: fc.constantFrom('private' as const, 'group' as const, 'agent' as const),
    steps: fc.array(step, { minLength: 1, maxLength }),
  })

const SENDERS = [
  { id: 'u1', name: 'Ann' },
  { id: 'u2', name: 'Ann' },
  { id: 'u3', name: '王小明' },
  { id: 'u4' },
]

/** Plays a history into a session; `after` is called with each step done. */
export async function play(
  session: Session,
  { steps }: History,
  after: (step: Step) => Promise<void> = async () => {},
): Promise<void> {
  const player = new Player(session)
  for (const step of steps) {
    await player.play(step)
    await after(step)
  }
}

class Player {
  readonly #session: Session
  #mark = 0
  #appended = 0

  constructor(session: Session) {
    this.#session = session
  }

  async play(step: Step): Promise<void> {
    switch (step.do) {
      case 'say':
        return this.#append(step.role, `${this.#next()} ${step.text}`, SENDERS[step.sender]!)
      case 'call':
        return this.#append('assistant', [
          ...(step.text === '' ? [] : [{ type: 'text' as const, text: step.text }]),
          ...step.ids.map(id => ({
            type: 'tool-call' as const,
            toolCallId: `call_${id}`,
            toolName: id === 5 ? 'weird name/工具' : 'search',
            input: this.#args(step.args),
          })),
        ])
      case 'answer':
        return this.#append('tool', [
          {
            type: 'tool-result',
            toolCallId: `call_${step.which}`,
            toolName: 'search',
            output: this.#output(step),
          },
        ])
      case 'attach':
        return this.#append(step.role, [
          { type: 'text', text: this.#next() },
          { type: step.kind, ...attached(step) } as ContentPart,
        ])
      case 'think':
        return this.#append('assistant', [
          {
            type: 'reasoning',
            text: step.text,
            ...(step.signed && { providerOptions: { anthropic: { signature: 'c2ln' } } }),
          } as ContentPart,
          { type: 'text', text: this.#next() },
        ])
      case 'approve':
        return step.ask
          ? this.#append('assistant', [
              { type: 'tool-call', toolCallId: 'call_0', toolName: 'pay', input: { mark: this.#next() } },
              { type: 'tool-approval-request', approvalId: 'a1', toolCallId: 'call_0' },
            ])
          : this.#append('tool', [
              { type: 'tool-approval-response', approvalId: 'a1', approved: step.approved },
            ])
      case 'paste':
        return this.#append('user', `${this.#next()} ${longText(step)} `, SENDERS[0])
      case 'go on':
        return this.#goOn(step)
      case 'reply':
        return this.#append(
          'user',
          `${this.#next()} ${step.text}`,
          SENDERS[step.sender]!,
          this.#answers(step),
        )
      case 'pass on':
        return this.#append('user', this.#passedOn(step), SENDERS[0]!, { replyTo: step.to + 1 })
      default:
        return this.#change(step)
    }
  }

  async #goOn({ times, words, by }: Extract<Step, { do: 'go on' }>): Promise<void> {
    const text = () => `${this.#next()} ${'and so on '.repeat(words)}`
    const calls = Array.from({ length: times }, (_, at) => ({
      call: {
        type: 'tool-call' as const,
        toolCallId: `loop_${at}`,
        toolName: 'read',
        input: { page: this.#next() },
      },
      result: {
        type: 'tool-result' as const,
        toolCallId: `loop_${at}`,
        toolName: 'read',
        output: { type: 'text', value: text() },
      },
    }))
    if (by === 'user') for (let said = 0; said < times; said++) await this.#append('user', text(), SENDERS[0])
    else if (by === 'tools at once') {
      await this.#append(
        'assistant',
        calls.map(({ call }) => call),
      )
      for (const { result } of calls) await this.#append('tool', [result])
    } else
      for (const { call, result } of calls) {
        await this.#append('assistant', [call])
        await this.#append('tool', [result])
      }
  }

  async #change(step: Extract<Step, { do: 'edit' | 'rollback' | 'fold' | 'pin' }>): Promise<void> {
    const info = await this.#session.info()
    if (info === null || info.messages === 0) return
    if (step.do === 'fold') {
      await this.#session.compact({ force: true })
      return
    }
    const visible = await this.#session.messages({ limit: 1_000 })
    const message = visible[step.at % visible.length]!
    if (step.do === 'rollback') await this.#session.rollback(message.seq)
    else if (step.do === 'pin') await this.#session.pin(message.seq).catch(ignoreTooLarge)
    else if (typeof message.content === 'string') {
      const mark = /^~\d+~/.exec(message.content)?.[0] ?? ''
      await this.#session.edit(message.seq, `${mark} ${step.text}`)
    }
  }

  /** Also what is not there, what comes later and itself. */
  #answers({ to, byId }: Extract<Step, { do: 'reply' }>): object {
    return { replyTo: byId ? `m${to}` : to + 1 }
  }

  #passedOn({ kind, from, text, own }: Extract<Step, { do: 'pass on' }>): Content {
    const mark = this.#next()
    const part = { type: 'text' as const, origin: { kind, from: SENDERS[from]!, chat: 'News' } }
    // A copy of what is answered looks as a quotation does, and that has the other message's mark.
    if (kind === 'reply')
      return [
        { ...part, text },
        { type: 'text', text: `${mark} ${own}` },
      ]
    return [
      { ...part, text: `${mark} ${text}` },
      ...(own === '' ? [] : [{ type: 'text' as const, text: own }]),
    ]
  }

  #next(): string {
    this.#mark += 1
    return `~${this.#mark}~`
  }

  #args(shape: Extract<Step, { do: 'call' }>['args']): unknown {
    const mark = this.#next()
    if (shape === 'json') return JSON.stringify({ q: mark })
    if (shape === 'cut') return `{"q": "${mark}", "x`
    if (shape === 'array') return [mark]
    return shape === 'none' ? undefined : { q: mark, half: '\udc00' }
  }

  #output({ shape, size }: Extract<Step, { do: 'answer' }>): unknown {
    const value = `${this.#next()} ${'result '.repeat(size)}`
    if (shape === 'text') return value
    if (shape === 'wrapped') return { type: 'text', value }
    if (shape === 'content') return { type: 'content', value: [{ type: 'text', text: value }] }
    return { rows: [value], total: size }
  }

  async #append(
    role: 'user' | 'assistant' | 'system' | 'tool',
    content: Content,
    sender?: object,
    more: object = {},
  ): Promise<void> {
    this.#appended += 1
    const externalId = `m${this.#appended}`
    await this.#session.append({
      role,
      content,
      externalId,
      ...(sender && { sender: sender as never }),
      ...more,
    })
  }
}

function ignoreTooLarge(error: unknown): void {
  if (!String(error).includes('tokens for all pins')) throw error
}

function attached({ kind, by }: Extract<Step, { do: 'attach' }>): object {
  if (by === 'url') return { url: `https://example.com/a.${kind === 'image' ? 'png' : 'pdf'}` }
  if (by === 'path') return { path: '/srv/a.bin', mediaType: 'application/octet-stream' }
  return kind === 'image'
    ? {
        image:
          'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
      }
    : { data: 'JVBERi0xLjQK', mediaType: 'application/pdf', filename: 'a.pdf' }
}

function longText({ words, script }: Extract<Step, { do: 'paste' }>): string {
  if (script === 'han') return '我们讨论了新的计划，决定下周开始。'.repeat(Math.ceil(words / 8))
  if (script === 'unbroken') return 'a1B2'.repeat(words)
  return Array.from({ length: words }, (_, index) => `word${index % 97}`).join(' ')
}

let sessions = 0

/** A session of its own for each history. */
export function newSession(palimpsest: Palimpsest, { kind }: History): Session {
  sessions += 1
  return palimpsest.session(`history-${sessions}`, { kind })
}
