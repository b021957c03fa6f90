import type { FoldPorts } from 'palimpsest/internals/compaction/index'
import { LANGUAGE_SAMPLE } from 'palimpsest/internals/language/index'
import {
  type Answered,
  completeTurns,
  contentLinks,
  headOf,
  isReplaceable,
  type Memo,
  mayAnswer,
  type NewMessage,
  nextTotals,
  quotationOf,
  quotedFrom,
  type Segment,
  type SessionKind,
} from 'palimpsest/internals/log/index'
import {
  asksForTail,
  countLargestTail,
  type FoldState,
  type Head,
  INITIAL_FOLD_STATE,
  measure,
  type Policy,
  type RawMessage,
  stateAfterFold,
  takeSnapshot,
  type Verdict,
  verdictAt,
} from 'palimpsest/internals/policy/index'
import type {
  ContextRead,
  ContextRequest,
  ContextStore,
  FoldCommit,
  FoldReceipt,
  FrozenLayers,
  LoggedMessage,
  MeasuredMessage,
  PlanPage,
  PlanSource,
  SessionKey,
  SessionRecord,
  SessionStore,
  SettingsStore,
} from 'palimpsest/internals/store/index'

interface Entry {
  readonly message: LoggedMessage
  readonly raw: RawMessage
}

const NOTHING_TO_JUDGE = { snapshot: null, decision: null, dueAt: null }
type EmptyVerdict = typeof NOTHING_TO_JUDGE

export interface MemorySessionOptions {
  readonly kind: SessionKind
  readonly groupTurnMessages: number
  readonly policy: Policy
  /** Called for each fold, and for each decision that moved nothing. */
  readonly onCommit: (commit: FoldCommit) => void
}

/** The session drops messages that it no longer needs, this many at a time. */
const FORGOTTEN_AT_A_TIME = 4_096

/**
 * One session in memory that only ever grows. It holds as much of a store as folds and contexts ask for, so
 * that the engine itself runs. A test compares its results with what SQLite makes of the same conversations.
 */
export class MemorySession implements FoldPorts {
  readonly key: SessionKey = { namespace: 'replay', id: 'replayed' }
  readonly #options: MemorySessionOptions
  readonly #externalIds = new Map<string, number>()
  /** The beginning of every message, for the messages that answer it. */
  readonly #said: Omit<Answered, 'seq'>[] = []
  #entries: Entry[] = []
  /** The `seq` of the first entry. */
  #firstSeq = 1
  #head: Head | null = null
  #state: FoldState = INITIAL_FOLD_STATE
  #epoch = 0
  #memo: Memo | null = null
  #shown: readonly Segment[] = []
  #lastSegmentId = 0
  #failures = 0
  #leaseToken = 0
  #layers: { readonly epoch: number; readonly layers: FrozenLayers } | null = null

  constructor(options: MemorySessionOptions) {
    this.#options = options
  }

  get messages(): number {
    return this.#head?.totals.messages ?? 0
  }

  get tokens(): { readonly log: number; readonly raw: number; readonly segments: number } {
    const log = this.#head?.totals.tokens ?? 0
    return { log, raw: log - this.#state.folded.tokens, segments: this.#state.segmentTokens }
  }

  get segments(): readonly Segment[] {
    return this.#shown
  }

  get completeTurns(): number {
    return this.#head === null ? 0 : completeTurns(this.#head.totals)
  }

  /** The log already holds a message with the same external id, so this one adds nothing. */
  has({ externalId }: NewMessage): boolean {
    return externalId !== null && this.#externalIds.has(externalId)
  }

  append({ size, ...message }: MeasuredMessage, now: number): void {
    const totals = nextTotals(this.#head?.totals ?? null, message, size, this.#options)
    const seq = (this.#head?.seq ?? 0) + 1
    this.#head = { seq, totals, appendedAt: now }
    const answered = this.#answeredBy(message, seq)
    if (message.externalId !== null) this.#externalIds.set(message.externalId, seq)
    this.#said.push({ role: message.role, sender: message.sender, ...beginningOf(message) })
    this.#entries.push({
      message: {
        ...message,
        ...(answered && { answered }),
        id: `${this.key.id}/${seq}`,
        seq,
        at: new Date(message.at ?? now),
        appendedAt: new Date(now),
        version: 1,
        archived: false,
        turn: totals.turn,
        tokens: size.tokens,
      },
      raw: { seq, turn: totals.turn, ...size, links: contentLinks(message.content) },
    })
  }

  #answeredBy(message: NewMessage, seq: number): Answered | null {
    const { replyTo } = message
    if (!mayAnswer(message)) return null
    const target = typeof replyTo === 'number' ? replyTo : this.#externalIds.get(replyTo!)
    const said = target === undefined || target >= seq - 1 ? undefined : this.#said[target - 1]
    return said ? { seq: target!, ...said, text: quotationOf({ content: said.text }) } : null
  }

