import { generateText, jsonSchema, wrapLanguageModel } from 'ai'
import { MockLanguageModelV4, simulateReadableStream } from 'ai/test'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest'
import { memoryMiddleware } from '../../packages/palimpsest/src/adapters/ai-sdk/index.ts'
import { agentsSession } from '../../packages/palimpsest/src/adapters/openai-agents/index.ts'
import type { ErasureTarget, Palimpsest, Session } from '../../packages/palimpsest/src/index.ts'
import { runs } from '../runs.ts'
import { ANN, ANNS_CHAT, NAME, WORDS, World } from './world.ts'

/** Handles that were begun before an erasure and end after it. */

let world: World
let palimpsest: Palimpsest
let chat: Session

beforeEach(async () => {
  world = new World()
  palimpsest = await world.open()
  chat = palimpsest.session(ANNS_CHAT, { user: ANN })
})

afterEach(() => world.remove())

const ASKED = {
  role: 'user',
  sender: { id: ANN, name: NAME },
  content: `What did I say of ${WORDS}?`,
} as const
const QUOTING = `You said ${WORDS}.`

/** As `generateText` would give it. */
const said = (text: string) => ({ steps: [], responseMessages: [{ role: 'assistant', content: text }] })

async function ask(): Promise<void> {
  await chat.append([
    { role: 'user', sender: { id: ANN, name: NAME }, content: `I love ${WORDS}.` },
    { role: 'assistant', content: 'Noted.' },
    ASKED,
  ])
}

const GONE: readonly ErasureTarget[] = [
  { kind: 'person', id: ANN },
  { kind: 'session', sessionId: ANNS_CHAT },
  { kind: 'namespace' },
]

const erased = (kind: string) => ({
  code: 'erased_meanwhile',
  details: { sessionId: ANNS_CHAT, erased: kind },
})

