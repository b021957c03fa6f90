import type {
  AgentInputItem,
  CallModelInputFilter,
  FunctionTool,
  RunContext,
  RunContextAwareSession,
  SessionHistoryMutation,
  SessionHistoryRewriteArgs,
  SessionHistoryRewriteAwareSession,
  SessionHistoryTransactionArgs,
  SessionHistoryTransactionAwareSession,
} from '@openai/agents'
import type { Context } from '../../contexts.ts'
import { isOverForGood, PalimpsestError } from '../../errors.ts'
import { checkOptions, optionsOf } from '../../known-options.ts'
import { type Language, textsOf } from '../../language/index.ts'
import { contentLinks, type Message } from '../../log/index.ts'
import type { Session } from '../../session.ts'
import { canonicalJson } from '../../store/index.ts'
import { estimateTokens } from '../../tokens/index.ts'
import { type Fitted, fitInput, type LeftOut, NOTHING_LEFT_OUT } from './fit-input.ts'
import { readTransaction } from './history-transaction.ts'
import { HistoryView, type ViewOptions } from './history-view.ts'
import { asItem, type ItemMessage } from './item-format.ts'
import { itemsOf } from './items-of.ts'
import { loadAgents } from './load-agents.ts'
import { framedText, isMemoryText, memoryItem, recentChanges } from './memory-notes.ts'
import { packBytes } from './packed-bytes.ts'
import { measureItem } from './shorten-item.ts'
import { toMessage } from './to-message.ts'
import { toolDefinitions } from './tool-definitions.ts'

export type AgentsSessionOptions = ViewOptions

const OPTIONS = optionsOf<AgentsSessionOptions>({
  budget: true,
  outputReserve: true,
  tools: true,
  model: true,
})

/**
 * A session of Palimpsest as the Agents SDK takes it: `run(agent, input, { session: agentsSession(chat) })`.
 */
export function agentsSession(chat: Session, options: AgentsSessionOptions = {}): AgentsSession {
  return new AgentsSession(chat, options)
}

/** The most that one append takes. */
const MAX_AT_ONCE = 1_000
const EVERYTHING = Number.MAX_SAFE_INTEGER
/** How often an item is popped again after another writer was faster. */
const MAX_TRIES = 100
const POPPED_AT_A_TIME = 8

interface SeenByRun {
  readonly session: Session
  hasStored: boolean
}

/**
 * Each item is one message of the log, and nothing is ever deleted. A read without a limit gives what the
 * model should see: the summary of what was folded, and the items since.
 */
