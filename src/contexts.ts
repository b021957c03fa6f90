import {
  type Assembled,
  assembleContext,
  type Beginning,
  type ContextMessage,
  type ContextParts,
  type ContextSource,
  fixedPart,
  type InterimPlan,
  type InterimPoints,
  type Pinned,
  planContext,
  type RenderedMessage,
  type Renderer,
  renderMessage,
  toAnthropic,
  toOpenAI,
  toText,
  type View,
} from './context/index.ts'
import { checkPositive, InvalidArgumentError, SessionNotFoundError } from './errors.ts'
import { type Message, modelText } from './log/index.ts'
import { contextBudget, type Policy, rawBegins } from './policy/index.ts'
import type { ContextPin, ContextRead, SessionKey, SessionRecord, Store } from './store/index.ts'
import type { Prefix, Summarizer } from './summarizer/index.ts'
import { type Calibration, estimateTokens, initialCalibration, measureMessage } from './tokens/index.ts'

export interface ContextOptions {
  /** Tokens of the whole context, instructions, tools and output reserve included. The default: the policy's. */
  readonly budget?: number
  /** By whose token counts the budget is meant; see `observeUsage`. */
  readonly model?: string
  readonly instructions?: string
  /** The tools as they go to the model; only their size matters here. */
  readonly tools?: unknown
  /** Tokens that are kept free for the reply. */
  readonly outputReserve?: number
  /** `drop` (the default): another model cannot read them. Kept, they are kept whole. */
  readonly reasoning?: 'drop' | 'keep'
  /** Shows the session as though it were folded by this policy. Stores nothing. */
  readonly policy?: Policy
}

/** What the model is given for one call, in the shapes that libraries and providers take. */
export interface Context extends ContextParts {
  /** As `estimateTokens` counts, without the output reserve: what a provider's own figure is compared with. */
  readonly estimatedInputTokens: number
  /** For chat completions. */
  toOpenAI(): ReturnType<typeof toOpenAI>
  /** For the Messages API, with its cache breakpoints. */
  toAnthropic(): ReturnType<typeof toAnthropic>
  /** As one text; `limit`: at most so many characters. */
  toText(options?: { limit?: number }): string
}

/** Where a policy has no budget: what the usual models take. */
const USUAL_BUDGET = 128_000
const USUAL_LOW_WATER = 0.5
/** What is read beyond the budget, so that old tool results can make room first. */
const READ_SHARE = 2
/** The main points of messages that no fold has reached are taken from so many of their tokens. */
const MOST_INTERIM_TOKENS = 16_000
const MOST_INTERIM_MESSAGES = 300
/** What is kept in memory of all sessions together: some 50 MB. */
const MOST_KEPT_TOKENS = 6_000_000

const MOST_REMEMBERED = 10_000

/** What was read and rendered for the last context of a session and a size, so that the next costs one message. */
interface Kept {
  readonly epoch: number
  readonly segments: NonNullable<ContextRead['base']>['segments']
  readonly pins: readonly Pinned[]
  readonly messages: ContextMessage[]
  readonly isWhole: boolean
  tokens: number
  readonly rendered: Map<string, Map<number, RenderedMessage>>
  readonly interims: Map<string, InterimPoints>
  beginning: Beginning | undefined
}

interface ContextEngine {
  readonly store: Store
  readonly summarizer: Pick<Summarizer, 'reusesPrefix'>
  readonly policy: Policy
  readonly zone: string
}

/** Reads sessions for contexts and remembers what it read. It decides nothing: `context/` does. */
export class Contexts {
  readonly #engine: ContextEngine
  /** The one that was used last is last. */
  readonly #kept = new Map<string, Kept>()
  #keptTokens = 0
  /** What each session's last context was asked with, for a summariser that reuses it. */
  readonly #last = new Map<string, ContextOptions>()

  constructor(engine: ContextEngine) {
    this.#engine = engine
  }

