import { foldSession } from 'palimpsest/internals/compaction/fold-session'
import { handledTypes, MEMO_INSTRUCTIONS } from 'palimpsest/internals/compaction/index'
import { type Context, Contexts } from 'palimpsest/internals/contexts'
import type { NewMessage, Segment, SessionKind } from 'palimpsest/internals/log/index'
import { type Decision, judgeAll, type Policy } from 'palimpsest/internals/policy/index'
import { runInSlices } from 'palimpsest/internals/slices'
import type { FoldCommit } from 'palimpsest/internals/store/index'
import { extractive, type Summarizer } from 'palimpsest/internals/summarizer/index'
import { measureMessageInSteps } from 'palimpsest/internals/tokens/index'
import type { Bill, Break } from '../bill/bill.ts'
import { ExtractionCalls } from '../bill/extraction-calls.ts'
import { outputTokens } from '../bill/output-tokens.ts'
import { PromptCache } from '../bill/prompt-cache.ts'
import { RequestRow } from '../bill/request-row.ts'
import { SummarizerCalls } from '../bill/summarizer-calls.ts'
import type { Assumptions, ReplayFold } from '../comparison.ts'
import type { Prices } from '../prices/prices.ts'
import { asksAt } from './asks-at.ts'
import { MemorySession } from './memory-session.ts'
import { simulatedSummarizer } from './simulated-summarizer.ts'

/**
 * Called for each request for a reply: with the context that is sent, its time, and the size of the answer.
 */
export type OnRequest = (
  context: Context,
  request: { readonly at: number; readonly outputTokens: number },
) => void | Promise<void>

export interface ReplayedSessionOptions {
  readonly policy: Policy
  readonly kind: SessionKind
  readonly groupTurnMessages: number
  /** Types of decisions, beside lite and deep, that the caller's own policy returns. */
  readonly types: readonly string[]
  /** How many messages the conversations before this one had. */
  readonly messagesBefore: number
  readonly prices: Prices
  readonly summarizerPrices: Prices
  readonly assumptions: Assumptions
  readonly instructions: string
  readonly bill: Bill
  readonly onFold: (fold: ReplayFold) => void
  readonly onRequest?: OnRequest | undefined
}

/**
 * One conversation, run through the engine as it would have run. The only clock is the times of the messages.
 * Timers fire when they would have fired, and there is a request for each reply. A fold takes longer than a
 * request for a reply. So the work that a message sets off is done after the request that answers that
 * message.
 */
export class ReplayedSession {
  readonly #options: ReplayedSessionOptions
  readonly #session: MemorySession
  readonly #contexts: Contexts
  readonly #summarizer: Summarizer
  readonly #handlers: Readonly<Record<string, undefined>>
  readonly #requests: RequestRow
  readonly #cache: PromptCache
  readonly #extraction: ExtractionCalls
  /** Never goes back, even where the messages' times do. */
  #now = 0
  #dueAt: number | null = null
  #waits = false
  #foldedTokens = 0
  #foldsSinceRequest = 0
  #break: Break = CUT

