import { BoundedMap } from './bounded-map.ts'
import { sessionPolicies } from './compaction/session-policy.ts'
import {
  type Answering,
  type AskedAs,
  type Assembled,
  assembleContext,
  type Beginning,
  BLOCK_NAMES,
  type BlockName,
  type ContextMessage,
  type ContextParts,
  type ContextSegment,
  type ContextSource,
  type FixedPart,
  findQuestion,
  fixedPart,
  type InterimPlan,
  type InterimPoints,
  inertName,
  legendsOf,
  type Pinned,
  planContext,
  planRecall,
  questionAt,
  RECALL_NEIGHBOURS,
  type RecallFound,
  type RenderedMessage,
  type Renderer,
  renderMessage,
  senderName,
  sinceAsked,
  toAnthropic,
  toldRanges,
  toldTexts,
  toOpenAI,
  toText,
  type View,
  type VolatileBlock,
} from './context/index.ts'
import { checkPositive, InvalidArgumentError, MessageNotFoundError, SessionNotFoundError } from './errors.ts'
import { checkOptions, optionsOf } from './known-options.ts'
import type { Language } from './language/index.ts'
import {
  LayerReader,
  type LayersEngine,
  type MemoryView,
  NO_MEMORY,
  type ShownLayers,
  type ShownMemory,
} from './layer-reader.ts'
import { type Message, mergePeople, modelText, searchableText, withoutRecalled } from './log/index.ts'
import { NewNames } from './new-names.ts'
import { contextBudget, type Policy, rawBegins } from './policy/index.ts'
import { runInSlices } from './slices.ts'
import {
  type ContextPin,
  type ContextRead,
  type ContextStore,
  keyName,
  type SeenSession,
  type SessionKey,
  type SessionRecord,
  type SessionStore,
  type SettingsStore,
  seenOf,
} from './store/index.ts'
import type { Prefix, Summarizer } from './summarizer/index.ts'
import {
  applyCalibration,
  type Calibration,
  type Calibrations,
  calibrationOf,
  estimateTokens,
  initialCalibration,
  measureMessageInSteps,
} from './tokens/index.ts'

export interface ContextOptions {
  /**
   * Tokens of the whole context, with instructions, tools and output reserve. Default: the budget of the
   * policy.
   */
  readonly budget?: number
  /** The model by whose token counts the budget is meant; see `observeUsage`. */
  readonly model?: string
  readonly instructions?: string
  /** The tools as the model gets them. Only their size matters here. */
  readonly tools?: unknown
  /** Tokens that are kept free for the reply. */
  readonly outputReserve?: number
  /** If `outputReserve` is for this call only: the usual reserve, for which folds are made. `null`: none. */
  readonly usualReserve?: number | null
  /** `drop` (the default): another model cannot read reasoning parts. `keep`: they are kept whole. */
  readonly reasoning?: 'drop' | 'keep'
  /**
   * The current question. Older messages that may answer it are found and put before the current message, as
   * far as there is room. No prompt cache is broken there.
   */
  readonly query?: string
  /** Shows the session as if it were folded by this policy. Stores nothing. */
  readonly policy?: Policy
  /**
   * The `seq` of the message that is answered. What others said after it is not shown. Whole answers to what
   * was asked before it stand before it. What has been done so far in answer to it, as far as tools gave
   * results, stands after it. Left out: the newest message.
   */
  readonly throughSeq?: number
  /** With `throughSeq`: exactly these of the later messages stand after that message. */
  readonly alsoSeqs?: readonly number[]
  /**
   * `false`: the caller only looks. Then the size of its instructions and tools does not count for later
   * folds.
   */
  readonly notes?: false
}

/** What a turn answers, if `throughSeq` does not say it. */
export interface Asking {
  /** Messages that are answered together. Empty: the log tells which message is answered. */
  readonly answers: readonly number[]
  /** The newest message that was said through the same handle. `null`: there is none. */
  readonly own: number | null
}

/** What a turn begins with. */
export interface FrozenContext {
  readonly context: Context
  /** The message that the context is made for. `null`: no message waits for an answer. */
  readonly asked: number | null
  /** The newest messages that the context was made of, as they are in the log. */
  readonly newest: readonly Message[]
  /**
   * Gives the same moment again, with other options and with what the turn has said since. What others said
   * meanwhile is not in it, not even as part of a fold.
   */
  again(options: ContextOptions, own: ReadonlySet<number>): Promise<Context>
}

/** What the model gets for one call, in the shapes of libraries and providers. */
export interface Context extends ContextParts {
  /** As `estimateTokens` counts, without the output reserve. Compare it with the provider's own figure. */
  readonly estimatedInputTokens: number
  /**
   * What was seen of the session. The caller hands it to `append` with the reply. Then text that was erased
   * meanwhile does not come back through the reply.
   */
  readonly seen: SeenSession
  /** For chat completions. */
  toOpenAI(): ReturnType<typeof toOpenAI>
  /** For the Messages API, with its cache breakpoints. */
  toAnthropic(): ReturnType<typeof toAnthropic>
  /** As one text. `limit`: the most characters. */
  toText(options?: { limit?: number; instructions?: boolean }): string
}

/** The budget if the policy has none. Common models take at least this much. */
const DEFAULT_BUDGET = 128_000
/**
 * The share of the budget that a view keeps filled. A fold may leave less, since segments tell what it folds.
 * A view can only name what it leaves out.
 */