  async context(key: SessionKey, options: ContextOptions = {}): Promise<Context> {
    checkContextOptions(options)
    const { assembled, budget, ratio } = await this.#compute(key, options)
    if (this.#engine.summarizer.reusesPrefix) this.#remember(key, options)
    return toContext(assembled.parts, { budget, ratio })
  }

  /**
   * What the last context of a session was sent as, through the end of a range. `null`: this process made
   * none, or not one that shows the whole range.
   */
  async prefixOf(key: SessionKey, range: { fromSeq: number; toSeq: number }): Promise<Prefix | null> {
    const options = this.#last.get(JSON.stringify([key.namespace, key.id]))
    if (options === undefined) return null
    const { parts, seqs } = (await this.#compute(key, options)).assembled
    const first = parts.sessionMemory === null ? 0 : 1
    const end = seqs.findIndex((seq, index) => index >= first && seq > range.toSeq)
    const messages = parts.messages.slice(0, end === -1 ? parts.messages.length : end)
    const isWhole =
      (seqs[first] ?? Infinity) <= range.fromSeq && messages.length <= parts.report.stableMessages
    return isWhole ? { instructions: parts.instructions, messages } : null
  }

  #remember(key: SessionKey, options: ContextOptions): void {
    const name = JSON.stringify([key.namespace, key.id])
    this.#last.delete(name)
    this.#last.set(name, options)
    const [oldest] = this.#last.keys()
    if (this.#last.size > MOST_REMEMBERED && oldest !== undefined) this.#last.delete(oldest)
  }

  async #compute(key: SessionKey, options: ContextOptions) {
    const policy = options.policy ?? this.#engine.policy
    const configured = contextBudget(policy)
    const budget = options.budget ?? configured?.tokens ?? USUAL_BUDGET
    const unfolds = configured !== null && budget > configured.tokens
    const asked = {
      tokens: budget * READ_SHARE,
      archivedTokens: unfolds || options.policy ? budget : 0,
    }
    const { session, kept } = await this.#read(key, asked)
    const ratio = ratioOf(session, options.model)
    const view: View = {
      budget: ratio === 1 ? budget : Math.floor((budget - BLOCK_ROUNDING_TOKENS) / ratio),
      lowWater: configured?.lowWater ?? USUAL_LOW_WATER,
      instructions: options.instructions ?? '',
      layers: [],
      toolTokens: toolTokens(options.tools),
      outputReserve: options.outputReserve ?? 0,
      reasoning: options.reasoning ?? 'drop',
      mostMessages: policy.contextMessages,
      from: options.policy && session.head ? rawBegins(policy, session.head.totals) : null,
      unfolds,
    }
    if (isConfigured(options)) await this.#recordOverhead(key, session, view)
    const assembled = await this.#assemble(key, { source: sourceOf(session, kept), view, kept })
    kept.beginning = assembled.beginning
    return { assembled, budget, ratio }
  }

  async #read(key: SessionKey, asked: { tokens: number; archivedTokens: number }) {
    const { store } = this.#engine
    const name = JSON.stringify([key.namespace, key.id, asked.tokens, asked.archivedTokens])
    const earlier = this.#kept.get(name)
    const since = earlier && { epoch: earlier.epoch, seq: earlier.messages.at(-1)?.seq ?? 0 }
    const isFull = earlier !== undefined && earlier.tokens > 2 * (asked.tokens + asked.archivedTokens)
    const read = await store.readContext(key, { ...asked, ...(since && !isFull && { since }) })
    if (read === null) throw new SessionNotFoundError(key.id)
    const kept = read.base === null && earlier ? extended(earlier, read) : newlyKept(read)
    this.#keep(name, kept)
    return { session: read.session, kept }
  }

  #keep(name: string, kept: Kept): void {
    this.#keptTokens += kept.tokens - (this.#kept.get(name)?.tokens ?? 0)
    this.#kept.delete(name)
    this.#kept.set(name, kept)
    for (const [oldest, { tokens }] of this.#kept) {
      if (this.#keptTokens <= MOST_KEPT_TOKENS || oldest === name) return
      this.#kept.delete(oldest)
      this.#keptTokens -= tokens
    }
  }

  async #recordOverhead(key: SessionKey, session: SessionRecord, view: View): Promise<void> {
    const { tokens } = fixedPart(view)
    if (tokens !== session.state.overheadTokens) await this.#engine.store.recordOverhead(key, tokens)
  }

  async #assemble(
    key: SessionKey,
    { source, view, kept }: { source: ContextSource; view: View; kept: Kept },
  ): Promise<Assembled> {
    const plan = planContext(source, view, keptRenderer(kept, source.kind, view.reasoning))
    const interim = plan.interim && (await this.#interimPoints(key, plan.interim, kept))
    return assembleContext({ source, view, plan }, { interim, earlier: kept.beginning })
  }

  /** In the words of those who said it: no model is asked on the way to one. */
  async #interimPoints(key: SessionKey, plan: InterimPlan, { interims }: Kept): Promise<InterimPoints> {
    const name = `${plan.fromSeq}-${plan.toSeq}:${plan.tokens}`
    const known = interims.get(name)
    if (known !== undefined) return known
    const { store, zone } = this.#engine
    const newest = await store.readMessages(key, {
      after: plan.fromSeq - 1,
      before: plan.toSeq + 1,
      limit: MOST_INTERIM_MESSAGES,
      from: 'newest',
    })
    const messages = newestWithin(newest, MOST_INTERIM_TOKENS)
    const { extractive } = await import('./summarizer/index.ts')
    const { text } = await extractive().summarize({
      messages,
      earlier: null,
      budgetTokens: plan.tokens,
      detailTokens: 0,
      zone,
    })
    const points = { text, messages: messages.length }
    interims.clear()
    interims.set(name, points)
    return points
  }
}

/** Rounding each block up may add one to each. */
const BLOCK_ROUNDING_TOKENS = 16

function ratioOf({ calibrations }: SessionRecord, model: string | undefined): number {
  const calibration =
    model === undefined ? undefined : (calibrations.inForce[model] as Calibration | undefined)
  return (calibration ?? initialCalibration).ratio
}