  constructor(options: ReplayedSessionOptions) {
    const { policy, bill, assumptions, prices, summarizerPrices, instructions } = options
    this.#options = options
    this.#handlers = Object.fromEntries(options.types.map(type => [type, undefined]))
    this.#session = new MemorySession({
      ...options,
      onCommit: commit => this.#noteFold(commit),
    })
    const calls = new SummarizerCalls(bill, summarizerPrices, () => this.#now)
    this.#summarizer =
      assumptions.summarizer === 'extractive'
        ? extractive()
        : simulatedSummarizer({ ratio: assumptions.summaryRatio ?? 1, onCall: call => calls.add(call) })
    this.#contexts = new Contexts({
      store: this.#session,
      summarizer: this.#summarizer,
      policy,
      zone: 'UTC',
      clock: () => this.#now,
      onError: error => {
        throw error
      },
    })
    this.#requests = new RequestRow(instructions)
    this.#cache = new PromptCache(prices)
    this.#extraction = new ExtractionCalls(bill, summarizerPrices, assumptions.extraction)
  }

  get messages(): number {
    return this.#session.messages
  }

  /** The segments that stand in a context, oldest first. */
  get segments(): readonly Segment[] {
    return this.#session.segments
  }

  get tokens() {
    return { ...this.#session.tokens, folded: this.#foldedTokens }
  }

  /** As in the log, a message with a known external id adds nothing. The session is judged all the same. */
  async append(message: NewMessage): Promise<void> {
    if (this.#session.has(message)) return this.#judge()
    const arrival = Math.max(this.#now, message.at ?? this.#now)
    const size = await runInSlices(measureMessageInSteps(message))
    const { calls } = this.#options.assumptions
    const asked = asksAt(message, { calls, lastArrival: this.#now, arrival, messages: this.messages })
    if (asked?.as === 'answer') await this.#request(asked.at, outputTokens(message, size))
    await this.#foldWhatWaits()
    await this.#runTimers(arrival)
    if (asked?.as === 'unasked') await this.#request(asked.at, outputTokens(message, size))
    this.#now = arrival
    this.#session.append({ ...message, size }, arrival)
    await this.#judge()
    this.#extraction.note(this.#session.completeTurns, size.tokens, arrival)
    if (asked?.as === 'after') await this.#request(asked.at, 0)
  }

  /** Does what is left to do after the last message. */
  async end(): Promise<void> {
    await this.#foldWhatWaits()
  }

  async #judge(): Promise<void> {
    const { decision, dueAt } = await this.#verdict()
    this.#waits = decision !== null
    this.#dueAt = dueAt === null ? null : Math.max(this.#now + 1, dueAt)
  }

  async #verdict(): Promise<{ decision: Decision | null; dueAt: number | null }> {
    const { policy } = this.#options
    const verdict = this.#session.judgeNow(this.#now)
    if (policy.judges.length === 0 || verdict.snapshot === null) return verdict
    return { ...verdict, decision: await judgeAll(policy, verdict.snapshot, handledTypes(this.#handlers)) }
  }

  async #runTimers(until: number): Promise<void> {
    while (this.#dueAt !== null && this.#dueAt < until) {
      this.#now = this.#dueAt
      await this.#judge()
      await this.#foldWhatWaits()
    }
  }

  /** Judges again after each fold that moved something, until nothing is left to do. */
  async #foldWhatWaits(): Promise<void> {
    while (this.#waits) {
      const { outcome: ended } = await foldSession(
        {
          store: this.#session,
          namespace: this.#session.key.namespace,
          policy: this.#options.policy,
          summarizer: this.#summarizer,
          memo: { instructions: MEMO_INSTRUCTIONS },
          handlers: this.#handlers,
          zone: 'UTC',
          clock: () => this.#now,
          tracer: null,
          owner: 'replay',
          summarizerTimeoutMs: 600_000,
        },
        this.#session.key,
      )
      await this.#judge()
      if (ended.outcome !== 'applied') this.#waits = false
    }
  }

  #noteFold({ plan, head }: FoldCommit): void {
    const { decision, range } = plan
    const { type, reason, severity } = decision
    this.#options.onFold({
      at: head.totals.messages,
      fromSeq: range?.fromSeq ?? null,
      toSeq: range?.toSeq ?? null,
      type,
      reason,
      severity,
    })
    if (range === null) return
    this.#foldedTokens += range.amount.tokens
    this.#foldsSinceRequest += 1
    this.#break = { cause: 'fold', reason }
  }

  async #request(at: number, outputTokens: number): Promise<void> {
    const { instructions, bill, messagesBefore, onRequest } = this.#options
    const context = await this.#contexts.context(this.#session.key, { instructions })
    await onRequest?.(context, { at, outputTokens })
    const request = this.#requests.next(context, { at, outputTokens })
    bill.addReply(request, this.#cache.charge(request), {
      message: messagesBefore + this.messages,
      folds: this.#foldsSinceRequest,
      ifBroken: this.#break,
    })
    this.#foldsSinceRequest = 0
    this.#break = CUT
  }
}

/** Without a fold, the only cause is that the beginning was cut off for lack of room. */
const CUT: Break = { cause: 'cut', reason: null }