export class AgentsSession
  implements RunContextAwareSession, SessionHistoryRewriteAwareSession, SessionHistoryTransactionAwareSession
{
  readonly acceptsRunContext = true
  readonly #chat: Session
  readonly #view: HistoryView
  readonly #model: string | undefined
  /** The items that were last given as history, as text, and the originals of those that were shortened. */
  #history: readonly string[] = []
  #originals: ReadonlyMap<string, AgentInputItem> = new Map()
  /** The session as it was when these items were given. */
  #givenBy: Session | null = null
  #fitted: { readonly run: string; readonly length: number; readonly leftOut: LeftOut } | null = null
  #run: { readonly context: RunContext<unknown>; readonly estimates: number[] } | null = null
  /**
   * The session as each run has seen it. The results of a run are stored in this very session, or not at all.
   */
  readonly #seenBy = new WeakMap<RunContext<unknown>, SeenByRun>()

  constructor(chat: Session, options: AgentsSessionOptions = {}) {
    checkOptions('agentsSession', options, OPTIONS)
    this.#chat = chat
    this.#view = new HistoryView(chat, options)
    this.#model = options.model
  }

  async getSessionId(): Promise<string> {
    return this.#chat.id
  }

  /**
   * Without a limit: the items as the model should see them. With one: the newest items of the log as they
   * are.
   */
  async getItems(limit?: number, runContext?: RunContext<unknown>): Promise<AgentInputItem[]> {
    if (limit === undefined) return this.#shown(runContext)
    if (!(limit > 0)) return []
    const wanted = Math.min(Math.ceil(limit), EVERYTHING)
    await this.#see(runContext)
    const { items } = await this.#newestItems(wanted)
    return items.slice(Math.max(0, items.length - wanted))
  }

  async #shown(runContext?: RunContext<unknown>): Promise<AgentInputItem[]> {
    if (runContext !== undefined && this.#run?.context !== runContext)
      this.#run = { context: runContext, estimates: [] }
    await this.#see(runContext)
    this.#givenBy = await this.#chat.bound()
    const { items, originals } = await this.#view.items()
    this.#originals = new Map(originals.map(({ shown, original }) => [keyOf(shown), original]))
    this.#history = items.map(keyOf)
    return [...items]
  }

  /**
   * A run is bound to the session that it saw first. Once the run has stored something, it is over: a caller
   * may use its context for another run.
   */
  async #see(runContext: RunContext<unknown> | undefined): Promise<void> {
    const known = runContext && this.#seenBy.get(runContext)
    if (known && !known.hasStored) return
    if (runContext !== undefined)
      this.#seenBy.set(runContext, { session: await this.#chat.bound(), hasStored: false })
  }

  /** Outside a run the caller means the session as it is now. */
  #own(runContext?: RunContext<unknown>): Session {
    return (runContext && this.#seenBy.get(runContext)?.session) ?? this.#chat
  }

  /**
   * The SDK does not tell which run changes a call. It is taken to be the newest run, as long as that has
   * stored nothing.
   */
  async #changing(): Promise<Session> {
    const seen = this.#run && this.#seenBy.get(this.#run.context)
    return seen && !seen.hasStored ? seen.session : this.#chat.bound()
  }

  /** The newest messages that give at least `wanted` items, and all their items. */
  async #newestItems(wanted: number): Promise<{ messages: readonly Message[]; items: AgentInputItem[] }> {
    const rules = await this.#view.rules()
    let [messages, items]: [readonly Message[], AgentInputItem[]] = [[], []]
    for (;;) {
      const limit = wanted - items.length
      const before = messages[0]?.seq
      const page = await this.#chat.messages({
        limit,
        from: 'newest',
        ...(before !== undefined && { before }),
      })
      messages = [...page, ...messages]
      items = [...page.flatMap(message => itemsOf(message, rules)), ...items]
      if (page.length < limit || items.length >= wanted) return { messages, items }
    }
  }

  async addItems(items: AgentInputItem[], runContext?: RunContext<unknown>): Promise<void> {
    const messages = (await this.#asSaid(items)).map(toMessage)
    const chat = this.#own(runContext)
    for (let from = 0; from < messages.length; from += MAX_AT_ONCE)
      await chat.append(messages.slice(from, from + MAX_AT_ONCE))
    const seen = runContext && this.#seenBy.get(runContext)
    if (seen) seen.hasStored = true
    // The items are stored: an error here must not make it look otherwise.
    if (runContext !== undefined) await this.#learn(runContext).catch(() => {})
  }

  /**
   * The items as they were said: without memory's notes, and whole where they were shortened for the model.
   */
  async #asSaid(items: readonly AgentInputItem[]): Promise<readonly AgentInputItem[]> {
    const isNote = await this.#noteFinder(items)
    await this.#forgetErased()
    return items.filter(item => !isNote(item)).map(item => this.#originalOf(item))
  }

  /** A shortened item must not come back whole after it was erased. */
  async #forgetErased(): Promise<void> {
    try {
      if (this.#originals.size > 0) await this.#givenBy?.checkBound()
    } catch (error) {
      if (!isOverForGood(error)) throw error
      this.#originals = new Map()
    }
  }

  #originalOf(item: AgentInputItem): AgentInputItem {
    return this.#originals.size === 0 ? item : (this.#originals.get(keyOf(item)) ?? item)
  }

  /**
   * Also recognizes a note that another process gave, as long as it is still current. A person may write a
   * text that only looks like a note.
   */
  async #noteFinder(items: readonly AgentInputItem[]): Promise<(item: AgentInputItem) => boolean> {
    const { id } = this.#chat
    const texts = items.map(framedText).filter(text => text !== null)
    const isStrange = texts.some(text => !isMemoryText(text, id))
    const context = isStrange ? await this.#view.context() : null
    const current = context && [context.sessionMemory, recentChanges(context)]
    return item => {
      const text = framedText(item)
      return text !== null && (isMemoryText(text, id) || current?.includes(text) === true)
    }
  }

  /** Hides the newest item. */
  async popItem(): Promise<AgentInputItem | undefined> {
    for (let tries = 1; ; tries++) {
      const { messages, items } = await this.#newestItems(POPPED_AT_A_TIME)
      const popped = items.at(-1)
      if (popped === undefined) return undefined
      const rules = await this.#view.rules()
      const last = messages.findLastIndex(message => itemsOf(message, rules).length > 0)
      const rest = itemsOf(messages[last]!, rules).slice(0, -1)
      try {
        await this.#chat.replaceTail(rest.map(toMessage), { expected: messages.slice(last).map(said) })
        return popped
      } catch (error) {
        if (!isTailConflict(error) || tries >= MAX_TRIES) throw error
      }
    }
  }

  /** Hides everything: nothing is deleted. To erase it: `palimpsest.forget()`. */
  async clearSession(): Promise<void> {
    if ((await this.#chat.info()) === null) return
    await this.#chat.replaceTail([], { expected: 'everything' })
  }

  /**
   * The provider has compacted the conversation. The earlier items stay in the log, and the SDK sends what
   * follows.
   */
  async replaceHistoryWithCompaction(
    items: AgentInputItem[],
    runContext?: RunContext<unknown>,
  ): Promise<void> {
    const added = await this.#asSaid(items)
    // What follows the mark may be stored already.
    const { taken, left } = await this.#matchSuffix(added.slice(1))
    const chat = this.#own(runContext)
    await chat.replaceTail([...left, ...added].map(toMessage), { expected: taken ?? [] })
  }

  async applyHistoryTransaction(
    args: SessionHistoryTransactionArgs,
    runContext?: RunContext<unknown>,
  ): Promise<void> {
    const { operationId, expected, added } = readTransaction(args)
    const [gone, own] = [await this.#asSaid(expected), await this.#asSaid(added)]
    const { taken, left } = await this.#matchSuffix(gone)
    await this.#own(runContext).replaceTail([...left, ...own].map(toMessage), {
      operationId,
      operation: packBytes(args.transaction),
      // If the expected items are not there now, this same operation may have replaced them: the store knows.
      expected: taken ?? gone.map(toMessage),
    })
  }

  /**
   * The newest messages, if their items end with `suffix`, and the items of the first of them that are not in
   * it. `taken` is `null` if the items do not end so.
   */
  async #matchSuffix(
    suffix: readonly AgentInputItem[],
  ): Promise<{ taken: readonly ItemMessage[] | null; left: readonly AgentInputItem[] }> {
    if (suffix.length === 0) return { taken: [], left: [] }
    const { messages, items } = await this.#newestItems(suffix.length)
    const ending = items.slice(Math.max(0, items.length - suffix.length))
    const isSame =
      ending.length === suffix.length && ending.every((item, place) => keyOf(item) === keyOf(suffix[place]!))
    if (!isSame) return { taken: null, left: [] }
    return { taken: messages.map(said), left: items.slice(0, items.length - suffix.length) }
  }

  async applyHistoryMutations({ mutations }: SessionHistoryRewriteArgs): Promise<void> {
    for (const mutation of mutations)
      if (mutation.type === 'replace_function_call') await this.#replaceCall(mutation)
  }

  /**
   * Replaces the first call with this id and drops the others with the same id, as the SDK does. Of folded
   * calls, the newest is replaced.
   */
  async #replaceCall({ callId, replacement }: SessionHistoryMutation): Promise<void> {
    const chat = await this.#changing()
    for (let tries = 1; ; tries++) {
      const after = (await chat.info())?.compactedThrough ?? 0
      const raw = await chat.messages({ after, limit: EVERYTHING })
      try {
        if (await this.#replaceCallWithin(chat, raw, { callId, replacement })) return
        const folded = await this.#foldedCall(chat, callId, after)
        if (folded !== null) await chat.edit(folded.seq, toMessage(replacement).content)
        return
      } catch (error) {
        if (!isTailConflict(error) || tries >= MAX_TRIES) throw error
      }
    }
  }

  /** `false`: none of these messages has such a call. */
  async #replaceCallWithin(
    chat: Session,
    messages: readonly Message[],
    { callId, replacement }: Pick<SessionHistoryMutation, 'callId' | 'replacement'>,
  ): Promise<boolean> {
    const rules = await this.#view.rules()
    const isCall = (item: AgentInputItem) => {
      const { type, callId: id } = asItem(item)
      return type === 'function_call' && id === callId
    }
    const places = [...messages.keys()].filter(place => itemsOf(messages[place]!, rules).some(isCall))
    const [first, ...others] = places
    if (first === undefined) return false
    const message = messages[first]!
    const { content } = toMessage(replacement)
    const isEdit =
      others.length === 0 &&
      itemsOf(message, rules).length === 1 &&
      canonicalJson(contentLinks(content)) === canonicalJson(contentLinks(message.content))
    if (isEdit) {
      await chat.edit(message.seq, content)
      return true
    }
    const tail = messages.slice(first)
    let isReplaced = false
    const items = tail
      .flatMap(each => itemsOf(each, rules))
      .flatMap(item => {
        if (!isCall(item)) return [item]
        const isFirst = !isReplaced
        isReplaced = true
        return isFirst ? [replacement] : []
      })
    await chat.replaceTail(items.map(toMessage), { expected: tail.map(said) })
    return true
  }

  async #foldedCall(chat: Session, callId: string, through: number): Promise<Message | null> {
    for (let before = through + 1; ; ) {
      const page = await chat.messages({ before, limit: MAX_AT_ONCE, from: 'newest' })
      const link = `call:${callId}`
      const found = page.findLast(({ content }) => contentLinks(content).opens.includes(link))
      if (found !== undefined || page.length === 0) return found ?? null
      before = page[0]!.seq
    }
  }

  /**
   * The SDK compares what is stored with what it knows. So it needs the items as they were said, not
   * shortened.
   */
  prepareHistoryItemsForPersistenceComparison(items: AgentInputItem[]): AgentInputItem[] {
    return items.map(item => this.#originalOf(item))
  }

  /** For `new Agent({ instructions })`: the caller's own instructions, and what memory knows. */
  instructions(base: string): (runContext?: RunContext<unknown>) => Promise<string> {
    this.#view.instructions = base
    return async runContext => {
      this.#view.instructions = base
      const context = (await this.#view.context()) ?? (await this.#created(runContext))
      return context?.instructions ?? base
    }
  }

  /** A run whose session is gone must not append to the present one: that would create the session again. */
  async #created(runContext: RunContext<unknown> | undefined): Promise<Context | null> {
    const seen = runContext && this.#seenBy.get(runContext)?.session
    await (seen ?? this.#chat).append([])
    return this.#view.context()
  }

  /** The memory tools, for `new Agent({ tools })`. */
  async tools(): Promise<FunctionTool[]> {
    const { tool } = await loadAgents('session.tools()')
    const memory = await this.#chat.memoryTools()
    this.#view.memoryTools = memory.definitions
    return memory.definitions.map(({ name, description, parameters }) =>
      tool({
        name,
        description,
        parameters: parameters as never,
        strict: false,
        // The tools outlive many runs, so each call uses the session that its own run has seen.
        execute: async (input, runContext) =>
          (await this.#own(runContext).memoryTools()).execute(name, input),
      }),
    ) as FunctionTool[]
  }

  /**
   * For `run(agent, input, { session, callModelInputFilter: session.inputFilter })`: keeps what is sent
   * within the budget, also in a long loop of tool calls, and tells what changed in memory since the
   * instructions were made.
   */
  readonly inputFilter: CallModelInputFilter = async ({ modelData, agent }) => {
    const { input, instructions } = modelData
    const context = await this.#view.context()
    const fixed =
      estimateTokens(instructions ?? '') + estimateTokens(JSON.stringify(toolDefinitions(agent.tools)))
    const changes = context && recentChanges(context)
    const note = changes === null ? null : memoryItem(changes, this.#chat.id)
    const noteTokens = note === null ? 0 : measureItem(note)
    const room = context === null ? Infinity : this.#view.roomOf(context) - fixed - noteTokens
    const language = context?.language ?? (await this.#chat.language())
    const fitted = this.#fit(input, { room, language })
    const items = note === null ? [...fitted.items] : withNote(fitted.items, note)
    this.#run?.estimates.push(items.reduce((sum, item) => sum + measureItem(item), fixed))
    const count = input.length - fitted.items.length
    return {
      ...modelData,
      input: items,
      ...(count > 0 && {
        instructions: withLeftOut(instructions, textsOf(language).messages.itemsLeftOut(count)),
      }),
    }
  }

  /** What was left out once stays out for the rest of the run. */
  #fit(
    input: readonly AgentInputItem[],
    { room, language }: { readonly room: number; readonly language: Language },
  ): Fitted {
    const history = this.#historyOf(input)
    const run = `${history} ${input[history] === undefined ? '' : keyOf(input[history])}`
    const isSameRun = this.#fitted?.run === run && this.#fitted.length <= input.length
    const earlier = isSameRun ? this.#fitted!.leftOut : NOTHING_LEFT_OUT
    const fitted = fitInput(input, { room, history, earlier, language })
    this.#fitted = { run, length: input.length, leftOut: fitted.leftOut }
    return fitted
  }

  /** How many of the items existed before this run. */
  #historyOf(items: readonly AgentInputItem[]): number {
    const known = new Set(this.#history)
    const firstNew = items.findIndex(item => framedText(item) === null && !known.has(keyOf(item)))
    const lastAsked = items.findLastIndex(item => asItem(item)['role'] === 'user')
    return Math.max(0, firstNew === -1 ? lastAsked : Math.min(firstNew, lastAsked))
  }

  /** Compares the provider's token count with our own estimate of the same request. */
  async #learn(runContext: RunContext<unknown>): Promise<void> {
    const [model, run] = [this.#model, this.#run]
    if (model === undefined || run === null || run.context !== runContext) return
    const { requestUsageEntries: entries = [] } = runContext.usage
    const [estimate, inputTokens] = [run.estimates.at(-1), entries.at(-1)?.inputTokens]
    // If there were other requests too, the counts cannot be matched to the estimates.
    if (!estimate || !inputTokens || entries.length !== run.estimates.length) return
    const context = await this.#view.context()
    if (context)
      await this.#chat.observeUsage({ ...context, estimatedInputTokens: estimate }, { model, inputTokens })
  }
}

function said({ role, content }: Message): ItemMessage {
  return { role, content }
}

function keyOf(item: AgentInputItem): string {
  return canonicalJson(packBytes(item))
}

function hasCode(error: unknown, code: string): error is PalimpsestError {
  return PalimpsestError.isInstance(error) && error.code === code
}

function isTailConflict(error: unknown): boolean {
  return hasCode(error, 'history_conflict') && error.details['reason'] === 'tail_changed'
}

/** Puts the note before what is asked now: there it breaks no cache. */
function withNote(items: readonly AgentInputItem[], note: AgentInputItem): AgentInputItem[] {
  const place = items.findLastIndex(item => asItem(item)['role'] === 'user' && framedText(item) === null)
  return items.toSpliced(Math.max(0, place), 0, note)
}

function withLeftOut(instructions: string | undefined, note: string): string {
  return instructions ? `${instructions}\n\n${note}` : note
}
