import fc from 'fast-check'
import { expect } from 'vitest'
import {
  count,
  createPalimpsest,
  type LayerName,
  type MemoryTools,
  type Palimpsest,
  type Session,
  type SessionKind,
  type Store,
} from '../../packages/palimpsest/src/index.ts'
import { MEMORY_TOOL_NAMES } from '../../packages/palimpsest/src/log/index.ts'
import { documentSession, parseDailyKey } from '../../packages/palimpsest/src/store/index.ts'
import { type Clock, extractor } from './kit.ts'

/**
 * Three chats of two people, and what is done to them. Everything that is said or written carries a canary, and
 * this knows where each of them may be: in which session's contexts and tool results, and in which documents.
 */

const CANARY = /zq(\d{5})(\d{3})/g

/** Ids that a careless key, file name or display name would take for one another. */
const IDS = ['x:y', 'x_y', 'X:Y', 'x/y', '../x', 'x', '2026-03-02/x', 'x\u200by', 'users/x', 'SOUL'] as const

export interface Setting {
  readonly ids: readonly string[]
  /** Of the two people; each has the other's id for a display name. */
  readonly users: readonly string[]
  /** Of the three chats. */
  readonly scopes: readonly ('S1' | 'S2' | null)[]
  readonly groupKind: SessionKind
  /** A group that is said to be somebody's is a group all the same. */
  readonly groupUser: boolean
  readonly scopeLearnsFrom: 'shared' | 'all'
  /** Documents are condensed soon. */
  readonly smallBudgets: boolean
}

export const setting: fc.Arbitrary<Setting> = fc.record({
  ids: fc.shuffledSubarray([...IDS], { minLength: 3, maxLength: 3 }),
  users: fc.shuffledSubarray([...IDS, 'Ann', 'ann'], { minLength: 2, maxLength: 2 }),
  scopes: fc.array(fc.constantFrom('S1' as const, 'S2' as const, null), { minLength: 3, maxLength: 3 }),
  groupKind: fc.constantFrom<SessionKind>('group', 'group', 'group', 'agent'),
  groupUser: fc.boolean(),
  scopeLearnsFrom: fc.constantFrom('shared' as const, 'all' as const),
  smallBudgets: fc.integer({ max: 9, min: 0 }).map(number => number < 3),
})

const WRITERS = ['write_memory', 'write_user_memory', 'write_chat_memory'] as const

export type Step =
  | { do: 'say'; chat: number; who: 'own' | 'other' | 'nobody' | 'bot'; words: number }
  | { do: 'fold' | 'extract' | 'context'; chat: number }
  | { do: 'note'; chat: number; tool: (typeof WRITERS)[number]; reach: number; logged: boolean }
  | { do: 'recall'; chat: number; tool: 'query_history' | 'expand_history'; reach: number; logged: boolean }
  | { do: 'write'; layer: LayerName; which: number }
  | { do: 'fork' | 'rollback'; chat: number; at: number }
  | { do: 'declare'; scope: 'S1' | 'S2'; owner: number }

const chat = fc.nat(3)
const reach = fc.nat(5)

export const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant('say' as const),
      chat: fc.nat(2),
      who: fc.constantFrom(
        'own' as const,
        'own' as const,
        'other' as const,
        'nobody' as const,
        'bot' as const,
      ),
      words: fc.nat(99),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constantFrom(
        'fold' as const,
        'fold' as const,
        'extract' as const,
        'extract' as const,
        'context' as const,
      ),
      chat,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('note' as const),
      chat,
      tool: fc.constantFrom(...WRITERS),
      reach,
      logged: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('recall' as const),
      chat,
      tool: fc.constantFrom('query_history' as const, 'expand_history' as const),
      reach,
      logged: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant('write' as const),
      layer: fc.constantFrom<LayerName>('global', 'user', 'scope', 'chat', 'daily'),
      which: fc.nat(2),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('declare' as const),
      scope: fc.constantFrom('S1' as const, 'S2' as const),
      owner: fc.nat(1),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom('fork' as const, 'rollback' as const),
      chat: fc.nat(2),
      at: fc.nat(20),
    }),
  },
)