describe('a turn under way', () => {
  it.for(GONE)('brings nothing back: $kind', async target => {
    await ask()
    const turn = await chat.turn()
    const { id } = await palimpsest.forget(target)
    await expect(turn.finish(said(QUOTING))).rejects.toMatchObject(erased('session'))
    await expect(turn.fail(new Error('no'))).rejects.toMatchObject(erased('session'))
    await expect(turn.check()).rejects.toMatchObject(erased('session'))
    expect(await chat.info()).toBeNull()
    await palimpsest.erased(id)
    expect(world.found()).toEqual({})
  })

  it('shows nothing of a session that bears the name by now', async () => {
    await ask()
    const [bound, tools] = [await chat.bound(), await chat.memoryTools()]
    await palimpsest.forget({ kind: 'person', id: ANN })
    await expect(bound.turn()).rejects.toMatchObject(erased('session'))
    await palimpsest.session(ANNS_CHAT, { user: 'bob' }).append({ role: 'user', text: 'My PIN is 4711.' })
    const plain = await palimpsest.session(ANNS_CHAT).bound()
    await palimpsest.forget({ kind: 'person', id: 'bob' })
    await palimpsest.session(ANNS_CHAT, { user: 'cleo' }).append({ role: 'user', text: 'My PIN is 4712.' })
    await expect(plain.turn()).rejects.toMatchObject(erased('session'))
    await expect(tools.execute('query_history', { query: 'PIN' })).rejects.toMatchObject(erased('session'))
    await expect(tools.execute('expand_history', { fromSeq: 1, toSeq: 1 })).rejects.toMatchObject(
      erased('session'),
    )
  })

  it('is bound in a fork that it makes', async () => {
    await ask()
    const fork = await (await chat.bound()).fork('fork')
    await palimpsest.forget({ kind: 'person', id: ANN })
    await expect(fork.append({ role: 'assistant', text: QUOTING })).rejects.toMatchObject({
      code: 'erased_meanwhile',
    })
    expect(await palimpsest.session('fork').info()).toBeNull()
  })

  it('does not write into the session that a new message of the same chat began', async () => {
    await ask()
    const turn = await chat.turn()
    await palimpsest.forget({ kind: 'person', id: ANN })
    const again = { role: 'user', content: 'Hello', sender: 'Ann' } as const
    await chat.append([again, again, again])
    await expect(turn.finish(said(QUOTING))).rejects.toMatchObject(erased('session'))
    expect((await chat.messages()).map(({ content }) => content)).toEqual(['Hello', 'Hello', 'Hello'])
  })

  it('stores nothing after the erasure of a message, folded or not, and the next turn does', async () => {
    await ask()
    const turn = await chat.turn()
    await chat.compact({ force: true })
    await palimpsest.forget({ kind: 'messages', sessionId: ANNS_CHAT, seqs: [1] })
    await expect(turn.finish(said(QUOTING))).rejects.toMatchObject(erased('messages'))
    expect(await chat.count()).toBe(2)
    await (await chat.turn()).finish(said('I do not know.'))
    expect(await chat.count()).toBe(3)
  })

  it('stores nothing where another process erases', async () => {
    await ask()
    const turn = await chat.turn()
    await (await world.open({ workspace: undefined as never })).forget({ kind: 'person', id: ANN })
    await expect(turn.finish(said(QUOTING))).rejects.toMatchObject(erased('session'))
    expect(await chat.info()).toBeNull()
  })

  it('writes no memory by its tools', async () => {
    await ask()
    const turn = await chat.turn()
    await palimpsest.forget({ kind: 'person', id: ANN })
    const tools = turn.prompt.tools as Record<string, { execute(input: unknown): Promise<unknown> }>
    for (const name of ['write_user_memory', 'write_chat_memory'])
      await expect(tools[name]!.execute({ section: 'About', content: WORDS })).rejects.toMatchObject(
        erased('session'),
      )
    expect(await palimpsest.memory.user(ANN).read()).toBeNull()
    expect(await chat.info()).toBeNull()
  })

  it('is no matter to folds, edits and what others say', async () => {
    await ask()
    const turn = await chat.turn()
    await chat.append({ role: 'user', sender: 'Bob', content: 'Me too' })
    await chat.edit(2, 'Noted, Ann.')
    await chat.compact({ force: true })
    expect(await turn.finish(said(QUOTING))).toMatchObject({ status: 'complete', seqs: [5] })
  })

  it('is not shown as an answer to something else after a rollback of its question', async () => {
    await ask()
    const turn = await chat.turn()
    await chat.rollback(2)
    await chat.append({ role: 'user', sender: 'Bob', content: 'What time is it?' })
    await expect(turn.finish(said(QUOTING))).rejects.toMatchObject({
      code: 'taken_back',
      details: { sessionId: ANNS_CHAT, seqs: [3] },
    })
    expect((await chat.messages()).at(-1)!.content).toBe('What time is it?')
  })

  it('ends between two steps, before the model is asked again', async () => {
    await ask()
    const turn = await chat.turn({
      tools: {
        look: {
          description: 'Looks.',
          inputSchema: jsonSchema({ type: 'object' }),
          execute: async () => {
            await palimpsest.forget({ kind: 'person', id: ANN })
            return WORDS
          },
        },
      },
    })
    const model = new MockLanguageModelV4({
      doGenerate: async () => ({
        content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'look', input: '{}' }],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage: NO_USAGE,
        warnings: [],
      }),
    })
    await expect(generateText({ model, ...(turn.prompt as object) } as never)).rejects.toMatchObject(
      erased('session'),
    )
    expect(model.doGenerateCalls).toHaveLength(1)
    expect(await chat.info()).toBeNull()
  })
})

const NO_USAGE = {
  inputTokens: { total: 1, noCache: 1, cacheRead: undefined, cacheWrite: undefined },
  outputTokens: { total: 1, text: 1, reasoning: undefined },
}