const VIEW_LOW_WATER = 0.5
/** Reads this many times the budget, so that old tool results can make room first. */
const READ_SHARE = 2
/** The main points of messages that no fold has reached are taken from at most this many of their tokens. */
const MAX_INTERIM_TOKENS = 16_000
const MAX_INTERIM_MESSAGES = 300
/**
 * Between two looks at a session another process may begin an epoch. Then the session is looked at again, at
 * most this often.
 */
const MAX_FREEZES = 2
/** The most that is kept in memory for all sessions together. */
const MAX_KEPT_BYTES = 64_000_000
const MAX_KEPT = 1_000

/** What is recalled for one call: at most this many tokens, and at most this share of the budget. */
const MAX_RECALL_TOKENS = 1_500
const RECALL_SHARE = 0.1
/** The number of messages that are looked at allows for this many tokens each. Few messages are shorter. */
const MIN_RECALLED_TOKENS = 20

/** The same limits for memory that is larger than its budget. It should be notes of one line each. */
const RECALLED_MEMORY_TOKENS = 500
const RECALLED_MEMORY_SHARE = 0.05

/**
 * The lines that tell whom new names mean, for names that came up since the epoch began. They stand at the
 * volatile end.
 */
const MAX_NAMES_TOKENS = 300

const SAID_AT_A_TIME = 500

const MAX_REMEMBERED = 10_000
const MAX_CLIPPINGS = 8

/**
 * What was read and rendered for the last context of one session and one size. With it, the next context
 * costs only the new messages.
 */
interface Kept {
  readonly asked: Asked
  readonly epoch: number
  /** All messages above this `seq` are raw. */
  readonly rawAfter: number
  readonly segments: readonly ToldSegment[]
  readonly messages: ContextMessage[]
  readonly isWhole: boolean
  readonly rendered: Rendered
  readonly interims: Map<string, InterimPoints>
  /** Tokens of the first read. What came later is counted in `tokens`. */
  readonly firstTokens: number
  tokens: number
  bytes: number
  beginning: Beginning | undefined
}

/**
 * By the way they are clipped, then by `seq`. A change of a message's content must make another version of
 * the message.
 */
type Rendered = Map<string, Map<number, RenderedOnce>>

interface RenderedOnce {
  readonly version: number
  /**
   * The message that this one answers, as it was shown. An edit of that message does not make a new version
   * of this one.
   */
  readonly answered: string | undefined
  readonly message: RenderedMessage
}

/**
 * A segment as it was read. `legend` tells whom its names mean, if they were clear when the segment was made
 * and are not clear now.
 */
type ToldSegment = NonNullable<ContextRead['base']>['segments'][number] & Pick<ContextSegment, 'legend'>

interface Asked {
  readonly tokens: number
  readonly archivedTokens: number
}

/** Everything that a context is made of. */
interface Looked {
  readonly session: SessionRecord
  /** The language of all that the engine itself writes in the context. */
  readonly language: Language
  readonly pins: readonly Pinned[]
  readonly raw: ContextRead['raw']
  readonly kept: Kept
  readonly memory: ShownMemory
  readonly seen: SeenSession
  /**
   * The view is of a past moment: these messages are added to it, and no other later message may be seen.
   * `null`: the view is of now.
   */
  readonly added: readonly ContextMessage[] | null
  /** The message that the context is made for. */
  readonly asked: number | null
  /** See `ContextSource`. */
  readonly settledBelow?: number
}

/** A message that is answered, and those that are answered with it. */
interface Meant extends AskedAs {
  readonly seq: number
}

interface ContextEngine extends LayersEngine {
  readonly store: LayersEngine['store'] & {
    readonly context: Pick<ContextStore, 'readContext'>
    readonly sessions: Pick<SessionStore, 'recordMeasures'>
    readonly settings: Pick<SettingsStore, 'readOwnSettings'>
  }
  /** Finds messages below a `seq`, and what was said around them. Left out: nothing is recalled. */
  readonly recall?: (
    key: SessionKey,
    query: string,
    options: { readonly below: number; readonly limit: number; readonly around: number },
  ) => Promise<RecallFound>
  readonly summarizer: Pick<Summarizer, 'reusesPrefix'>
  readonly policy: Policy
}

/** Reads sessions for contexts and remembers what it read. It decides nothing; the folder `context/` does. */
export class Contexts {
  readonly #engine: ContextEngine
  /** Writes under way. */
  readonly #noting = new Set<Promise<void>>()
  /** The entry that was used last is the last one. */
  readonly #kept = new BoundedMap<string, Kept>(MAX_KEPT)
  /** The options of each session's last context, for a summariser that reuses its prefix. */
  readonly #last = new BoundedMap<string, ContextOptions>(MAX_REMEMBERED)
  readonly #fixed = new FixedParts()
  readonly #layers: LayerReader
  readonly #newNames = new NewNames()

  constructor(engine: ContextEngine) {
    this.#engine = engine
    this.#layers = new LayerReader(engine)
  }

  async context(key: SessionKey, options: ContextOptions = {}): Promise<Context> {
    checkContextOptions(options)
    const { assembled, ...figures } = await this.#compute(key, options)
    this.#remember(key, options)
    return toContext(assembled.parts, figures)
  }

