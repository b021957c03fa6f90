import {
  contentLinks,
  GROUP_TURN_MESSAGES,
  type MessageInput,
  type NewMessage,
  nextTotals,
  normalizeMessage,
  type SessionKind,
  type Totals,
} from '../log/index.ts'
import {
  asksForTail,
  BUILT_IN_TYPES,
  countLargestTail,
  type Decision,
  type FoldState,
  type Head,
  INITIAL_FOLD_STATE,
  judge,
  judgeAll,
  measure,
  type Policy,
  planFold,
  type RawMessage,
  type SegmentLimits,
  type Snapshot,
  secondsUntilDue,
  segmentLimits,
  stateAfterFold,
  summaryTokens,
  takeSnapshot,
} from '../policy/index.ts'
import { measureMessage } from '../tokens/index.ts'

export interface ReplayFold {
  /** How many messages were in the log when it was decided. */
  readonly at: number
  /** `null`: all lay in the tail, so nothing moved. */
  readonly fromSeq: number | null
  readonly toSeq: number | null
  readonly type: string
  readonly reason: string
  readonly severity: number
}

export interface ReplayResult {
  readonly messages: number
  readonly folds: readonly ReplayFold[]
  readonly tokens: {
    /** All messages together. */
    readonly log: number
    /** Raw at the end. */
    readonly raw: number
    /** Given to the summariser, over all folds. */
    readonly folded: number
    /** Of the segments at the end, as assumed. */
    readonly segments: number
    /** Of the context after each message: segments and raw messages, without instructions and tools. */
    readonly meanContext: number
    readonly peakContext: number
  }
}

export interface ReplayOptions {
  readonly policy: Policy
  readonly kind?: SessionKind
  readonly groupTurnMessages?: number
  /** Types of decisions beside lite and deep that a policy of your own returns. */
  readonly types?: readonly string[]
}

/**
 * Runs a conversation through a policy: no model, no store, no clock but the messages' own times. A fold
 * takes effect at once. Timers fire between messages as they would have.
 */
export async function replay(
  messages: Iterable<MessageInput> | AsyncIterable<MessageInput>,
  options: ReplayOptions,
): Promise<ReplayResult> {
  const run = new Replay(options)
  for await (const input of messages) await run.append(normalizeMessage(input, { zone: 'UTC' }))
  return run.result()
}

export class Replay {
  readonly #policy: Policy
  readonly #types: readonly string[]
  readonly #limits: SegmentLimits
  readonly #rules: { kind: SessionKind; groupTurnMessages: number }
  readonly #seen = new Set<string>()
  readonly #folds: ReplayFold[] = []
  #raw: RawMessage[] = []
  #state: FoldState = INITIAL_FOLD_STATE
  #head: Head | null = null
  /** Never goes back, whatever the messages' times say. */
  #now = 0
  #dueAt: number | null = null
  #folded = 0
  #contextSum = 0
  #peakContext = 0

  constructor({
    policy,
    kind = 'private',
    groupTurnMessages = GROUP_TURN_MESSAGES,
    types = [],
  }: ReplayOptions) {
    this.#policy = policy
    this.#types = [...BUILT_IN_TYPES, ...types]
    this.#rules = { kind, groupTurnMessages }
    this.#limits = segmentLimits(policy)
  }

  /** A message whose external id was there before adds nothing, as in the log. */
  async append(message: NewMessage): Promise<void> {
    if (message.externalId !== null) {
      if (this.#seen.has(message.externalId)) return
      this.#seen.add(message.externalId)
    }
    const arrival = Math.max(this.#now, message.at ?? this.#now)
    while (this.#dueAt !== null && this.#dueAt < arrival) await this.#judgeAt(this.#dueAt)
    this.#add(message, arrival)
    await this.#judgeAt(arrival)
    const context = this.#contextTokens()
    this.#contextSum += context
    this.#peakContext = Math.max(this.#peakContext, context)
  }

  result(): ReplayResult {
    const { messages = 0, tokens = 0 } = this.#head?.totals ?? {}
    return {
      messages,
      folds: this.#folds,
      tokens: {
        log: tokens,
        raw: tokens - this.#state.folded.tokens,
        folded: this.#folded,
        segments: this.#state.segmentTokens,
        meanContext: messages === 0 ? 0 : Math.round(this.#contextSum / messages),
        peakContext: this.#peakContext,
      },
    }
  }

  #add(message: NewMessage, arrival: number): void {
    const size = measureMessage(message)
    const previous: Totals | null = this.#head?.totals ?? null
    const totals = nextTotals(previous, message, size, this.#rules)
    const seq = (this.#head?.seq ?? 0) + 1
    this.#head = { seq, totals, appendedAt: arrival }
    this.#raw.push({ seq, turn: totals.turn, ...size, links: contentLinks(message.content) })
  }

  /** Judges again after each fold, until there is no more to do. */
  async #judgeAt(now: number): Promise<void> {
    this.#now = now
    let snapshot = this.#snapshot()
    for (let decision = await this.#decide(snapshot); decision; decision = await this.#decide(snapshot)) {
      const moved = this.#fold(decision, snapshot)
      snapshot = this.#snapshot()
      if (!moved) break
    }
    const seconds = secondsUntilDue(this.#policy, snapshot)
    this.#dueAt = seconds === null ? null : now + Math.max(1, Math.ceil(seconds * 1000))
  }

  #decide(snapshot: Snapshot): Decision | null | Promise<Decision | null> {
    if (this.#policy.judges.length === 0) return judge(this.#policy, snapshot)
    return judgeAll(this.#policy, snapshot, this.#types)
  }

  #snapshot(): Snapshot {
    const policy = this.#policy
    const figures = measure(this.#head!, this.#state, this.#now)
    const tailMessages = asksForTail(policy, figures)
      ? countLargestTail(policy.tails, newestFirst(this.#raw), figures.fixedTokens)
      : null
    return takeSnapshot(policy, figures, tailMessages)
  }

  #fold(decision: Decision, snapshot: Snapshot): boolean {
    const head = this.#head!
    const plan = planFold({
      policy: this.#policy,
      decision,
      raw: this.#raw,
      lastTurnComplete: head.totals.complete,
      snapshot,
    })
    const { range } = plan
    this.#folds.push({
      at: head.totals.messages,
      fromSeq: range?.fromSeq ?? null,
      toSeq: range?.toSeq ?? null,
      type: decision.type,
      reason: decision.reason,
      severity: decision.severity,
    })
    const segmentTokens = this.#state.segmentTokens + (range ? this.#summaryTokens(range.amount.tokens) : 0)
    this.#state = stateAfterFold(this.#state, plan, {
      head,
      at: this.#now,
      segmentTokens: Math.min(this.#limits.totalTokens, segmentTokens),
    })
    if (range === null) return false
    this.#folded += range.amount.tokens
    this.#raw = this.#raw.slice(range.amount.messages)
    return true
  }

  /** A summary is assumed to take all that it may. */
  #summaryTokens(source: number): number {
    return source < this.#limits.verbatimBelowTokens ? source : summaryTokens(source, this.#limits)
  }

  #contextTokens(): number {
    return this.#state.segmentTokens + this.#head!.totals.tokens - this.#state.folded.tokens
  }
}

/** Without a copy: the tail is short, the backlog may be long. */
function newestFirst(raw: readonly RawMessage[]): Iterable<RawMessage> {
  return {
    *[Symbol.iterator]() {
      for (let index = raw.length - 1; index >= 0; index--) yield raw[index]!
    },
  }
}