describe('other handles', () => {
  it('a context, whose reply the caller appends', async () => {
    await ask()
    const { seen, report, estimatedInputTokens } = await chat.context()
    expect([report.throughSeq, estimatedInputTokens > 0]).toEqual([3, true])
    const context = await chat.context()
    await palimpsest.forget({ kind: 'person', id: ANN })
    const reply = { role: 'assistant', content: QUOTING } as const
    await expect(chat.append(reply, { seen })).rejects.toMatchObject(erased('session'))
    await chat.append({ role: 'user', content: 'Hello' })
    await expect(chat.append(reply, { seen })).rejects.toMatchObject(erased('session'))
    await expect(chat.observeUsage(context, { model: 'm', inputTokens: 9 })).rejects.toMatchObject(
      erased('session'),
    )
  })

  it('a bound session, whatever is written by it', async () => {
    await ask()
    const bound = await chat.bound()
    await palimpsest.forget({ kind: 'session', sessionId: ANNS_CHAT })
    const writes = [
      () => bound.append([]),
      () => bound.replaceTail(ASKED),
      () => bound.note(WORDS),
      () => bound.memory.append(WORDS),
      () => bound.daily().append(WORDS),
      () => bound.configure({ language: WORDS }),
    ]
    for (const write of writes) await expect(write()).rejects.toThrow()
    expect(await chat.info()).toBeNull()
    await chat.append({ role: 'user', content: 'Hello' })
    for (const write of writes) await expect(write()).rejects.toMatchObject(erased('session'))
    expect(JSON.stringify([await chat.export(), await chat.memory.read()])).not.toContain(WORDS)
  })

  /** Every call of a session that only reads. */
  const readsOf = (session: Session): Readonly<Record<string, () => Promise<unknown>>> => ({
    messages: () => session.messages(),
    count: () => session.count(),
    info: () => session.info(),
    folds: () => session.folds(),
    growth: () => session.growth(),
    settings: () => session.settings(),
    segments: () => session.segments(),
    versions: () => session.versions(1),
    waiting: () => session.waiting(),
    context: () => session.context(),
    pins: () => session.pins(),
    search: () => session.search(WORDS),
    expand: () => session.expand({ fromSeq: 1, toSeq: 1 }),
    export: () => session.export(),
    snapshot: () => session.snapshot(),
    judge: () => session.judge(),
    plan: () => session.plan(),
    turn: () => session.turn(),
    compact: () => session.compact(),
    'memory.read': () => session.memory.read(),
    'memory.section': () => session.memory.section('About'),
    'memory.versions': () => session.memory.versions(),
    'memory.facts': () => session.memory.facts(),
    'daily.read': () => session.daily().read(),
    memoryTools: () => session.memoryTools(),
  })

  it.for(GONE)('a bound session shows nothing of another one of its name: $kind', async target => {
    await ask()
    const bound = await chat.bound()
    for (const [name, read] of Object.entries(readsOf(bound)))
      await expect(read(), name).resolves.not.toThrow()
    await palimpsest.forget(target)
    for (const [name, read] of Object.entries(readsOf(bound)))
      await expect(read(), name).rejects.toMatchObject(erased('session'))
    await palimpsest.session(ANNS_CHAT, { user: 'bob' }).append({ role: 'user', content: 'My PIN is 4711.' })
    for (const [name, read] of Object.entries(readsOf(bound)))
      await expect(read(), name).rejects.toMatchObject(erased('session'))
  })

  it('a bound session reads nothing more once a message was erased', async () => {
    await ask()
    const bound = await chat.bound()
    await palimpsest.forget({ kind: 'messages', sessionId: ANNS_CHAT, seqs: [2] })
    for (const [name, read] of Object.entries(readsOf(bound)))
      await expect(read(), name).rejects.toMatchObject(erased('messages'))
  })

  it('a session that was not there yet is meant from its first message on', async () => {
    const bound = await chat.bound()
    await bound.append(ASKED)
    await palimpsest.forget({ kind: 'messages', sessionId: ANNS_CHAT, seqs: [1] })
    await expect(bound.append(ASKED)).rejects.toMatchObject(erased('messages'))
    await expect(bound.turn()).rejects.toThrow()
  })

  it('tools of a session that is gone, held beyond a turn', async () => {
    await ask()
    const tools = await chat.memoryTools()
    await palimpsest.forget({ kind: 'messages', sessionId: ANNS_CHAT, seqs: [2] })
    await tools.execute('write_chat_memory', { section: 'About', content: 'likes tea' })
    await palimpsest.forget({ kind: 'person', id: ANN })
    await expect(tools.execute('write_user_memory', { content: WORDS })).rejects.toMatchObject(
      erased('session'),
    )
    expect(await palimpsest.memory.user(ANN).read()).toBeNull()
  })

  it('a model with memory of its own, at once and streaming', async () => {
    const errors: unknown[] = []
    const middleware = memoryMiddleware(() => chat, { onError: error => errors.push(error) })
    const forget = () => palimpsest.forget({ kind: 'person', id: ANN })
    const text = [
      { type: 'text-start', id: '1' },
      { type: 'text-delta', id: '1', delta: QUOTING },
      { type: 'text-end', id: '1' },
      { type: 'finish', finishReason: { unified: 'stop', raw: undefined }, usage: NO_USAGE },
    ] as const
    const model = wrapLanguageModel({
      middleware,
      model: new MockLanguageModelV4({
        doGenerate: async () => {
          await forget()
          return {
            content: [{ type: 'text', text: QUOTING }],
            finishReason: { unified: 'stop', raw: undefined },
            usage: NO_USAGE,
            warnings: [],
          }
        },
        doStream: async () => {
          await forget()
          return { stream: simulateReadableStream({ chunks: [...text] }) as never }
        },
      }),
    })
    const prompt = [{ role: 'user' as const, content: [{ type: 'text' as const, text: ASKED.content }] }]
    await model.doGenerate({ prompt })
    const { stream } = await model.doStream({ prompt })
    for await (const _ of stream as unknown as AsyncIterable<unknown>);
    expect(errors).toMatchObject([erased('session'), erased('session')])
    expect(await chat.info()).toBeNull()
  })

  it('a run of the Agents SDK, and two of them at once', async () => {
    await ask()
    const session = agentsSession(chat)
    const [first, second] = [{}, {}] as never[]
    await session.getItems(undefined, first)
    await palimpsest.forget({ kind: 'person', id: ANN })
    const reply = {
      role: 'assistant',
      status: 'completed',
      content: [{ type: 'output_text', text: QUOTING }],
    }
    await expect(session.addItems([reply as never], first)).rejects.toMatchObject(erased('session'))
    await session.getItems(undefined, second)
    await expect(session.addItems([reply as never], first)).rejects.toMatchObject(erased('session'))
    await expect(session.instructions('Be kind.')(first)).rejects.toMatchObject(erased('session'))
    expect(await chat.info()).toBeNull()
    await session.addItems([{ role: 'user', content: 'Hello' }], second)
    expect(await chat.count()).toBe(1)
  })

  it('the first run of a new session of the Agents SDK, while another session is erased', async () => {
    await palimpsest.session('other').append({ role: 'user', content: 'Hello' })
    const session = agentsSession(chat)
    const [first, second] = [{}, {}] as never[]
    await session.getItems(undefined, first)
    await session.getItems(undefined, second)
    await palimpsest.forget({ kind: 'session', sessionId: 'other' })
    await session.addItems([{ role: 'user', content: 'Hello' }], first)
    expect(await chat.count()).toBe(1)
    await palimpsest.forget({ kind: 'session', sessionId: ANNS_CHAT })
    const items = [{ role: 'user' as const, content: QUOTING }]
    await expect(session.addItems(items, second)).rejects.toMatchObject(erased('session'))
  })

  it('a session of the Agents SDK without a run under way goes on', async () => {
    await ask()
    const session = agentsSession(chat)
    const ended = {} as never
    await session.getItems()
    await session.getItems(undefined, ended)
    await session.addItems([{ role: 'user', content: 'Hello' }], ended)
    const call = { type: 'function_call', callId: 'c', name: 'f', arguments: '{}' } as const
    for (const target of GONE) {
      await palimpsest.forget(target)
      await session.addItems([{ role: 'user', content: 'Hello' }, { ...call }])
      const replacement = { ...call, arguments: '{"a":1}' }
      await session.applyHistoryMutations({
        mutations: [{ type: 'replace_function_call', callId: 'c', replacement }],
      })
      expect(await session.getItems(9)).toMatchObject([{ role: 'user' }, { arguments: '{"a":1}' }])
    }
  })

  it('a long item that a session of the Agents SDK has shown in short', async () => {
    const session = agentsSession(chat)
    const output = `${'a long result '.repeat(400)}${WORDS} ${'and more of it '.repeat(400)}`
    const call = { type: 'function_call', callId: 'c', name: 'f', arguments: '{}' } as const
    const result = {
      type: 'function_call_result',
      callId: 'c',
      name: 'f',
      status: 'completed',
      output,
    } as const
    await session.addItems([{ role: 'user', content: 'Look' }, { ...call }, { ...result }])
    const shown = await session.getItems()
    expect(JSON.stringify(shown)).not.toContain(WORDS)
    await palimpsest.forget({ kind: 'session', sessionId: ANNS_CHAT })
    await session.addItems(shown)
    expect(await chat.count()).toBe(3)
    expect(JSON.stringify(await chat.messages())).not.toContain(WORDS)
  })

  it('a change of a call by a run of the Agents SDK', async () => {
    await ask()
    const session = agentsSession(chat)
    const call = { type: 'function_call', callId: 'c', name: 'f', arguments: '{}' } as const
    await session.addItems([{ ...call }])
    await session.getItems(undefined, {} as never)
    await palimpsest.forget({ kind: 'session', sessionId: ANNS_CHAT })
    await chat.append({ role: 'user', content: 'Hello' })
    await session.addItems([{ ...call }])
    const replacement = { ...call, arguments: JSON.stringify({ said: WORDS }) }
    const changing = session.applyHistoryMutations({
      mutations: [{ type: 'replace_function_call', callId: 'c', replacement }],
    })
    await expect(changing).rejects.toMatchObject(erased('session'))
  })
})