/** The call that folds are made for: anything else is a view. */
function isConfigured({ budget, policy, instructions, tools, outputReserve }: ContextOptions): boolean {
  if (budget !== undefined || policy !== undefined) return false
  return instructions !== undefined || tools !== undefined || outputReserve !== undefined
}

function toolTokens(tools: unknown): number {
  return tools === undefined || tools === null ? 0 : estimateTokens(JSON.stringify(tools) ?? '')
}

function newlyKept({ session, base, messages, isWhole }: ContextRead): Kept {
  return {
    epoch: session.epoch,
    segments: base?.segments ?? [],
    pins: base?.pins.map(toPinned) ?? [],
    messages: [...messages],
    isWhole,
    tokens: tokensOf(messages),
    rendered: new Map(),
    interims: new Map(),
    beginning: undefined,
  }
}

/** Two calls may have read the same messages at once. */
function extended(kept: Kept, { messages }: ContextRead): Kept {
  const last = kept.messages.at(-1)?.seq ?? 0
  const added = messages.filter(message => message.seq > last)
  kept.messages.push(...added)
  return { ...kept, tokens: kept.tokens + tokensOf(added) }
}

function tokensOf(messages: readonly ContextMessage[]): number {
  return messages.reduce((sum, message) => sum + message.tokens, 0)
}

function toPinned({ id, seq, note, message }: ContextPin): Pinned {
  const speaker = message === null ? null : (message.sender?.name ?? message.sender?.id ?? message.role)
  return { id, seq, speaker, text: message === null ? (note ?? '') : modelText(message.content) }
}

function sourceOf(session: SessionRecord, kept: Kept): ContextSource {
  const { head, state } = session
  return {
    kind: session.kind,
    epoch: session.epoch,
    compactedThrough: state.compactedThrough,
    segments: kept.segments,
    pins: kept.pins,
    raw: {
      messages: (head?.totals.messages ?? 0) - state.folded.messages,
      tokens: (head?.totals.tokens ?? 0) - state.folded.tokens,
    },
    messages: upTo(kept.messages, head?.seq ?? 0),
    isWhole: kept.isWhole,
  }
}

/** Another call may have read further meanwhile; this one is of its own instant. */
function upTo(messages: readonly ContextMessage[], seq: number): readonly ContextMessage[] {
  const isCurrent = (messages.at(-1)?.seq ?? 0) <= seq
  return isCurrent ? messages : messages.filter(message => message.seq <= seq)
}

function keptRenderer(kept: Kept, kind: SessionRecord['kind'], reasoning: 'drop' | 'keep'): Renderer {
  return (message, clipTokens) => {
    const rules = `${clipTokens} ${reasoning}`
    let known = kept.rendered.get(rules)
    if (known === undefined) {
      // Few sizes are in use at a time.
      if (kept.rendered.size >= 4) kept.rendered.clear()
      known = new Map()
      kept.rendered.set(rules, known)
    }
    let rendered = known.get(message.seq)
    if (rendered === undefined) {
      rendered = renderMessage(message, { kind, reasoning, clipTokens })
      known.set(message.seq, rendered)
    }
    return rendered
  }
}

/** At least one, so that something can be said of them. */
function newestWithin(messages: readonly Message[], tokens: number): readonly Message[] {
  let left = tokens
  let first = messages.length
  while (first > 0 && left > 0) left -= measureMessage(messages[--first]!).tokens
  return messages.slice(first)
}

/** In the model's own tokens, where it is known how they relate to ours. */
function toContext(parts: ContextParts, { budget, ratio }: { budget: number; ratio: number }): Context {
  const blocks = parts.report.blocks.map(({ name, tokens }) => ({ name, tokens: Math.ceil(tokens * ratio) }))
  const tokens = blocks.reduce((sum, block) => sum + block.tokens, 0)
  const reserve = parts.report.blocks.find(({ name }) => name === 'output_reserve')?.tokens ?? 0
  const estimatedInputTokens = parts.report.tokens - reserve
  const context = { ...parts, estimatedInputTokens, report: { ...parts.report, budget, tokens, blocks } }
  return {
    ...context,
    toOpenAI: () => toOpenAI(context),
    toAnthropic: () => toAnthropic(context),
    toText: (options = {}) => toText(context, options),
  }
}

function checkContextOptions(options: ContextOptions): void {
  const { budget, instructions, outputReserve, reasoning, model } = options
  if (budget !== undefined) checkPositive('budget', budget)
  if (instructions !== undefined && typeof instructions !== 'string')
    throw new InvalidArgumentError('instructions', instructions, 'text')
  if (model !== undefined && typeof model !== 'string')
    throw new InvalidArgumentError('model', model, 'the name of a model')
  if (reasoning !== undefined && reasoning !== 'drop' && reasoning !== 'keep')
    throw new InvalidArgumentError('reasoning', reasoning, 'drop, keep')
  if (outputReserve !== undefined && (!Number.isFinite(outputReserve) || outputReserve < 0))
    throw new InvalidArgumentError('outputReserve', outputReserve, 'a number of at least 0')
}