  judgeNow(now: number): Verdict | EmptyVerdict {
    const { policy } = this.#options
    if (this.#head === null) return NOTHING_TO_JUDGE
    const figures = measure(this.#head, this.#state, now)
    const tailMessages = asksForTail(policy, figures)
      ? countLargestTail(policy.tails, this.#rawNewestFirst(), figures.fixedTokens)
      : null
    return verdictAt(now, policy, takeSnapshot(policy, figures, tailMessages))
  }

  readonly log: FoldPorts['log'] = {
    readMessages: async (_key, which) => {
      if ('seqs' in which) {
        const seqs = new Set(which.seqs)
        return this.#entries.map(({ message }) => message).filter(({ seq }) => seqs.has(seq))
      }
      const { after, before, limit, from } = which
      const entries = this.#between((after ?? 0) + 1, (before ?? Number.POSITIVE_INFINITY) - 1)
      const asked = from === 'oldest' ? entries.slice(0, limit) : entries.slice(-limit)
      return asked.map(({ message }) => message)
    },
  }

  readonly folds: FoldPorts['folds'] = {
    acquireLease: async (_key, { ttlMs, now, policy }) => {
      this.#leaseToken += 1
      return {
        token: this.#leaseToken,
        epoch: this.#epoch,
        until: now + ttlMs,
        settings: {},
        pending: null,
        judged: policy === undefined ? null : this.judgeNow(now),
      }
    },
    renewLease: async () => {},
    releaseLease: async () => {},
    readSegments: async () => this.#shown,
    readPlan: async (_key, page = {}) => this.#readPlan(page),
    commitFold: async commit => this.#commitFold(commit),
    failFold: async (_key, { backoffUntil }) => {
      this.#state = { ...this.#state, backoffUntil }
      this.#failures += 1
    },
  }

  readonly context: Pick<ContextStore, 'readContext' | 'freezeLayers'> = {
    readContext: async (_key, request) => this.#readContext(request),
    freezeLayers: async (_key, request) => this.#freezeLayers(request),
  }

  readonly sessions: Pick<SessionStore, 'recordMeasures'> = {
    recordMeasures: async (_key, { overheadTokens = this.#state.overheadTokens }) => {
      this.#state = { ...this.#state, overheadTokens }
    },
  }

  readonly settings: Pick<SettingsStore, 'readOwnSettings'> = { readOwnSettings: async () => ({}) }

  #readPlan(page: PlanPage): PlanSource {
    const { after = this.#state.compactedThrough, through = Number.POSITIVE_INFINITY, limit } = page
    const first = Math.max(after, this.#state.compactedThrough) + 1
    return {
      session: this.#record(),
      chapter: { afterSeq: 0, throughSeq: null },
      raw: this.#between(first, Math.min(through, first - 1 + (limit ?? this.messages))).map(
        ({ raw }) => raw,
      ),
    }
  }

  #readContext(request: ContextRequest): ContextRead {
    const { since, tokens } = request
    const { compactedThrough } = this.#state
    const isSame = since?.epoch === this.#epoch && since.seq >= compactedThrough
    if (isSame) {
      const added = this.#newest(since.seq, tokens)
      if (!added.isCut) return this.#contextRead(added.messages, { base: null, isWhole: false })
    }
    const { messages, isCut } = this.#newest(compactedThrough, tokens)
    return this.#contextRead(messages, {
      base: { segments: this.#shown },
      isWhole: compactedThrough === 0 && !isCut,
    })
  }

  /** A replay shows no memory layers. Only the language is frozen here. */
  #freezeLayers({
    days,
    language,
    isLanguageOpen = false,
    refresh,
  }: Parameters<ContextStore['freezeLayers']>[1]): { epoch: number; layers: FrozenLayers } {
    if (this.#layers?.epoch === this.#epoch && !refresh) return this.#layers
    if (refresh) this.#epoch += 1
    const layers = { days, language, ...(isLanguageOpen && { isLanguageOpen }), versions: [] }
    this.#layers = { epoch: this.#epoch, layers }
    return this.#layers
  }

  #commitFold(commit: FoldCommit): FoldReceipt {
    const segmentIds = this.#showSegments(commit)
    const segmentTokens = this.#shown.reduce((sum, segment) => sum + segment.tokensAfter, 0)
    const { plan, head, now } = commit
    this.#state = stateAfterFold(this.#state, plan, { head, at: now, segmentTokens })
    this.#memo = commit.memo
    this.#epoch += 1
    // A fold without the summariser does not show whether the summariser works again.
    if (plan.decision.meta['extractive'] !== true) this.#failures = 0
    this.#forget()
    this.#options.onCommit(commit)
    const judged = commit.policy?.judges.length === 0 ? this.judgeNow(now) : null
    return { segmentIds, epoch: this.#epoch, repeated: false, judged }
  }

  #record(): SessionRecord {
    const { id } = this.key
    const newest = this.#layers?.layers ?? null
    return {
      id,
      number: 1,
      kind: this.#options.kind,
      user: null,
      scope: null,
      createdAt: new Date(0),
      origin: null,
      settings: {},
      zone: null,
      language: newest === null || newest.isLanguageOpen ? null : newest.language,
      epoch: this.#epoch,
      firstEpoch: 0,
      state: this.#state,
      beginsAfter: 0,
      head: this.#head,
      lastMessageAt: this.#entries.at(-1)?.message.at ?? null,
      segments: this.#shown.length,
      segmentTokens: this.#state.segmentTokens,
      memo: this.#memo,
      pending: null,
      dueAt: null,
      leaseUntil: null,
      failures: this.#failures,
      calibrations: { learned: {}, inForce: {} },
      lastOutcome: null,
      layers: this.#layers?.epoch === this.#epoch ? newest : null,
      extractedThrough: 0,
    }
  }