/** What may happen, one after the other. */
type Step =
  | { readonly do: 'say' | 'fork'; readonly session: number; readonly person: number }
  | { readonly do: 'begin'; readonly session: number }
  | { readonly do: 'finish' | 'remember' | 'usage'; readonly turn: number }
  | { readonly do: 'rollback' | 'fold' | 'edit'; readonly session: number }
  | {
      readonly do: 'erase'
      readonly kind: ErasureTarget['kind']
      readonly session: number
      readonly person: number
    }

const small = fc.nat(2)
const arbitrarySteps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    { weight: 5, arbitrary: fc.record({ do: fc.constant('say' as const), session: small, person: small }) },
    { weight: 4, arbitrary: fc.record({ do: fc.constant('begin' as const), session: small }) },
    {
      weight: 5,
      arbitrary: fc.record({
        do: fc.constantFrom('finish' as const, 'remember' as const, 'usage' as const),
        turn: fc.nat(9),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        do: fc.constantFrom('rollback' as const, 'fold' as const, 'edit' as const),
        session: small,
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant('erase' as const),
        kind: fc.constantFrom<ErasureTarget['kind']>('messages', 'session', 'person', 'namespace'),
        session: small,
        person: small,
      }),
    },
  ),
  { minLength: 6, maxLength: 24 },
)