  /** The language in which the engine writes in a session now. The next context will have the same. */
  async language(key: SessionKey, session: SessionRecord): Promise<Language> {
    const { layers } = session
    if (layers !== null && layers.isLanguageOpen !== true) return layers.language
    return (await this.#layers.decide(key, { session, messages: [] })).language
  }

  async freeze(key: SessionKey, options: ContextOptions, asking: Asking): Promise<FrozenContext> {
    checkContextOptions(options)
    const { assembled, looked, ...figures } = await this.#compute(key, options, { asking })
    this.#remember(key, options)
    const { session, kept } = looked
    const messages = [...asFreshlyRead(kept, session.head?.seq ?? 0)]
    const moment: Looked = { ...looked, kept: { ...kept, messages, interims: new Map() } }
    return {
      context: toContext(assembled.parts, figures),
      asked: looked.asked,
      newest: [...messages, ...(looked.added ?? [])],
      again: async (given, own) => {
        checkContextOptions(given)
        const asked = asOfNow(given)
        const { said, hasOthers } = await this.#saidSince(key, moment, own)
        // If no one else spoke, the session as it is now says the same, and its folds may be better.
        const now = hasOthers ? null : await this.#compute(key, asked)
        if (now?.looked.session.beginsAfter === session.beginsAfter) {
          this.#remember(key, asked)
          return toContext(now.assembled.parts, now)
        }
        const again = await this.#compute(key, asked, { past: await withSaid(moment, said) })
        return toContext(again.assembled.parts, again)
      },
    }
  }

  /** What a turn said itself, and whether others said anything. */
  async #saidSince(
    key: SessionKey,
    { session }: Looked,
    own: ReadonlySet<number>,
  ): Promise<{ readonly said: readonly Message[]; readonly hasOthers: boolean }> {
    const said: Message[] = []
    let hasOthers = false
    for (let after = session.head?.seq ?? 0; ; ) {
      const page = await this.#engine.store.log.readMessages(key, {
        after,
        limit: SAID_AT_A_TIME,
        from: 'oldest',
        answered: true,
      })
      for (const message of page) {
        if (own.has(message.seq)) said.push(message)
        else hasOthers = true
      }
      if (page.length < SAID_AT_A_TIME) return { said, hasOthers }
      after = page.at(-1)!.seq
    }
  }

  /**
   * The session's last context as it was sent, through the end of a range. `null`: this process made none, or
   * none that shows the whole range.
   */
  async prefixOf(key: SessionKey, range: { fromSeq: number; toSeq: number }): Promise<Prefix | null> {
    const options = this.#last.get(keyName(key))
    if (options === undefined) return null
    const { parts } = (await this.#compute(key, options)).assembled
    const { messageSeqs: seqs } = parts
    const first = parts.sessionMemory === null ? 0 : 1
    const end = seqs.findIndex((seq, index) => index >= first && seq > range.toSeq)
    const messages = parts.messages.slice(0, end === -1 ? parts.messages.length : end)
    const isWhole =
      (seqs[first] ?? Infinity) <= range.fromSeq && messages.length <= parts.report.stableMessages
    return isWhole ? { instructions: parts.instructions, messages } : null
  }

  /** Options of a caller that only looks are not remembered: that context is sent to no model. */
  #remember(key: SessionKey, options: ContextOptions): void {
    if (!this.#engine.summarizer.reusesPrefix || options.notes === false) return
    this.#last.set(keyName(key), asOfNow(options))
  }

  async #compute(
    key: SessionKey,
    options: ContextOptions,
    { past, asking }: { readonly past?: Looked; readonly asking?: Asking } = {},
  ) {
    const { store, policy: usual } = this.#engine
    const [configured, policy] = await sessionPolicies(store.settings, key, [usual, options.policy ?? usual])
    const budgeted = contextBudget(policy)
    const budget = options.budget ?? budgeted?.tokens ?? DEFAULT_BUDGET
    // Folds are made for the configured budget. With more room, the newest of them are undone.
    const unfolds = budget > (contextBudget(configured)?.tokens ?? Number.POSITIVE_INFINITY)
    const asked = {
      tokens: budget * READ_SHARE,
      archivedTokens: unfolds || options.policy ? budget : 0,
    }
    const outputReserve = options.outputReserve ?? 0
    // What is for one call only must not change what the epoch shows.
    const forTools = toolTokens(options.tools)
    const withoutMemory = this.#fixed.of(options, forTools, NO_MEMORY.most)
    const fixed = withoutMemory.tokens + (usualReserve(options) ?? 0)
    const looked =
      past ??
      (await this.#lookFor(key, asked, {
        meant: messages => meantBy(options, asking, messages),
        view: {
          roomFor: session => budget / calibrationFor(session, options.model).ratio - fixed,
          tools: options.tools,
          isView: options.budget !== undefined || options.policy !== undefined,
        },
      }))
    const { session, kept, memory } = looked
    const calibration = calibrationFor(session, options.model)
    const { ratio } = calibration
    const rounding = ratio === 1 ? 0 : BLOCK_ROUNDING_TOKENS
    const view: View = {
      budget: Math.floor((budget - outputReserve - rounding) / ratio),
      asked: { budget, outputReserve, rounding, ratio },
      lowWater: Math.max(VIEW_LOW_WATER, budgeted?.lowWater ?? 0),
      fixed: this.#fixed.of(options, forTools, memory.most),
      fixedBeside: shown => this.#fixed.of(options, forTools, memory.beside(toldRanges(shown))),
      reasoning: options.reasoning ?? 'drop',
      mostMessages: policy.contextMessages,
      from: options.policy && session.head ? beginningOf(policy, looked) : null,
      unfolds,
      volatileReserve: memory.volatileReserve,
    }
    const source = sourceOf(looked)
    const whole = { source, view, looked, volatile: memory.volatile }
    let assembled = await this.#assemble(key, whole)
    if (past === undefined && options.notes !== false && isConfigured(options, memory))
      this.#noteOverhead(key, session, assembled.fixedTokens + (usualReserve(options) ?? 0))
    kept.beginning = assembled.beginning
    let { volatile } = memory
    const names = this.#namesSince(looked, assembled)
    if (names !== null) {
      const { withCorrections } = await import('./memory/layers/index.ts')
      volatile = withCorrections(volatile, names)
      assembled = await this.#assemble(key, { ...whole, volatile })
    }
    const remembered = await recallMemory(options.query, { looked, assembled })
    if (remembered !== null) {
      volatile = [...volatile, remembered]
      assembled = await this.#assemble(key, { ...whole, volatile })
    }
    const recall =
      options.query === undefined ? null : await this.#recall(key, options.query, { looked, assembled })
    if (recall !== null) assembled = await this.#assemble(key, { ...whole, volatile: [...volatile, recall] })
    return { assembled, looked, seen: looked.seen, budget, calibration, outputReserve }
  }

  /** Uses only the room that the context leaves. Outside of groups, messages bear no names. */
  #namesSince({ session, language, kept }: Looked, { parts }: Assembled): readonly string[] | null {
    if (session.kind !== 'group') return null
    const { budget, tokens } = parts.report
    const mostTokens = Math.min(MAX_NAMES_TOKENS, budget - tokens)
    return this.#newNames.lines(kept, { language, instructions: parts.instructions, mostTokens })
  }

  /**
   * Recalls what the context does not show yet. It uses only the room that the context leaves, so that the
   * rest of the context is the same with and without a query.
   */
  async #recall(
    key: SessionKey,
    query: string,
    { looked, assembled }: { looked: Looked; assembled: Assembled },
  ): Promise<VolatileBlock | null> {
    const { instructions, messageSeqs, sessionMemory, report } = assembled.parts
    const { tokens, budget, throughSeq } = report
    const mostTokens = Math.floor(Math.min(MAX_RECALL_TOKENS, budget * RECALL_SHARE, budget - tokens))
    const firstRaw = messageSeqs.find((seq, place) => seq > 0 && place >= (sessionMemory === null ? 0 : 1))
    const isAsked = looked.added !== null && looked.asked !== null
    const below = Math.min(
      firstRaw ?? throughSeq + 1,
      isAsked ? looked.asked! : (looked.session.head?.seq ?? 0) + 1,
    )
    const found = await this.#engine.recall?.(key, query, {
      below,
      limit: Math.max(1, Math.ceil(mostTokens / MIN_RECALLED_TOKENS)),
      around: RECALL_NEIGHBOURS,
    })
    if (!found) return null
    const isTold = toldTexts([instructions, sessionMemory ?? ''])
    const recalled = planRecall(found, { below, isTold, mostTokens, language: looked.language })
    return recalled && { name: 'recall', text: recalled.text }
  }

  /** If memory is stale, it is made anew first. So an epoch begins with memory that is true. */
  async #look(key: SessionKey, asked: Asked, view: Omit<MemoryView, 'language'>): Promise<Looked> {
    for (let tries = 0; ; tries++) {
      const { read, kept } = await this.#read(key, asked)
      // All messages, not only the new ones, so that the language and the age are the same in every process.
      const whole = { ...read, messages: asFreshlyRead(kept, read.session.head?.seq ?? 0) }
      const isLast = tries >= MAX_FREEZES
      let language = read.session.layers?.language ?? null
      if (language === null && !isLast) {
        language = await this.#layers.freeze(key, whole, { refresh: false })
        // If memory was frozen, it has to be read now.
        if (language === null || read.layers.length > 0) continue
      }
      language ??= (await this.#layers.decide(key, whole)).language
      const memory = await this.#layers.show(key, whole, { ...view, language })
      const isStale =
        memory.isStale || (!view.isView && !isLast && (await this.#layers.isOtherLanguage(key, whole)))
      if (!isStale || isLast)
        return {
          session: read.session,
          language,
          pins: read.pins.map(pin => toPinned(pin, read.session.kind, language)),
          raw: read.raw,
          kept,
          memory,
          seen: seenOf(read.session, read.layers),
          added: null,
          asked: null,
        }
      await this.#layers.freeze(key, whole, { refresh: true })
    }
  }

  /**
   * Looks at the session as of the message that is answered, if there is such a message and others came after
   * it.
   */
  async #lookFor(
    key: SessionKey,
    asked: Asked,
    {
      meant: meantIn,
      view,
    }: {
      readonly meant: (messages: readonly ContextMessage[]) => Meant | { readonly asked: number | null }
      readonly view: Omit<MemoryView, 'language'>
    },
  ): Promise<Looked> {
    for (let tries = 0; ; tries++) {
      const looked = await this.#look(key, asked, view)
      const headSeq = looked.session.head?.seq ?? 0
      const messages = asFreshlyRead(looked.kept, headSeq)
      const meant = meantIn(messages)
      if ('asked' in meant) return { ...looked, ...meant }
      if (meant.seq === headSeq) return { ...looked, asked: headSeq }
      const cut = await this.#cutAt(key, meant, { looked, messages, isLast: tries >= MAX_FREEZES })
      if (cut !== null) return cut
    }
  }

  /** `null`: another epoch has begun meanwhile. */
  async #cutAt(
    key: SessionKey,
    meant: Meant,
    {
      looked,
      messages,
      isLast,
    }: { readonly looked: Looked; readonly messages: readonly ContextMessage[]; readonly isLast: boolean },
  ): Promise<Looked | null> {
    const { seq } = meant
    const { session, kept, raw } = looked
    const isFolded = seq <= kept.rawAfter
    const place = isFolded ? -1 : messages.findLastIndex(message => message.seq === seq)
    const isAllRead =
      messages.reduce((sum, { seq }) => sum + (seq > kept.rawAfter ? 1 : 0), 0) >= raw.messages
    if (isAllRead && place !== -1)
      return uncut(looked, meant, { messages, place }) ?? cutTo(looked, meant, { messages, place, raw })
    const [message] = await this.#engine.store.log.readMessages(key, {
      after: seq - 1,
      before: seq + 1,
      limit: 1,
      from: 'oldest',
    })
    if (message === undefined) throw new MessageNotFoundError(key.id, seq)
    const turn = messages[0]?.turn ?? session.head?.totals.turn ?? 0
    const page = await this.#engine.store.log.readMessages(key, {
      after: seq,
      limit: SAID_AT_A_TIME,
      from: 'oldest',
    })
    const since = await asContextMessages(page, turn)
    if (isFolded) {
      const isWhole = page.length < SAID_AT_A_TIME
      const whole = isWhole ? uncut(looked, meant, { messages: [message, ...since], place: 0 }) : null
      if (whole !== null) return whole
      const alone = [...(await asContextMessages([message], turn))]
      const told = { ...looked, kept: { ...kept, rawAfter: seq - 1, messages: alone, isWhole: false } }
      const raw = { messages: 1, tokens: tokensOf(alone) }
      return cutTo(told, meant, { messages: [...alone, ...since], place: 0, raw: withMore(raw, since) })
    }
    const read = await this.#engine.store.context.readContext(key, { ...kept.asked, through: seq })
    if (read === null) throw new SessionNotFoundError(key.id)
    if (read.session.epoch !== session.epoch && !isLast) return null
    const further = newlyKept(read, kept.asked, kept.rendered)
    const last = further.messages.length - 1
    const isThere = further.messages[last]?.seq === seq
    return isThere
      ? cutTo({ ...looked, kept: further }, meant, {
          messages: [...further.messages, ...since],
          place: last,
          raw: withMore(read.raw, since),
        })
      : null
  }

  async #read(key: SessionKey, asked: Asked) {
    const { store } = this.#engine
    const name = JSON.stringify([key.namespace, key.id, asked.tokens, asked.archivedTokens])
    const earlier = this.#kept.get(name)
    const since = earlier && {
      epoch: earlier.epoch,
      seq: earlier.messages.at(-1)?.seq ?? earlier.rawAfter,
    }
    const isFull = earlier !== undefined && earlier.tokens - earlier.firstTokens > asked.tokens
    const read = await store.context.readContext(key, {
      ...asked,
      days: this.#layers.days(),
      ...(since && !isFull && { since }),
    })
    if (read === null) throw new SessionNotFoundError(key.id)
    // If a session was erased, and a new one has its name, what is kept of the old one must not be used.
    const rendered = (earlier?.epoch ?? -1) < read.session.firstEpoch ? undefined : earlier?.rendered
    const kept = read.base === null && earlier ? earlier : newlyKept(read, asked, rendered)
    if (read.base === null) extend(kept, read.messages)
    this.#kept.set(name, kept).shrinkTo(MAX_KEPT_BYTES, ({ bytes }) => bytes)
    return { read, kept }
  }

  /**
   * Notes the tokens of the fixed parts for the policy. A context waits for no write, and a change of a few
   * tokens is not worth one.
   */
  #noteOverhead(key: SessionKey, { state }: SessionRecord, tokens: number): void {
    const { store, onError } = this.#engine
    if (Math.abs(tokens - state.overheadTokens) <= state.overheadTokens * 0.05) return
    const noting = store.sessions
      .recordMeasures(key, { overheadTokens: tokens })
      .catch(error => onError(error, { sessionId: key.id }))
      .finally(() => this.#noting.delete(noting))
    this.#noting.add(noting)
  }

  /** Resolves when all that contexts noted for the policy is stored. */
  async settled(): Promise<void> {
    await Promise.all(this.#noting)
  }

  async #assemble(
    key: SessionKey,
    {
      source,
      view,
      looked,
      volatile,
    }: { source: ContextSource; view: View; looked: Looked; volatile: readonly VolatileBlock[] },
  ): Promise<Assembled> {
    const { kept } = looked
    const plan = planContext(source, view, keptRenderer(kept, source, view.reasoning))
    const interim = plan.interim && (await this.#interimPoints(key, plan.interim, looked))
    return assembleContext({ source, view, plan }, { interim, earlier: kept.beginning, volatile })
  }

  /** The points are in the words of the people who said them. No model is asked while a context is made. */
  async #interimPoints(
    key: SessionKey,
    plan: InterimPlan,
    { kept: { interims, segments, messages }, session, added }: Looked,
  ): Promise<InterimPoints> {
    const name = `${plan.fromSeq}-${plan.toSeq}:${plan.tokens}`
    const known = interims.get(name)
    if (known !== undefined) return known
    const { store } = this.#engine
    const zone = session.zone ?? this.#engine.zone
    const newest = await store.log.readMessages(key, {
      after: plan.fromSeq - 1,
      before: plan.toSeq + 1,
      limit: MAX_INTERIM_MESSAGES,
      from: 'newest',
      answered: true,
    })
    const own = new Set(added && [...added, ...messages].map(({ seq }) => seq))
    const isSeen = ({ seq }: Message) => added === null || seq <= (session.head?.seq ?? 0) || own.has(seq)
    // As in a fold: recalled text is not summarised twice.
    const told = withoutRecalled(await newestWithin(newest.filter(isSeen), MAX_INTERIM_TOKENS))
    const { extractive } = await import('./summarizer/index.ts')
    const { text } = await extractive().summarize({
      messages: told,
      earlier: null,
      budgetTokens: plan.tokens,
      detailTokens: 0,
      people: mergePeople(...segments.map(({ people }) => people ?? [])),
      zone,
    })
    const points = { text, messages: told.length }
    interims.clear()
    interims.set(name, points)
    return points
  }
}