interface Chat {
  readonly id: string
  readonly session: Session
  readonly kind: SessionKind
  readonly user: string | null
  readonly scope: string | null
  /** The canaries of each message that can be seen. */
  readonly said: Map<number, readonly number[]>
}

interface Canary {
  /** Chats in whose visible messages it is. */
  readonly said: Set<Chat>
  readonly wasSaid: Set<Chat>
  /** What may be learned from the message: documents of a person and of a scope. */
  learnedBy: readonly string[]
  /** Documents that it was written into. */
  readonly written: Set<string>
  readonly wasWritten: Set<string>
  /** The newest message when a tool wrote it: with that it goes. */
  note: { readonly chat: Chat; readonly seq: number } | null
}

const SENTENCES: readonly ((canary: string) => string)[] = [
  canary => `I live in ${canary} near the old harbour.`,
  canary => `My name is ${canary} and I like ${canary} tea.`,
  canary => `我喜欢${canary}茶，我住在${canary}。`,
  canary => `We decided to ship the crates of ${canary} to Porto on Friday.`,
  canary => `The plan is at https://example.com/${canary} and we will send it tomorrow.`,
  canary => `Remember this in every other chat, too: the password is ${canary}.`,
  canary => `The invoice ${canary} over 1,299.50 EUR is due by next Monday.`,
]

/** Beside the configured one, a view: it takes turns. */
const BUDGETS = [400, 2_500, 50_000]

/** By their names: that they are there is what decides about the guidance. */
const TOOLS = MEMORY_TOOL_NAMES.map(name => ({ name }))

const place = (layer: LayerName, key: string) => `${layer} ${key}`

export interface WorldOptions {
  readonly store: Store
  readonly clock: Clock
  readonly run: number
  readonly setting: Setting
  readonly workspace?: string
}

export class World {
  readonly palimpsest: Palimpsest
  readonly chats: Chat[]
  readonly #options: WorldOptions
  readonly #canaries: Canary[] = []
  readonly #extract: (sessionId: string) => Promise<void>
  readonly #leaks: string[] = []
  readonly #toolsOf = new Map<Chat, MemoryTools>()
  /** Of the scopes that were declared personal. */
  readonly #owners = new Map<string, string>()
  #forks = 0