  #contextRead(messages: readonly LoggedMessage[], read: Pick<ContextRead, 'base' | 'isWhole'>): ContextRead {
    const { compactedThrough: rawAfter, folded } = this.#state
    const raw = {
      messages: (this.#head?.totals.messages ?? 0) - folded.messages,
      tokens: (this.#head?.totals.tokens ?? 0) - folded.tokens,
    }
    return { session: this.#record(), pins: [], layers: [], corrected: [], messages, rawAfter, raw, ...read }
  }

  /**
   * The newest messages above the `seq` `after`, until their tokens exceed `tokens`. The message that exceeds
   * it is included.
   */
  #newest(after: number, tokens: number): { messages: readonly LoggedMessage[]; isCut: boolean } {
    const last = this.#entries.length
    let first = last
    let left = tokens
    while (first > 0 && left >= 0 && this.#firstSeq + first - 1 > after)
      left -= this.#entries[--first]!.message.tokens
    return { messages: this.#entries.slice(first, last).map(({ message }) => message), isCut: left < 0 }
  }

  #between(fromSeq: number, toSeq: number): readonly Entry[] {
    const first = Math.max(0, fromSeq - this.#firstSeq)
    return this.#entries.slice(first, Math.max(first, toSeq + 1 - this.#firstSeq))
  }

  /**
   * Makes no copy: the tail is short, but the backlog may be long, and each tail of a policy reads it again.
   */
  #rawNewestFirst(): Iterable<RawMessage> {
    const entries = this.#entries
    const first = this.#state.compactedThrough + 1 - this.#firstSeq
    return {
      *[Symbol.iterator]() {
        for (let index = entries.length - 1; index >= first; index--) yield entries[index]!.raw
      },
    }
  }

  /** A new segment replaces the segments that it absorbs. */
  #showSegments({ segments, now }: FoldCommit): readonly number[] {
    const ids: number[] = []
    const shown = new Map(this.#shown.map(segment => [segment.id, segment]))
    for (const { absorbs, people, ...segment } of segments) {
      const id = this.#lastSegmentId + 1
      this.#lastSegmentId = id
      ids.push(id)
      for (const absorbed of absorbs) shown.delete(absorbed < 0 ? ids[-absorbed - 1]! : absorbed)
      shown.set(id, {
        ...segment,
        ...(people?.length && { people }),
        ...{ id, rolledInto: null, createdAt: new Date(now) },
      })
    }
    this.#shown = [...shown.values()].sort((one, other) => one.fromSeq - other.fromSeq)
    return ids
  }

  /**
   * Drops the messages that are folded, that the memo knows and that no fold will replace: the engine no
   * longer asks for them.
   */
  #forget(): void {
    const replaceable = this.#shown.find(isReplaceable)
    const through = Math.min(
      this.#state.compactedThrough,
      this.#memo?.throughSeq ?? 0,
      (replaceable?.fromSeq ?? Number.POSITIVE_INFINITY) - 1,
      this.messages - LANGUAGE_SAMPLE,
    )
    const forgotten = through + 1 - this.#firstSeq
    if (forgotten < FORGOTTEN_AT_A_TIME) return
    this.#entries = this.#entries.slice(forgotten)
    this.#firstSeq += forgotten
  }
}

const BEGINNING_CHARACTERS = 500

function beginningOf({ content }: NewMessage): Pick<Answered, 'text' | 'origin'> {
  return typeof content === 'string'
    ? { text: headOf(content, BEGINNING_CHARACTERS) }
    : quotedFrom({ content })
}