/**
 * Takes what fits the question from memory that is larger than its budget. It uses only the room that the
 * context leaves, so that the rest of the context stays as it is.
 */
async function recallMemory(
  query: string | undefined,
  { looked, assembled: { parts } }: { looked: Looked; assembled: Assembled },
): Promise<VolatileBlock | null> {
  const { tokens, budget } = parts.report
  const mostTokens = Math.min(RECALLED_MEMORY_TOKENS, budget * RECALLED_MEMORY_SHARE, budget - tokens)
  const question = query ?? currentQuestion(looked)
  if (question === null || mostTokens <= 0) return null
  const shown = [parts.instructions, ...looked.memory.volatile.map(({ text }) => text)]
  return looked.memory.recall(question, { mostTokens, shown })
}

/** The last message of a user. It stays the question through all steps of the answer. */
function currentQuestion({ kept, session, added }: Looked): string | null {
  const through = session.head?.seq ?? 0
  const isAsked = ({ seq, role }: Message) => role === 'user' && (added !== null || seq <= through)
  const asked = added?.findLast(isAsked) ?? kept.messages.findLast(isAsked)
  return asked === undefined ? null : searchableText(asked.content)
}

/** Each block may round up by one token. */
const BLOCK_ROUNDING_TOKENS = 16

function calibrationFor({ calibrations }: SessionRecord, model: string | undefined): Calibration {
  if (model === undefined) return initialCalibration
  return calibrationOf(calibrations.inForce as Calibrations, model)
}