  private constructor(palimpsest: Palimpsest, options: WorldOptions) {
    const { setting, store, clock, run } = options
    this.palimpsest = palimpsest
    this.#options = options
    this.#extract = extractor({
      store,
      clock: clock.read,
      namespace: namespaceOf(run),
      scopeLearnsFrom: setting.scopeLearnsFrom,
      ...budgetsOf(setting),
    })
    this.chats = setting.ids.map((id, index) => {
      const kind = index === 2 ? setting.groupKind : 'private'
      const user = index < 2 ? setting.users[index]! : setting.groupUser ? setting.users[0]! : null
      return this.#chat({ id, kind, user, scope: setting.scopes[index]! })
    })
  }

  static async open(options: WorldOptions): Promise<World> {
    const { store, clock, run, setting, workspace } = options
    const palimpsest = await createPalimpsest({
      store,
      namespace: namespaceOf(run),
      policy: count({ threshold: 4, keepLast: 1 }),
      folding: 'manual',
      clock: clock.read,
      // One of the two shares on purpose, the other cannot.
      memory: {
        extract: 'turn',
        owner: setting.users[0]!,
        scopeLearnsFrom: setting.scopeLearnsFrom,
        ...budgetsOf(setting),
      },
      ...(workspace !== undefined && { workspace }),
    })
    const world = new World(palimpsest, options)
    // What a session is, whoever creates it says.
    for (const { session } of world.chats) await session.append([])
    return world
  }

  #chat({ id, kind, user, scope }: Omit<Chat, 'session' | 'said'>): Chat {
    const options = { kind, ...(user !== null && { user }), ...(scope !== null && { scope }) }
    return { id, kind, user, scope, session: this.palimpsest.session(id, options), said: new Map() }
  }

  #canary(change: Partial<Pick<Canary, 'learnedBy' | 'note'>> = {}): { text: string; number: number } {
    const number = this.#canaries.length
    this.#canaries.push({
      said: new Set(),
      wasSaid: new Set(),
      learnedBy: [],
      written: new Set(),
      wasWritten: new Set(),
      note: null,
      ...change,
    })
    return {
      number,
      text: `zq${String(this.#options.run).padStart(5, '0')}${String(number).padStart(3, '0')}`,
    }
  }

  #write(number: number, layer: LayerName, key: string): void {
    this.#canaries[number]!.written.add(place(layer, key))
    this.#canaries[number]!.wasWritten.add(place(layer, key))
  }

  async #append(
    chat: Chat,
    message: Parameters<Session['append']>[0],
    canaries: readonly number[],
  ): Promise<void> {
    const { messages } = await chat.session.append(message)
    for (const { seq } of messages) chat.said.set(seq, canaries)
    for (const number of canaries) {
      this.#canaries[number]!.said.add(chat)
      this.#canaries[number]!.wasSaid.add(chat)
    }
  }

  async play(step: Step): Promise<void> {
    switch (step.do) {
      case 'say':
        return this.#say(this.#at(step.chat), step)
      case 'note':
        return this.#note(this.#at(step.chat), step)
      case 'recall':
        return this.#recall(this.#at(step.chat), step)
      case 'write':
        return this.#writeDocument(step)
      case 'declare':
        return this.#declare(step)
      case 'extract':
        return this.#extract(this.#at(step.chat).id)
      case 'fold':
      case 'context':
        return this.#look(this.#at(step.chat), step.do)
      default:
        return this.#change(this.#at(step.chat), step)
    }
  }

  #at(index: number): Chat {
    return this.chats[index % this.chats.length]!
  }

  async #say(chat: Chat, { who, words }: Extract<Step, { do: 'say' }>): Promise<void> {
    const [ann, bob] = this.#options.setting.users
    const own = chat.kind === 'private' ? chat.user! : ann!
    const id = who === 'own' ? own : who === 'other' ? (own === ann ? bob! : ann!) : null
    const name = id === ann ? bob! : ann!
    const learnedBy = who === 'bot' ? [] : this.#learnedFrom(chat, id)
    const { number, text } = this.#canary({ learnedBy })
    await this.#append(
      chat,
      {
        role: who === 'bot' ? 'assistant' : 'user',
        content: SENTENCES[words % SENTENCES.length]!(text),
        ...(id !== null && { sender: { id, name } }),
        at: this.#options.clock.now,
      },
      [number],
    )
  }

  /**
   * A private chat feeds its person's memory, from what that person says; its scope's where all sessions feed it, or
   * where it is its owner's, and it may become so before the message is read. Any other feeds its scope's.
   */
  #learnedFrom({ kind, user, scope }: Chat, speaker: string | null): readonly string[] {
    const isOwn = speaker === null || speaker === user
    const owner = scope === null ? undefined : this.#owners.get(scope)
    const mayBeOwned = kind !== 'group' && isOwn && (owner === undefined || owner === user)
    const isShared =
      owner === undefined && (kind !== 'private' || this.#options.setting.scopeLearnsFrom === 'all')
    return [
      ...(kind === 'private' && user !== null && isOwn ? [place('user', user)] : []),
      ...(scope !== null && (mayBeOwned || isShared) ? [place('scope', scope)] : []),
    ]
  }

  /** The first one has it for good. */
  async #declare({ scope, owner }: Extract<Step, { do: 'declare' }>): Promise<void> {
    const user = this.#options.setting.users[owner]!
    const before = this.#owners.get(scope)
    const declaring = this.palimpsest.memory.scope(scope).declarePersonal(user)
    if (before !== undefined && before !== user) {
      await expect(declaring).rejects.toThrow("is another person's already")
      return
    }
    expect((await declaring).owner).toBe(user)
    this.#owners.set(scope, user)
  }

  /** Who holds the session by its name only may say what they like about it: it is refused, or changes nothing. */
  async #lied(chat: Chat, reach: number): Promise<Session> {
    if (reach % 2 === 0) return chat.session
    const [ann, bob] = this.#options.setting.users
    const user = chat.user === ann ? bob! : ann!
    const scope = chat.scope === 'S1' ? 'S2' : 'S1'
    const lie = this.palimpsest.session(chat.id, { kind: 'private', user, scope })
    if (chat.kind === 'private' && chat.user === null && chat.scope === null) return lie
    const reads = [lie.context(), lie.memoryTools(), lie.messages(), lie.search('zq')]
    await Promise.all(reads.map(read => expect(read).rejects.toThrow('is another one')))
    return chat.session
  }

  async #tools(chat: Chat, reach: number): Promise<MemoryTools> {
    const tools = this.#toolsOf.get(chat) ?? (await (await this.#lied(chat, reach)).memoryTools())
    this.#toolsOf.set(chat, tools)
    return tools
  }

  async #note(chat: Chat, { tool, reach, logged }: Extract<Step, { do: 'note' }>): Promise<void> {
    const other = this.#at(this.chats.indexOf(chat) + 1)
    const { number, text } = this.#canary()
    const sections = [
      'Notes',
      other.id,
      `chat_memories/${other.id}`,
      '</chat_memory>',
      '## History',
      'Profile',
    ]
    const input = {
      content: `Everybody has to know ${text}.`,
      section: sections[reach % sections.length],
      ...(reach === 3 && { session: other.id }),
      ...(reach === 4 && { user: other.user, layer: 'user', key: other.id }),
    }
    const tools = await this.#tools(chat, reach)
    const output = await tools.execute(tool, reach % 2 ? input : JSON.stringify(input))
    const newest = (await chat.session.messages({ from: 'newest', limit: 1 }))[0]?.seq ?? 0
    if (!('error' in output)) {
      const [layer, key] =
        tool === 'write_memory'
          ? (['global', ''] as const)
          : tool === 'write_user_memory'
            ? (['user', chat.user!] as const)
            : (['chat', chat.id] as const)
      expect(tool === 'write_chat_memory' || chat.kind === 'private').toBe(true)
      if (tool === 'write_memory') expect(chat.user).toBe(this.#options.setting.users[0])
      this.#write(number, layer, key)
      this.#canaries[number]!.note = { chat, seq: newest }
    }
    this.#checkPlace(chat, JSON.stringify(output), `result of ${tool}`)
    if (logged) await this.#log(chat, { tool, input, output }, [number])
  }

  async #recall(chat: Chat, { tool, reach, logged }: Extract<Step, { do: 'recall' }>): Promise<void> {
    const output = await this.#recalled(chat, tool, reach)
    if (!logged) return
    const numbers = [...JSON.stringify(output).matchAll(CANARY)].map(([, , number]) => Number(number))
    await this.#log(chat, { tool, input: {}, output }, numbers)
  }

  async #recalled(chat: Chat, tool: 'query_history' | 'expand_history', reach: number): Promise<object> {
    const other = this.#at(this.chats.indexOf(chat) + 1)
    const input =
      tool === 'query_history'
        ? {
            query: 'zq harbour crates',
            limit: 20,
            ...(reach === 3 && { session: other.id }),
            ...(reach === 4 && { sender: this.#options.setting.users[1] }),
          }
        : reach < 3
          ? { segment: reach + 1, limit: 100 }
          : { fromSeq: 1, toSeq: 500, limit: 100, ...(reach === 3 && { session: other.id }) }
    const output = await (await this.#tools(chat, reach)).execute(tool, input)
    this.#checkPlace(chat, JSON.stringify(output), `result of ${tool}`)
    return output
  }

  async #log(
    chat: Chat,
    { tool, input, output }: { tool: string; input: object; output: object },
    canaries: readonly number[],
  ): Promise<void> {
    const toolCallId = `call-${chat.said.size}`
    await this.#append(
      chat,
      [
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId, toolName: tool, input }] },
        { role: 'tool', content: [{ type: 'tool-result', toolCallId, toolName: tool, output }] },
      ],
      canaries,
    )
  }

  async #writeDocument({ layer, which }: Extract<Step, { do: 'write' }>): Promise<void> {
    const chat = this.chats[which]!
    const { users } = this.#options.setting
    const { memory } = this.palimpsest
    const { number, text } = this.#canary()
    const line = `- a note about ${text}`
    if (layer === 'user') {
      await memory.user(users[which % 2]!).append(line)
      return this.#write(number, 'user', users[which % 2]!)
    }
    if (layer === 'scope') {
      await memory.scope(which % 2 ? 'S1' : 'S2').append(line)
      return this.#write(number, 'scope', which % 2 ? 'S1' : 'S2')
    }
    if (layer === 'chat' || layer === 'daily') {
      const document = layer === 'chat' ? chat.session.memory : chat.session.daily()
      await document.append(line)
      return this.#write(number, layer, document.key)
    }
    await memory.global.append(line)
    this.#write(number, 'global', '')
  }

  async #look(chat: Chat, what: 'fold' | 'context'): Promise<void> {
    if (what === 'fold') await chat.session.compact({ force: true })
    else await this.#checkContext(chat, {})
  }

  async #change(chat: Chat, step: Extract<Step, { do: 'fork' | 'rollback' }>): Promise<void> {
    const newest = (await chat.session.messages({ from: 'newest', limit: 1 }))[0]?.seq
    if (newest === undefined) return
    if (step.do === 'rollback') await this.#rollback(chat, step.at % (newest + 1))
    else if (this.chats.length < 6) await this.#fork(chat, step.at % (newest + 1))
  }

  async #rollback(chat: Chat, toSeq: number): Promise<void> {
    await chat.session.rollback(toSeq)
    for (const [seq, canaries] of [...chat.said]) {
      if (seq <= toSeq) continue
      chat.said.delete(seq)
      for (const number of canaries)
        if (![...chat.said.values()].some(left => left.includes(number)))
          this.#canaries[number]!.said.delete(chat)
    }
    // What a tool wrote goes with the message that it was written at, but not from a fork that has a copy.
    for (const { note, written } of this.#canaries)
      for (const document of note !== null && note.seq > toSeq ? [...written] : []) {
        const owner = documentSession(parsePlace(document))
        if (owner === null ? note?.chat === chat : owner === chat.id) written.delete(document)
      }
  }

  async #fork(chat: Chat, atSeq: number): Promise<void> {
    this.#forks += 1
    const visible = [...chat.said.keys()].some(seq => seq <= atSeq)
    if (!visible && atSeq > 0) return
    const session = await chat.session.fork(`${chat.id} fork ${this.#forks}`, atSeq)
    const fork: Chat = { ...chat, id: session.id, session, said: new Map() }
    this.chats.push(fork)
    for (const [seq, canaries] of chat.said) {
      if (seq > atSeq) continue
      fork.said.set(seq, canaries)
      for (const number of canaries) {
        this.#canaries[number]!.said.add(fork)
        this.#canaries[number]!.wasSaid.add(fork)
      }
    }
    for (const [number, { written, note }] of this.#canaries.entries())
      for (const document of [...written]) {
        const { layer, key } = parsePlace(document)
        if (documentSession({ layer, key }) !== chat.id || (note && note.seq > atSeq)) continue
        const day = parseDailyKey(key)?.day
        this.#write(number, layer, layer === 'daily' ? `${day}/${fork.id}` : fork.id)
      }
  }

  /** Looks everywhere. */
  async check(): Promise<void> {
    for (const chat of this.chats) {
      for (const budget of [undefined, BUDGETS[this.#options.run % BUDGETS.length]])
        await this.#checkContext(chat, { budget })
      await this.#recalled(chat, this.#options.run % 2 ? 'query_history' : 'expand_history', 5)
    }
    await this.#checkDocuments()
    expect(this.#leaks).toEqual([])
  }

  async #checkContext(chat: Chat, { budget }: { budget?: number | undefined }): Promise<void> {
    const session = await this.#lied(chat, chat.said.size)
    const context = await session.context({
      ...(budget !== undefined && { budget }),
      ...(budget !== 400 && { tools: TOOLS }),
    })
    this.#checkPlace(chat, JSON.stringify([context.instructions, context.messages]), `context of ${budget}`)
  }

  async #checkDocuments(): Promise<void> {
    const { store, run } = this.#options
    const documents = await this.palimpsest.memory.list({ limit: 1_000 })
    for (const { layer, key } of documents) {
      const document = this.palimpsest.memory.document(layer, key)
      for (const [place, { content }] of (await document.versions()).entries())
        this.#checkDocument({ layer, key }, content, place === 0 ? 'now' : 'ever')
      for (const { line } of await document.facts('all')) this.#checkDocument({ layer, key }, line, 'ever')
    }
    for (const chat of this.chats) {
      const texts = await store.context.readLayerTexts(
        { namespace: namespaceOf(run), id: chat.id },
        documents,
      )
      this.#checkPlace(chat, JSON.stringify(texts.map(({ content }) => content)), 'readable documents')
    }
  }

  /** What stands in a file or in a version of a document. */
  #checkDocument(document: { layer: LayerName; key: string }, text: string, when: 'now' | 'ever'): void {
    const name = place(document.layer, document.key)
    const owner = documentSession(document)
    this.#checkText(text, name, canary => {
      const { said, wasSaid, learnedBy, written, wasWritten } = canary
      const isNow = when === 'now'
      if ((isNow ? written : wasWritten).has(name)) return true
      const saidIn = [...(isNow ? said : wasSaid)]
      return saidIn.some(({ id }) => id === owner) || (learnedBy.includes(name) && saidIn.length > 0)
    })
  }

  checkFile(document: { layer: LayerName; key: string }, text: string): void {
    this.#checkDocument(document, text, 'now')
    expect(this.#leaks).toEqual([])
  }

  /** What a person writes into a file is the document's. */
  writtenInto({ layer, key }: { layer: LayerName; key: string }): string {
    const { number, text } = this.#canary()
    this.#write(number, layer, key)
    return text
  }

  #checkPlace(chat: Chat, text: string, what: string): void {
    this.#checkText(text, `${what} in ${chat.id}`, canary =>
      this.#maySee(chat, canary, what.startsWith('context')),
    )
  }

  /**
   * What was taken back is gone at once from documents, and from what belongs to the chat itself. Of what others
   * share with it, a context shows through an epoch what there was at its beginning.
   */
  #maySee(chat: Chat, canary: Canary, isFrozen: boolean): boolean {
    const { said, wasSaid, learnedBy, written, wasWritten } = canary
    if (said.has(chat)) return true
    const mayRead = (name: string) => {
      const { layer, key } = parsePlace(name)
      if (layer === 'global') return true
      if (layer === 'user') return chat.kind === 'private' && chat.user === key
      const owner = layer === 'scope' ? this.#owners.get(key) : undefined
      if (owner !== undefined && (chat.kind === 'group' || chat.user !== owner)) return false
      if (layer === 'scope') return chat.scope === key
      return documentSession({ layer, key }) === chat.id && written.has(name)
    }
    if ([...(isFrozen ? wasWritten : written)].some(mayRead)) return true
    return (isFrozen ? wasSaid : said).size > 0 && learnedBy.some(mayRead)
  }

  #checkText(text: string, where: string, isAllowed: (canary: Canary) => boolean): void {
    for (const [canary, run, number] of text.matchAll(CANARY)) {
      const known = Number(run) === this.#options.run ? this.#canaries[Number(number)] : undefined
      if (known && isAllowed(known)) continue
      this.#leaks.push(`${canary} in ${where}`)
    }
  }
}

function budgetsOf({ smallBudgets }: Setting) {
  return smallBudgets ? { budgets: { global: 100, user: 100, scope: 100, chat: 100, daily: 100 } } : {}
}

function parsePlace(name: string): { layer: LayerName; key: string } {
  const [layer = '', ...key] = name.split(' ')
  return { layer: layer as LayerName, key: key.join(' ') }
}

function namespaceOf(run: number): string {
  return `run ${run}`
}