/**
 * Each person has a private chat, and all are in a third session, a group. Whatever is said bears a word that no one
 * else ever says; a turn quotes all that it was shown. The oracle knows which words are gone and which sessions.
 */
class Play {
  readonly #people = ['ann', 'bob', 'cyd']
  readonly #turns: {
    session: number
    quotes: readonly string[]
    turn: Awaited<ReturnType<Session['turn']>>
  }[] = []
  readonly #said = new Map<string, { session: number; person: number; seq: number }>()
  readonly gone = new Set<string>()
  readonly #there = new Set<number>()
  #words = 0

  readonly palimpsest: Palimpsest

  constructor(palimpsest: Palimpsest) {
    this.palimpsest = palimpsest
  }

  id(session: number): string {
    return session === 2 ? 'group' : `private-${this.#people[session]}`
  }

  #session(session: number): Session {
    return session === 2
      ? this.palimpsest.session(this.id(2), { kind: 'group' })
      : this.palimpsest.session(this.id(session), { user: this.#people[session]! })
  }

  async take(step: Step): Promise<void> {
    switch (step.do) {
      case 'say':
        return this.#say(step.session, step.person)
      case 'begin':
        return this.#begin(step.session)
      case 'finish':
      case 'remember':
      case 'usage':
        return this.#end(step.do, step.turn)
      case 'erase':
        return this.#erase(step.kind, step.session, step.person)
      case 'rollback': {
        if (!this.#there.has(step.session)) return
        const head = (await this.#session(step.session).messages({ from: 'newest', limit: 1 }))[0]?.seq ?? 0
        await this.#session(step.session).rollback(Math.max(0, head - 1))
        return
      }
      case 'fold':
        if (this.#there.has(step.session)) await this.#session(step.session).compact({ force: true })
        return
      case 'edit': {
        const [message] = await this.#session(step.session).messages({ limit: 1 })
        if (message) await this.#session(step.session).edit(message.seq, `${message.content} again`)
      }
    }
  }

  async #say(session: number, person: number): Promise<void> {
    const by = session === 2 ? person : session
    const word = `canary${this.#words++}x`
    const id = this.#people[by]!
    const appended = await this.#session(session).append({
      role: 'user',
      content: `I say ${word}`,
      sender: { id, name: id },
    })
    this.#said.set(word, { session, person: by, seq: appended.messages[0]!.seq })
    this.#there.add(session)
  }

  async #begin(session: number): Promise<void> {
    const chat = this.#session(session)
    if ((await chat.count()) === 0) return
    const turn = await chat.turn()
    const quotes = JSON.stringify(turn.prompt.messages).match(/canary\d+x/g) ?? []
    this.#turns.push({ session, turn, quotes })
  }

  /** Either it says that it stores nothing, or nothing that it quotes is gone. */
  async #end(how: 'finish' | 'remember' | 'usage', place: number): Promise<void> {
    const begun = this.#turns[place % Math.max(1, this.#turns.length)]
    if (!begun) return
    const { turn, quotes, session } = begun
    const text = `They said ${quotes.join(' and ')}`
    const tools = turn.prompt.tools as Record<
      string,
      { execute(input: unknown): Promise<unknown> } | undefined
    >
    try {
      if (how === 'finish') await turn.finish(said(text))
      else if (how === 'remember')
        await tools['write_chat_memory']!.execute({ section: 'Told', content: text })
      else await this.#session(session).observeUsage(turn.context, { model: 'm', inputTokens: 7 })
    } catch (error) {
      expect(['erased_meanwhile', 'taken_back', 'session_not_found']).toContain(
        (error as { code: string }).code,
      )
      return
    }
    expect(quotes.filter(word => this.gone.has(word))).toEqual([])
    expect(this.#there.has(session)).toBe(true)
  }

  async #erase(kind: ErasureTarget['kind'], session: number, person: number): Promise<void> {
    const words = [...this.#said]
    const forget = (isGone: (said: { session: number; person: number; seq: number }) => boolean) => {
      for (const [word, at] of words) if (isGone(at)) this.gone.add(word)
    }
    const erase = async (target: ErasureTarget) => {
      const { id } = await this.palimpsest.forget(target)
      await this.palimpsest.erased(id)
    }
    if (kind === 'namespace') {
      await erase({ kind })
      forget(() => true)
      this.#there.clear()
    } else if (kind === 'person') {
      await erase({ kind, id: this.#people[person]! })
      forget(at => at.person === person || (person !== 2 && at.session === person))
      if (person !== 2) this.#there.delete(person)
    } else if (this.#there.has(session)) {
      const sessionId = this.id(session)
      const [message] = await this.#session(session).messages({ limit: 1 })
      if (kind === 'session') {
        await erase({ kind, sessionId })
        forget(at => at.session === session)
        this.#there.delete(session)
      } else if (message) {
        await erase({ kind: 'messages', sessionId, seqs: [message.seq] })
        forget(at => at.session === session && at.seq === message.seq)
      }
    }
    // What the assistant had said and noted of it by then is not erased with it.
    const told = await this.#told()
    for (const word of [...this.gone]) if (told.includes(word)) this.gone.delete(word)
    for (const word of this.gone) this.#said.delete(word)
  }

  async #told(): Promise<string> {
    const told: unknown[] = []
    for (const session of this.#there) {
      const chat = this.#session(session)
      told.push(await chat.export(), await chat.memory.versions({ limit: 1_000 }))
    }
    return JSON.stringify(told)
  }

  async check(): Promise<void> {
    for (const session of [0, 1, 2])
      expect([session, (await this.#session(session).info()) !== null]).toEqual([
        session,
        this.#there.has(session),
      ])
  }
}

test('whatever happens between a turn and its end, nothing that is gone comes back', {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(arbitrarySteps, async steps => {
      const own = new World()
      try {
        const play = new Play(await own.open({ indexing: 'off', workspace: undefined as never }))
        for (const step of steps) {
          await play.take(step)
          await play.check()
        }
        await play.palimpsest.close()
        // In no byte of the database: what was said, its index, its log, memory, and what turns left behind.
        expect(own.found([...play.gone])).toEqual({})
      } finally {
        await own.remove()
      }
    }),
    { numRuns: runs(8, 25) },
  )
})