/** Whether this is the kind of call that folds are made for. Any other call is a view. */
function isConfigured(options: ContextOptions, memory: ShownMemory): boolean {
  const { budget, policy, instructions, tools } = options
  if (budget !== undefined || policy !== undefined) return false
  if (memory.most.layers.length > 0) return true
  return instructions !== undefined || tools !== undefined || usualReserve(options) !== null
}

function usualReserve({
  outputReserve,
  usualReserve = outputReserve ?? null,
}: ContextOptions): number | null {
  return usualReserve
}

const MAX_FIXED_PARTS = 100

/** A bot sends the same instructions and memory with every call, so they are measured once. */
class FixedParts {
  readonly #known = new BoundedMap<string, BoundedMap<string, FixedPart>>(MAX_FIXED_PARTS)

  of({ instructions = '' }: ContextOptions, toolTokens: number, { layers, name }: ShownLayers): FixedPart {
    const rest = `${toolTokens} ${name}`
    const known = this.#known.get(instructions)?.get(rest)
    if (known !== undefined) return known
    const part = fixedPart({ instructions, layers, toolTokens })
    const byRest = this.#known.get(instructions) ?? new BoundedMap(MAX_FIXED_PARTS)
    this.#known.set(instructions, byRest.set(rest, part))
    return part
  }
}

function toolTokens(tools: unknown): number {
  if (tools === undefined || tools === null) return 0
  try {
    return estimateTokens(JSON.stringify(tools) ?? '')
  } catch {
    throw new InvalidArgumentError('tools', String(tools), 'tools as they go to the model, as JSON')
  }
}

/** What was rendered for an earlier epoch is still right: a message is rendered from itself alone. */
function newlyKept(
  { session, base, messages, isWhole, rawAfter }: ContextRead,
  asked: Asked,
  rendered: Rendered = new Map(),
): Kept {
  forgetBelow(rendered, messages[0]?.seq ?? Number.POSITIVE_INFINITY)
  const kept: Kept = {
    asked,
    epoch: session.epoch,
    rawAfter,
    // A segment is empty if an erasure left nothing under it.
    segments: withLegends((base?.segments ?? []).filter(({ text }) => text !== '')),
    messages: [],
    isWhole,
    rendered,
    interims: new Map(),
    firstTokens: tokensOf(messages),
    tokens: 0,
    bytes: ENTRY_BYTES,
    beginning: undefined,
  }
  extend(kept, messages)
  return kept
}

/** Made from the segments alone, so that legends change only when segments do. */
function withLegends(segments: NonNullable<ContextRead['base']>['segments']): readonly ToldSegment[] {
  const legends = legendsOf(segments)
  return segments.map((segment, place) =>
    legends[place]!.length === 0 ? segment : { ...segment, legend: legends[place]! },
  )
}

/**
 * The bytes of an entry itself. Each message counts as about three times its text: as read, as rendered, as
 * sent.
 */
const ENTRY_BYTES = 4_000
const COPIES = 3

/** Skips known messages: two calls may have read the same ones at once. */
function extend(kept: Kept, messages: readonly ContextMessage[]): void {
  const last = kept.messages.at(-1)?.seq ?? 0
  for (const message of messages) {
    if (message.seq <= last) continue
    kept.messages.push(message)
    kept.tokens += message.tokens
    kept.bytes += bytesOf(message) * COPIES
  }
}

function bytesOf({ content }: ContextMessage): number {
  return 300 + 2 * (typeof content === 'string' ? content.length : JSON.stringify(content).length)
}

function tokensOf(messages: readonly ContextMessage[]): number {
  return messages.reduce((sum, message) => sum + message.tokens, 0)
}

function toPinned(
  { id, seq, note, message }: ContextPin,
  kind: SessionRecord['kind'],
  language: Language,
): Pinned {
  const { sender = null, role } = message ?? {}
  const isNamed = message !== null && sender !== null && kind === 'group'
  const speaker = isNamed
    ? senderName(message, language)
    : inertName(sender?.name || sender?.id || role || '') || null
  return { id, seq, speaker, text: message === null ? (note ?? '') : modelText(message.content) }
}

/** A past moment, with what the turn that began then has said since. */
async function withSaid(moment: Looked, said: readonly Message[]): Promise<Looked> {
  const turn = moment.kept.messages.at(-1)?.turn ?? moment.session.head?.totals.turn ?? 0
  return { ...moment, added: [...(moment.added ?? []), ...(await asContextMessages(said, turn))] }
}

async function asContextMessages(
  messages: readonly Message[],
  turn: number,
): Promise<readonly ContextMessage[]> {
  const measured: ContextMessage[] = []
  for (const message of messages) {
    const { tokens } = await runInSlices(measureMessageInSteps(message))
    measured.push({ ...message, turn, tokens })
  }
  return measured
}

/**
 * If all later messages belong to the answer, the session as it is now shows it. `null`: other messages came
 * too.
 */
function uncut(
  looked: Looked,
  meant: Meant,
  { messages, place }: { readonly messages: readonly Answering[]; readonly place: number },
): Looked | null {
  const { after } = sinceAsked(messages, place, meant)
  const isAll = after.length === messages.length - place - 1
  return isAll ? { ...looked, asked: meant.seq } : null
}

/** The session through the message that is answered. Of the later messages, only those that belong there. */
function cutTo(
  looked: Looked,
  meant: Meant,
  {
    messages,
    place,
    raw,
  }: {
    readonly messages: readonly ContextMessage[]
    readonly place: number
    /** With the later messages. */
    readonly raw: ContextRead['raw']
  },
): Looked {
  const { session, kept } = looked
  const asked = messages[place]!
  const since = messages.slice(place + 1)
  const { before, after } = sinceAsked(messages, place, meant)
  const earlier = messages.slice(0, place)
  // Messages that belong together get one turn, so that a result is shown with its call.
  const ofTurn = (turn: number) => (message: ContextMessage) => ({ ...message, turn })
  const told = before.map(ofTurn(earlier.at(-1)?.turn ?? Math.max(0, asked.turn - 1)))
  return {
    ...looked,
    session: { ...session, head: session.head && { ...session.head, seq: asked.seq } },
    kept: { ...kept, messages: [...earlier, ...told, asked], interims: new Map() },
    raw: {
      messages: raw.messages - since.length + told.length,
      tokens: raw.tokens - tokensOf(since) + tokensOf(told),
    },
    added: after.map(ofTurn(asked.turn)),
    asked: asked.seq,
    ...(told.length > 0 && { settledBelow: asked.seq }),
  }
}

function withMore({ messages, tokens }: ContextRead['raw'], more: readonly ContextMessage[]) {
  return { messages: messages + more.length, tokens: tokens + tokensOf(more) }
}

/** What a call answers. If it answers the newest message: only which message waits for an answer. */
function meantBy(
  { throughSeq, alsoSeqs: also }: ContextOptions,
  asking: Asking | undefined,
  messages: readonly ContextMessage[],
): Meant | { readonly asked: number | null } {
  const { answers = [], own = null } = asking ?? {}
  const through = throughSeq ?? (answers.length > 0 ? Math.max(...answers) : null)
  if (through !== null) {
    const seq = also === undefined ? questionAt(messages, through) : through
    const seqs = [seq, ...answers.filter(each => each < seq)]
    return { seq, seqs, also, ...(seq !== through && { until: through }) }
  }
  const question = asking === undefined ? null : findQuestion(messages, own)
  if (question === null || question.isLast) return { asked: question?.seq ?? null }
  const { seq, until } = question
  return { seq, seqs: [seq], ...(until !== undefined && { until }) }
}

function asOfNow({ throughSeq: _, alsoSeqs: __, ...options }: ContextOptions): ContextOptions {
  return options
}

/** Where a policy lets the raw messages begin, but never after the message that is answered. */
function beginningOf(policy: Policy, { session, kept, added }: Looked): View['from'] {
  const from = rawBegins(policy, session.head!.totals)
  const turn = added === null ? undefined : kept.messages.at(-1)?.turn
  return from !== null && 'turn' in from && turn !== undefined && turn < from.turn ? { turn } : from
}

function sourceOf({ session, language, pins, raw, kept, added, settledBelow }: Looked): ContextSource {
  const { head } = session
  const read = asFreshlyRead(kept, head?.seq ?? 0)
  const since = added ?? []
  return {
    kind: session.kind,
    language,
    epoch: session.epoch,
    compactedThrough: kept.rawAfter,
    beginsAfter: session.beginsAfter,
    segments: kept.segments,
    pins,
    raw: {
      messages: raw.messages + since.length,
      tokens: raw.tokens + tokensOf(since),
    },
    messages: since.length === 0 ? read : [...read, ...since],
    isWhole: kept.isWhole && read.length === kept.messages.length,
    ...(settledBelow !== undefined && { settledBelow }),
  }
}

/**
 * Exactly the messages that a process with an empty memory would read. So a context does not depend on the
 * process that makes it, and messages that another call has read meanwhile are left out.
 */
function asFreshlyRead({ messages, asked, rawAfter }: Kept, headSeq: number): readonly ContextMessage[] {
  let end = messages.length
  while (end > 0 && messages[end - 1]!.seq > headSeq) end -= 1
  let first = end
  let left = asked.tokens
  while (first > 0 && left >= 0 && messages[first - 1]!.seq > rawAfter) left -= messages[--first]!.tokens
  // If all raw messages fit, those that were read below the cursor are part of it as well.
  const isCut = left < 0
  return messages.slice(isCut ? first : 0, end)
}

function keptRenderer(
  kept: Kept,
  { kind, language }: Pick<ContextSource, 'kind' | 'language'>,
  reasoning: 'drop' | 'keep',
): Renderer {
  const usual = `${reasoning} ${language}`
  return (message, clipTokens) => {
    const { seq, version, tokens } = message
    const rules = tokens <= clipTokens ? usual : `${usual} ${clipTokens}`
    let known = kept.rendered.get(rules)
    if (known === undefined) {
      // Few sizes are in use at one time. Messages that are not clipped are kept.
      if (kept.rendered.size >= MAX_CLIPPINGS)
        for (const other of kept.rendered.keys()) if (other !== usual) kept.rendered.delete(other)
      known = new Map()
      kept.rendered.set(rules, known)
    }
    const earlier = known.get(seq)
    const answered = message.answered && JSON.stringify(message.answered)
    if (earlier?.version === version && earlier.answered === answered) return earlier.message
    const rendered = renderMessage(message, { kind, reasoning, clipTokens, language })
    known.set(seq, { version, answered, message: rendered })
    return rendered
  }
}

function forgetBelow(rendered: Rendered, seq: number): void {
  for (const [rules, known] of rendered) {
    for (const each of known.keys()) if (each < seq) known.delete(each)
    if (known.size === 0) rendered.delete(rules)
  }
}

/** At least one message, so that something can be said. */
async function newestWithin(messages: readonly Message[], tokens: number): Promise<readonly Message[]> {
  let left = tokens
  let first = messages.length
  while (first > 0 && left > 0) {
    first -= 1
    left -= (await runInSlices(measureMessageInSteps(messages[first]!))).tokens
  }
  return messages.slice(first)
}

/**
 * Counts in the model's own tokens, if their relation to ours is known. The room for the reply is already in
 * those tokens.
 */
function toContext(
  parts: ContextParts,
  {
    budget,
    calibration,
    outputReserve,
    seen,
  }: { budget: number; calibration: Calibration; outputReserve: number; seen: SeenSession },
): Context {
  const reserve = { name: 'output_reserve' as const, tokens: outputReserve }
  const estimated = parts.report.blocks.map(({ name, tokens }) => ({
    name,
    tokens: applyCalibration(calibration, tokens),
  }))
  const blocks = [...estimated, ...(outputReserve > 0 ? [reserve] : [])].sort(inBlockOrder)
  const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0)
  const { report } = parts
  const { omitted, epoch, view, stableMessages, throughSeq, beginsAfter } = report
  const context = {
    ...parts,
    estimatedInputTokens: report.tokens,
    seen,
    report: {
      tokens,
      budget,
      blocks,
      get prefixHash() {
        return report.prefixHash
      },
      omitted,
      epoch,
      view,
      stableMessages,
      throughSeq,
      beginsAfter,
    },
  }
  return {
    ...context,
    toOpenAI: () => toOpenAI(context),
    toAnthropic: () => toAnthropic(context),
    toText: (options = {}) => toText(context, options),
  }
}

function inBlockOrder(one: { name: BlockName }, other: { name: BlockName }): number {
  return BLOCK_NAMES.indexOf(one.name) - BLOCK_NAMES.indexOf(other.name)
}

const CONTEXT = optionsOf<ContextOptions>({
  budget: true,
  model: true,
  instructions: true,
  tools: true,
  outputReserve: true,
  usualReserve: true,
  reasoning: true,
  query: true,
  policy: true,
  throughSeq: true,
  alsoSeqs: true,
  notes: true,
})

/**
 * Finds at run time what types find at compile time, for callers without types. Otherwise a misspelt option
 * would be lost.
 */
function checkContextOptions(options: ContextOptions): void {
  checkOptions('context', options, CONTEXT)
  const { budget, instructions, outputReserve, reasoning, model, throughSeq, alsoSeqs } = options
  if (budget !== undefined) checkPositive('budget', budget)
  if (instructions !== undefined && typeof instructions !== 'string')
    throw new InvalidArgumentError('instructions', instructions, 'text')
  if (model !== undefined && typeof model !== 'string')
    throw new InvalidArgumentError('model', model, 'the name of a model')
  if (reasoning !== undefined && reasoning !== 'drop' && reasoning !== 'keep')
    throw new InvalidArgumentError('reasoning', reasoning, 'drop, keep')
  if (outputReserve !== undefined && (!Number.isFinite(outputReserve) || outputReserve < 0))
    throw new InvalidArgumentError('outputReserve', outputReserve, 'a number of at least 0')
  checkThrough({ throughSeq, alsoSeqs })
}

const isSeq = (seq: unknown) => Number.isSafeInteger(seq) && (seq as number) > 0

export function checkThrough({
  throughSeq,
  alsoSeqs,
}: {
  readonly throughSeq?: unknown
  readonly alsoSeqs?: unknown
}): void {
  if (throughSeq !== undefined && !isSeq(throughSeq))
    throw new InvalidArgumentError('throughSeq', throughSeq, 'the seq of a message')
  if (alsoSeqs === undefined) return
  const isList = Array.isArray(alsoSeqs) && alsoSeqs.every(isSeq)
  if (!isList || throughSeq === undefined)
    throw new InvalidArgumentError('alsoSeqs', alsoSeqs, 'with throughSeq, a list of the seqs of messages')
}
