import { answerApproval, MAX_APPROVALS_BACK } from './answer-approval.ts'
import { callListener } from './call-listener.ts'
import {
  endOutcomes,
  type FoldEngine,
  type FoldOptions,
  type FoldOutcome,
  type FoldScheduler,
  isWindowHandler,
  joinOutcomes,
  judgeWithOwn,
  type ManualFolds,
  type PolicyFailures,
  planNext,
  reachesFoldLimit,
  sessionPolicies,
} from './compaction/index.ts'
import type { Context, ContextOptions, Contexts } from './contexts.ts'
import {
  checkPositive,
  ErasedMeanwhileError,
  InvalidArgumentError,
  InvalidMessageError,
  SessionNotFoundError,
} from './errors.ts'
import type { Expanded, ExpandOptions, Indexer, SearchAnswer, SearchOptions } from './finding/index.ts'
import { SEARCH } from './finding/search-options.ts'
import { FOLD_ID_RULE, type FoldRecord, readFoldId, toFoldRecord } from './fold-record.ts'
import type { InTurn } from './in-turn.ts'
import { checkOptions, optionsOf } from './known-options.ts'
import { decideLanguage, type Language, type LanguageSetting } from './language/index.ts'
import {
  type ApprovalDecision,
  type Content,
  isNewId,
  isToCome,
  type Message,
  type MessageInput,
  NEW_ID_RULE,
  type NewMessage,
  normalizeContent,
  normalizeMessage,
  type Pin,
  type Segment,
} from './log/index.ts'
import type { ExtractionEngine, ExtractionScheduler, MemoryTools } from './memory/index.ts'
import { Memories } from './memory/memories.ts'
import { MemoryDocument } from './memory/memory-document.ts'
import {
  type Decision,
  type FoldPlan,
  type Force,
  forcedDecision,
  type Policy,
  rebuildDelay,
  type Snapshot,
  segmentLimits,
} from './policy/index.ts'
import { beginSaying, type NoteSaid, saidHere, saidHereIn, sayingWithin } from './said-here.ts'
import { MAX_AT_ONCE, runInSlices } from './slices.ts'
import {
  type Answers,
  type AppendReceipt,
  type AppendRequest,
  type AssignableTrait,
  type Awaits,
  type Beginning,
  type BegunAnew,
  type ExpectedMessage,
  type GivenTraits,
  type GrowthPoint,
  keyName,
  type MeasuredMessage,
  type MessageVersion,
  operationOf,
  type SeenSession,
  type SessionFile,
  type SessionKey,
  type SessionRecord,
  type SessionTraits,
  seenOf,
  type WaitingEntry,
} from './store/index.ts'
import { traced } from './telemetry.ts'
import {
  type Calibrations,
  estimateTokensInSteps,
  measureMessage,
  measureMessageInSteps,
  observeUsage,
} from './tokens/index.ts'
import type { ApprovalClaims, Turn, TurnOptions } from './turn/index.ts'

/** What all sessions of an instance share. */
export interface Engine extends FoldEngine, ExtractionEngine {
  /** `null`: this process folds nothing in the background. */
  readonly scheduler: FoldScheduler | null
  readonly manualFolds: ManualFolds
  /** A long text is measured in slices. Later calls of the same session do not overtake it. */
  readonly writes: InTurn
  /** `null`: this process extracts nothing in the background. */
  readonly extractions: ExtractionScheduler | null
  readonly contexts: Contexts
  readonly recall: NonNullable<ConstructorParameters<typeof Contexts>[0]['recall']>
  /** `null`: this process indexes nothing. */
  readonly indexer: Indexer | null
  /** Tells the listeners how a fold of this process ended. */
  readonly noteOutcome: (outcome: FoldOutcome, key: SessionKey) => void
  /** The types of decisions that have a handler. */
  readonly types: readonly string[]
  readonly groupTurnMessages: number
  readonly onAppend: ((appended: Appended, details: { readonly sessionId: string }) => void) | undefined
  readonly onError: (error: unknown, details: { readonly sessionId: string }) => void
  readonly policyTimeoutMs: number
  readonly policyFailures: PolicyFailures
}

export interface Appended {
  readonly messages: readonly {
    readonly id: string
    readonly seq: number
    readonly duplicate: boolean
    /**
     * A repeat of a message that was taken back or erased. It stays hidden. Left out: the message can be
     * seen.
     */
    readonly hidden?: true
  }[]
  /** The decision of the policy. The fold itself happens in the background. */
  readonly decision: Decision | null
  /**
   * The traits that you gave and that the session does not have; `assign()` sets them. Left out: there are
   * none.
   */
  readonly unassigned?: readonly AssignableTrait[]
}

/** What `session.assign()` takes: at least one of them. */
export interface Assigning {
  /** The user of the chat. */
  readonly user?: string
  /** The workspace or project of the session. */
  readonly scope?: string
}

export interface SessionInfo {
  readonly id: string
  readonly kind: SessionTraits['kind']
  readonly user: string | null
  readonly scope: string | null
  readonly createdAt: Date
  readonly origin: SessionRecord['origin']
  readonly epoch: number
  readonly messages: number
  readonly rawMessages: number
  readonly rawTokens: number
  /** The instant of the newest message. `null`: the session is empty. */
  readonly lastMessageAt: Date | null
  /** The segments that contexts may show. Those before a new beginning are left out. */
  readonly segments: number
  readonly segmentTokens: number
  readonly turns: number
  /**
   * Contexts begin after this message, because a new beginning was made there. `null`: they begin with the
   * first message.
   */
  readonly beginsAfter: number | null
  readonly compactedThrough: number
  readonly compactedThroughTurn: number
  readonly lastFoldAt: Date | null
  readonly folding: boolean
  readonly pending: boolean
  readonly memo: Readonly<Record<string, unknown>> | null
  readonly lastOutcome: SessionRecord['lastOutcome']
}

export interface AppendOptions {
  /** The policy for this append alone. */
  readonly policy?: Policy
  /**
   * The messages wait for an answer, also after a restart, until one is stored with `answers`, or until they
   * are settled.
   */
  readonly awaits?: Awaits
  /**
   * The waiting messages that this append answers. If one of them does not wait, it is a `NotWaitingError`.
   */
  readonly answers?: Answers
  /**
   * What was seen in the context that this answers. If some of it was erased since, it is an
   * `ErasedMeanwhileError`.
   */
  readonly seen?: SeenSession
  /** The messages that this follows. If one of them was taken back since, it is a `TakenBackError`. */
  readonly follows?: readonly number[]
}

export interface MemoryToolsOptions {
  /**
   * The messages, by `seq`, that are answered with these tools. In a group, their senders decide whether the
   * model may write memory that every user sees. Left out: the newest message of a person.
   */
  readonly answers?: readonly number[]
}

export interface ReadOptions {
  readonly after?: number
  readonly before?: number
  /** Default: 100. */
  readonly limit?: number
  /** The end to begin at. The result is in ascending order in both cases. Default: oldest. */
  readonly from?: 'oldest' | 'newest'
  /** Adds what each message answers, unless it answers the one right before it. Default: false. */
  readonly answered?: boolean
}

export interface TailOptions {
  /**
   * The content of the newest messages, oldest first: these are taken back. `everything`: all messages are
   * taken back, whatever they say. Left out: none is taken back.
   */
  readonly expected?: readonly ExpectedMessage[] | 'everything'
  /** The same id for the same change. A change that is asked for twice is made once. */
  readonly operationId?: string
  /** Everything that tells this change from another one, as JSON. Left out: `expected` and the messages. */
  readonly operation?: unknown
  /** The policy for this change alone. */
  readonly policy?: Policy
}

interface FoldsPage {
  readonly before?: string
  readonly limit?: number
}

interface GrowthOptions {
  readonly points?: number
}

interface ConfigureOptions {
  readonly expected?: Readonly<Record<string, unknown>>
}

interface NewBeginningOptions {
  readonly afterSeq?: number
}

interface ForkOptions {
  readonly isJudged?: boolean
}

interface ForceOptions {
  readonly force?: Force
}

interface WaitingNote {
  readonly attempts?: number
  readonly sent?: unknown
}

const APPEND = optionsOf<AppendOptions>({
  policy: true,
  awaits: true,
  answers: true,
  seen: true,
  follows: true,
})
const AWAITS = optionsOf<Awaits>({ burst: true, address: true })
const ANSWERS = optionsOf<Answers>({ seqs: true, earlier: true, isPart: true })
const ASSIGN = optionsOf<Assigning>({ user: true, scope: true })
const READ = optionsOf<ReadOptions>({ after: true, before: true, limit: true, from: true, answered: true })
const TAIL = optionsOf<TailOptions>({ expected: true, operationId: true, operation: true, policy: true })
const FOLDS = optionsOf<FoldsPage>({ before: true, limit: true })
const GROWTH = optionsOf<GrowthOptions>({ points: true })
const CONFIGURE = optionsOf<ConfigureOptions>({ expected: true })
const MEMORY_TOOLS = optionsOf<MemoryToolsOptions>({ answers: true })
const NEW_BEGINNING = optionsOf<NewBeginningOptions>({ afterSeq: true })
const FORK = optionsOf<ForkOptions>({ isJudged: true })
const FORCE = optionsOf<ForceOptions>({ force: true })
const NOTE = optionsOf<WaitingNote>({ attempts: true, sent: true })
const COMPACT = optionsOf<FoldOptions>({
  force: true,
  decision: true,
  isUnchanged: true,
  handlers: true,
  memoInstructions: true,
  focus: true,
  policy: true,
  signal: true,
})

/** The most messages of one call. More would keep other writers waiting. */
const MAX_MESSAGES_AT_ONCE = 1_000

/** Above what people could say while they wait for an answer. */
const MAX_WAITING = 100_000

/** More points than a chart shows. */
const MAX_GROWTH_POINTS = 1_000

/** A lease with a later end was written by a wrong clock. */
const MAX_LEASE_MS = 24 * 3_600_000

const RETRY_MS = 50

/** For each instance: the approved calls that its turns carry out. */
const approvalClaims = new WeakMap<Engine, ApprovalClaims>()

/** One conversation. */
export class Session {
  readonly #engine: Engine
  /** For background work, which takes the session as it is. */
  readonly #key: SessionKey
  /** For what the caller reads. The store refuses it if the session has other traits. */
  readonly #claim: SessionKey
  readonly #traits: GivenTraits
  /**
   * What a bound handle has seen. `null`: the handle is not bound. If there was no session yet, the handle
   * means the one that it creates.
   */
  #seen: SeenSession | null
  /** The newest message of a user, approvals included, that came through this handle. */
  readonly #said: { seq: number | null }

  constructor(
    engine: Engine,
    key: SessionKey,
    traits: GivenTraits,
    { seen = null, said = { seq: null } }: { seen?: SeenSession | null; said?: { seq: number | null } } = {},
  ) {
    this.#engine = engine
    this.#key = key
    this.#said = said
    this.#claim = Object.values(traits).some(trait => trait !== null) ? { ...key, traits } : key
    this.#traits = traits
    this.#seen = seen
  }

  /** For writes. */
  get #own(): SessionKey {
    return this.#seen === null ? this.#claim : { ...this.#claim, seen: this.#seen }
  }

  /**
   * A handle of the same session for work that outlives this call, such as an answer under way. It reads and
   * writes only this very session. Once something here is erased, each of its calls throws an
   * `ErasedMeanwhileError` and changes nothing, even if another session has the same name by then. Folds,
   * edits and new messages do not matter.
   *
   * @param like Another handle of the same session. The new handle takes over what that one has seen, and
   * does not look at the session now.
   */
  async bound(like?: Session): Promise<Session> {
    if (this.#seen !== null) return this
    const seen = like ? like.#seen : null
    return this.#as(seen ?? (await this.#engine.store.sessions.readSeen(this.#key)))
  }

  /**
   * A handle for work that does not depend on what was said, such as a note of delivery. It is bound to the
   * session alone, so no erasure in the session ends it. For a handle that is not bound, it is the same
   * handle.
   */
  boundAlone(): Session {
    if (this.#seen === null || this.#seen.session === null) return this
    return this.#as({ session: this.#seen.session, epoch: Number.MAX_SAFE_INTEGER, documents: [] })
  }

  #as(seen: SeenSession): Session {
    return new Session(this.#engine, this.#key, this.#traits, { seen, said: this.#said })
  }

  /** Throws an `ErasedMeanwhileError` if something here was erased after `bound` was called. */
  async checkBound(): Promise<void> {
    if (this.#seen !== null) await this.#engine.store.sessions.checkSeen(this.#own)
  }

  /**
   * The number of the session, which no other session ever has. Only a bound handle has it. `null`: there is
   * no session yet.
   */
  get number(): number | null {
    return this.#seen?.session ?? null
  }

  /** Checks the handle after the read, so that nothing comes from another session of the same name. */
  async #read<Result>(reading: Promise<Result>): Promise<Result> {
    try {
      return await reading
    } finally {
      await this.checkBound()
    }
  }

  get id(): string {
    return this.#key.id
  }

  /**
   * Adds one message or several, all or none. Resolves when they are durable. Never waits for a fold.
   * @example
   * await chat.append({ role: 'user', content: 'Shall we ship on Friday?', externalId: 'm-1' })
   */
  async append(
    input: MessageInput | readonly MessageInput[],
    options: AppendOptions = {},
  ): Promise<Appended> {
    const { tracer } = this.#engine
    const noteSaid = this.#beginSaying()
    return traced(
      tracer,
      this.#span('append'),
      () => this.#append(input, options, noteSaid),
      ({ messages, decision }) => ({
        'palimpsest.append.messages': messages.length,
        'palimpsest.append.decision': decision?.reason,
      }),
    )
  }

  #span(operation: string) {
    const attributes = { 'gen_ai.operation.name': operation, 'gen_ai.conversation.id': this.id }
    return { name: `palimpsest.${operation}`, attributes }
  }

  async #append(
    input: MessageInput | readonly MessageInput[],
    options: AppendOptions,
    noteSaid: NoteSaid,
  ): Promise<Appended> {
    checkOptions('append', options, APPEND)
    const { awaits, answers, seen, follows } = options
    checkOptions('append: awaits', awaits, AWAITS)
    checkOptions('append: answers', answers, ANSWERS)
    const { writes, store } = this.#engine
    const receipt = await writes.run(
      keyName(this.#key),
      this.#appendRequest(input, options.policy),
      async request => {
        const stored = await store.log.append({
          ...request,
          ...(seen && { key: { ...this.#claim, seen } }),
          ...(follows && { follows }),
          ...(awaits && { awaits }),
          ...(answers && { answers }),
        })
        this.#noteSaid(request, { stored, noteSaid })
        return stored
      },
    )
    this.#meet(receipt)
    return this.#appended(receipt, options)
  }

  #noteSaid(
    { messages }: Pick<AppendRequest, 'messages'>,
    { stored, noteSaid }: { stored: AppendReceipt; noteSaid: NoteSaid },
  ): void {
    const place = messages.findLastIndex(isPersonsWord)
    if (place === -1) return
    const { seq } = stored.messages[place]!
    this.#said.seq = seq
    noteSaid(seq)
  }

  #beginSaying(): NoteSaid {
    return beginSaying(this.#said, { engine: this.#engine, name: keyName(this.#key) })
  }

  /**
   * For a turn that does not say what it answers. `null`: nothing was said through this handle, nor in this
   * run.
   */
  #saidLast(): number | null {
    const here = saidHere(this.#said) ?? this.#said.seq
    return here ?? saidHereIn({ engine: this.#engine, name: keyName(this.#key) })
  }

  #meet({ session }: AppendReceipt): void {
    if (this.#seen?.session === null) this.#seen = seenOf(session)
  }

  /** Throws at once if a message is invalid. Measures long messages in slices. */
  #appendRequest(input: MessageInput | readonly MessageInput[], once?: Policy) {
    const { policy, zone, groupTurnMessages, extraction, clock } = this.#engine
    const inputs: readonly MessageInput[] = Array.isArray(input) ? input : [input as MessageInput]
    if (inputs.length > MAX_MESSAGES_AT_ONCE)
      throw new InvalidArgumentError('messages', inputs.length, `at most ${MAX_MESSAGES_AT_ONCE} at once`)
    const messages = inputs.map((input, index) =>
      normalizeNth(input, { zone, place: inputs.length > 1 ? index : null }),
    )
    const base = {
      key: this.#own,
      traits: this.#traits,
      policy: once ?? policy,
      ...(once && { configured: policy }),
      groupTurnMessages,
      extraction,
      zone,
      now: clock(),
    }
    return (): AppendRequest | Promise<AppendRequest> => {
      if (areLong(messages))
        return measureInSlices(messages).then(measured => ({ ...base, messages: measured }))
      return { ...base, messages: messages.map(message => ({ ...message, size: measureMessage(message) })) }
    }
  }

  async #appended(receipt: AppendReceipt, options: { readonly policy?: Policy } = {}): Promise<Appended> {
    if (receipt.messages.some(({ duplicate }) => !duplicate)) this.#engine.indexer?.note(this.#key)
    if (receipt.extractAt !== null) this.#engine.extractions?.noteDue(receipt.extractAt)
    const decision = await this.#askOwnPolicy(receipt, options.policy ?? this.#engine.policy)
    this.#schedule({ decision, dueAt: receipt.dueAt }, options.policy)
    const messages = this.#withIds(receipt.messages)
    const appended = { messages, decision, ...unassignedOf(receipt) }
    this.#noteAppend(appended)
    return appended
  }

  #withIds(messages: AppendReceipt['messages']): Appended['messages'] {
    return messages.map(({ seq, duplicate, hidden }) => ({
      id: `${this.id}/${seq}`,
      seq,
      duplicate,
      ...(hidden && { hidden }),
    }))
  }

  /** The messages are stored. A listener cannot undo that. */
  #noteAppend(appended: Appended): void {
    const { onAppend, onError } = this.#engine
    const details = { sessionId: this.id }
    callListener(
      () => onAppend?.(appended, details),
      error => onError(error, details),
    )
  }

  #schedule(verdict: { decision: Decision | null; dueAt: number | null } | null, policy?: Policy): void {
    const { scheduler } = this.#engine
    if (verdict?.decision) scheduler?.trigger(this.#key, policy)
    else if (verdict?.dueAt != null) scheduler?.noteDue(verdict.dueAt)
  }

  /** Called after a change of the session that was not judged itself. */
  async #judgeAgain(): Promise<void> {
    const { store, policy, clock } = this.#engine
    this.#schedule(await store.schedule.judge(this.#key, { policy, now: clock() }))
  }

  /**
   * Runs right after the append and never inside its transaction. The message is stored, and nothing here may
   * undo that.
   */
  async #askOwnPolicy({ snapshot, decision }: AppendReceipt, policy: Policy): Promise<Decision | null> {
    const { store, types, onError, policyTimeoutMs: timeoutMs, policyFailures } = this.#engine
    if (policy.judges.length === 0 || snapshot === null) return decision
    const onFailure = (error: unknown) => policyFailures.note(error, this.#key)
    try {
      const judged = await judgeWithOwn(policy, snapshot, { key: this.#key, types, timeoutMs, onFailure })
      const isOwn = judged !== null && judged.reason !== decision?.reason
      if (isOwn) await store.schedule.setPending(this.#key, judged)
      return judged
    } catch (error) {
      onError(error, { sessionId: this.id })
      return decision
    }
  }

  /**
   * Gives the session the user or the scope that it does not have. Each can be set once. From then on, what
   * was said before belongs to that person, for erasure and for search, and their memory is shown here. A
   * value that the session has already changes nothing. Another value is a `SessionMismatchError`. The
   * session has to exist.
   * @example
   * const { unassigned } = await chat.append(message)
   * if (unassigned?.includes('user')) await chat.assign({ user: 'ann' })
   */
  async assign(traits: Assigning): Promise<{ readonly assigned: readonly AssignableTrait[] }> {
    const { store, clock, extraction, extractions } = this.#engine
    const { assigned, extractAt } = await store.sessions.assignTraits(this.#own, {
      ...checkAssigning(traits),
      extraction,
      now: clock(),
    })
    if (assigned.length > 0 && extractAt !== null) extractions?.noteDue(extractAt)
    return { assigned }
  }

  /** For reads that use only the session's name. */
  async #checkTraits(): Promise<void> {
    if (this.#claim.traits) await this.#read(this.#engine.store.settings.readOwnSettings(this.#claim))
  }

  /** The messages of this session that wait for an answer or for delivery. */
  async waiting(): Promise<readonly WaitingEntry[]> {
    const { store } = this.#engine
    const { namespace, id: sessionId } = this.#key
    await this.#checkTraits()
    return this.#read(store.inbox.readWaiting(namespace, { sessionId, limit: MAX_WAITING }))
  }

  /**
   * From now on, a message of the log waits for an answer. `false`: it waits already, or it cannot be seen.
   */
  async awaitAnswer(seq: number, awaits: Awaits): Promise<boolean> {
    checkOptions('awaitAnswer', awaits, AWAITS)
    const { store, clock } = this.#engine
    return store.inbox.awaitAnswer(this.#own, { seq, awaits, now: clock() })
  }

  /** Notes an attempt to answer a waiting message. If the message no longer waits, nothing happens. */
  async noteWaiting(seq: number, note: WaitingNote): Promise<void> {
    checkOptions('noteWaiting', note, NOTE)
    await this.#engine.store.inbox.noteWaiting(this.#own, { seq, ...note })
  }

  /** The messages wait no longer: the answer is delivered, or there will be none. */
  async settleWaiting(seqs: readonly number[]): Promise<void> {
    await this.#engine.store.inbox.settleWaiting(this.#own, seqs)
  }

  /**
   * Gives the session another name; see `palimpsest.aliased()`. `false`: another session has the name, as its
   * id or alias.
   */
  async addAlias(name: string): Promise<boolean> {
    return this.#engine.store.inbox.addAlias(this.#own, name)
  }

  /** How often something was done here in the last `withinMs` milliseconds; see `takeAllowance`. */
  async countAllowance({ kind, withinMs }: { kind: string; withinMs: number }): Promise<number> {
    const { store, clock } = this.#engine
    return this.#read(store.inbox.countAllowance(this.#claim, { kind, within: withinMs, now: clock() }))
  }

  /** Counts that something is done now. `false`: the limit is reached, together with other processes. */
  async takeAllowance(allowance: { kind: string; limit: number; withinMs: number }): Promise<boolean> {
    const { store, clock } = this.#engine
    const { kind, limit, withinMs } = allowance
    return store.inbox.takeAllowance(this.#own, { kind, limit, within: withinMs, now: clock() })
  }

  async messages(options: ReadOptions = {}): Promise<readonly Message[]> {
    checkOptions('messages', options, READ)
    const { limit = 100, from = 'oldest', answered = false, after, before } = options
    const range = { ...(after !== undefined && { after }), ...(before !== undefined && { before }) }
    if (from !== 'oldest' && from !== 'newest') throw new InvalidArgumentError('from', from, 'oldest, newest')
    for (const [field, value] of Object.entries({ limit, ...range })) checkCount(field, value)
    return this.#read(this.#engine.store.log.readMessages(this.#claim, { ...range, limit, from, answered }))
  }

  /**
   * Whether a message of this external id was ever stored here. It may have been taken back or erased since.
   */
  async knows(externalId: string): Promise<boolean> {
    return this.#read(this.#engine.store.log.knowsExternalId(this.#claim, externalId))
  }

  /** The number of visible messages, folded or not. */
  async count(): Promise<number> {
    const record = await this.#record()
    return record?.head?.totals.messages ?? 0
  }

  /** `null` before the first append. */
  async info(): Promise<SessionInfo | null> {
    const record = await this.#record()
    return record && toSessionInfo(record, this.#engine.clock())
  }

  /** Folds that were applied or failed, newest first, with ids before `before`. Default: 50. */
  async folds(page: FoldsPage = {}): Promise<readonly FoldRecord[]> {
    checkOptions('folds', page, FOLDS)
    const { before: written, limit = 50 } = page
    checkCount('limit', limit)
    const before = written === undefined ? undefined : readFoldId(written)
    if (before === null) throw new InvalidArgumentError('before', written, FOLD_ID_RULE)
    const range = { limit, ...(before !== undefined && { before }) }
    const events = await this.#read(this.#engine.store.folds.readFolds(this.#claim, range))
    return events.map(toFoldRecord)
  }

  /**
   * How the tokens of the log have grown. The points are messages, evenly spread, with the first and the
   * newest one.
   */
  async growth(options: GrowthOptions = {}): Promise<readonly GrowthPoint[]> {
    checkOptions('growth', options, GROWTH)
    const { points = 300 } = options
    if (!Number.isSafeInteger(points) || points < 2 || points > MAX_GROWTH_POINTS)
      throw new InvalidArgumentError('points', points, `a whole number from 2 to ${MAX_GROWTH_POINTS}`)
    return this.#read(this.#engine.store.sessions.readGrowth(this.#claim, points))
  }

  /**
   * The session's own settings, by name. Their meaning is up to the maker of the policy, such as a server.
   */
  async settings(): Promise<Readonly<Record<string, unknown>>> {
    return this.#read(this.#engine.store.settings.readOwnSettings(this.#claim))
  }

  /**
   * Sets some of the session's own settings, in force from the next message on. `null` removes a setting.
   * With `expected`, the present settings have to equal these, or it is a `SettingsConflictError`.
   */
  async configure(changes: Readonly<Record<string, unknown>>, options: ConfigureOptions = {}): Promise<void> {
    checkOptions('configure', options, CONFIGURE)
    await this.#engine.store.settings.updateSettings(this.#own, changes, options)
    await this.#judgeAgain()
  }

  async segments(which: 'shown' | 'all' = 'shown'): Promise<readonly Segment[]> {
    if (which !== 'shown' && which !== 'all') throw new InvalidArgumentError('segments', which, 'shown, all')
    return this.#read(this.#engine.store.folds.readSegments(this.#claim, which))
  }

  /**
   * Replaces a message's content. The earlier content stays as a version. If the message is folded already,
   * contexts tell the correction at once. Segments and memory that were made from it are made anew in the
   * background.
   */
  async edit(seq: number, content: Content): Promise<{ version: number }> {
    checkCount('seq', seq)
    const checked = normalizeContent({ content })
    const { store, clock, writes } = this.#engine
    const edited = await writes.run(
      keyName(this.#key),
      () => Promise.resolve(),
      async () => {
        const message = { content: checked, sender: await this.#senderOf(seq) }
        const size = await runInSlices(measureMessageInSteps(message))
        const rebuildDelayMs = rebuildDelay(this.#engine.policy)
        return store.log.edit(this.#own, { seq, content: checked, size, now: clock(), rebuildDelayMs })
      },
    )
    const { version, rebuildAt, extractAt } = edited
    const { indexer, scheduler, extractions, noteChange } = this.#engine
    indexer?.note(this.#key)
    if (rebuildAt !== undefined) scheduler?.noteDue(rebuildAt)
    if (extractAt !== undefined) extractions?.noteDue(extractAt)
    noteChange()
    await this.#judgeAgain()
    return { version }
  }

  async #senderOf(seq: number) {
    const [message] = await this.messages({ after: seq - 1, before: seq + 1, limit: 1 })
    return message?.sender ?? null
  }

  /** Oldest first. The current one is last. */
  async versions(seq: number): Promise<readonly MessageVersion[]> {
    checkCount('seq', seq)
    return this.#read(this.#engine.store.log.readVersions(this.#claim, seq))
  }

  /** Hides every message above `toSeq`. Nothing is deleted, and no `seq` is used again. */
  async rollback(toSeq: number): Promise<SessionInfo> {
    checkCount('toSeq', toSeq)
    const { store, clock, writes } = this.#engine
    const now = clock()
    await writes.after(() => store.log.rollback(this.#own, { toSeq, now }), keyName(this.#key))
    await this.#judgeAgain()
    return toSessionInfo(await this.#requireRecord(), now)
  }

  /**
   * From now on, contexts begin after the newest message. Earlier messages are folded in the background and
   * stay: search, the memory tools, `expand` and memory documents reach them, and nothing that was learned is
   * lost. A larger budget does not bring them back into a context; `undoNewBeginning` does. `null`: nothing
   * was said since the last new beginning.
   * @param options `afterSeq`: begin after this message instead of the newest one, if others were said since.
   * @example
   * await chat.newBeginning() // { afterSeq: 42, at: … }
   */
  async newBeginning(options: NewBeginningOptions = {}): Promise<Beginning | null> {
    checkOptions('newBeginning', options, NEW_BEGINNING)
    const { afterSeq } = options
    if (afterSeq !== undefined) checkCount('afterSeq', afterSeq)
    const place = afterSeq === undefined ? {} : { afterSeq }
    return this.#begin((store, change) => store.beginnings.beginAnew(this.#own, { ...change, ...place }))
  }

  /**
   * Takes back the newest new beginning, whatever was said since. Contexts show again what they showed before
   * it, and the earlier new beginning is in force. `null`: there is none.
   */
  async undoNewBeginning(): Promise<Beginning | null> {
    return this.#begin((store, change) => store.beginnings.takeBackBeginning(this.#own, change))
  }

  async #begin(
    work: (store: Engine['store'], change: { policy: Policy; now: number }) => Promise<BegunAnew | null>,
  ): Promise<Beginning | null> {
    const { store, policy, clock, writes, noteChange } = this.#engine
    await this.#requireRecord()
    const change = { policy, now: clock() }
    const begun = await writes.after(() => work(store, change), keyName(this.#key))
    if (begun === null) return null
    this.#schedule(begun.judged)
    noteChange()
    return begun.beginning
  }

  /** All new beginnings in force, oldest first. Contexts begin after the last one. */
  async beginnings(): Promise<readonly Beginning[]> {
    return this.#read(this.#engine.store.beginnings.readBeginnings(this.#claim))
  }

  /**
   * Takes the newest messages back and adds others in their place, in one step. Nothing is deleted. If the
   * session does not end with the expected messages, or if the operation id belongs to another change, it
   * throws a `HistoryConflictError` and changes nothing.
   */
  async replaceTail(
    input: MessageInput | readonly MessageInput[],
    options: TailOptions = {},
  ): Promise<Appended & { readonly repeated: boolean }> {
    checkOptions('replaceTail', options, TAIL)
    const noteSaid = this.#beginSaying()
    const { expected: given = [], operationId, operation, policy: own } = options
    if (operationId !== undefined && (typeof operationId !== 'string' || operationId.trim() === ''))
      throw new InvalidArgumentError('operationId', operationId, 'text that is not empty')
    const { store, writes } = this.#engine
    const expected = normalizeExpected(given)
    const prepare = this.#appendRequest(input, own)
    const receipt = await writes.run(keyName(this.#key), prepare, async request => {
      const change = operation ?? { expected, messages: request.messages }
      const stored = await store.log.replaceTail({
        ...request,
        expected,
        operation: operationId === undefined ? null : operationOf(operationId, change),
      })
      this.#noteSaid(request, { stored, noteSaid })
      return stored
    })
    this.#meet(receipt)
    // Nothing has changed, so nothing is judged, counted or indexed again.
    if (receipt.repeated)
      return {
        messages: this.#withIds(receipt.messages.map(each => ({ ...each, duplicate: true }))),
        decision: null,
        ...unassignedOf(receipt),
        repeated: true,
      }
    return { ...(await this.#appended(receipt, { ...(own && { policy: own }) })), repeated: false }
  }

  /**
   * A new session with the messages through `atSeq`. Default: all of them. `isJudged: false`: the present
   * messages are not judged; the next append is judged by its own policy.
   */
  async fork(newId: string, atSeq?: number, options: ForkOptions = {}): Promise<Session> {
    checkOptions('fork', options, FORK)
    const { isJudged = true } = options
    const { store, clock, writes } = this.#engine
    if (!isNewId(newId)) throw new InvalidMessageError('id', newId, NEW_ID_RULE)
    const id = newId
    if (atSeq !== undefined) checkCount('atSeq', atSeq)
    const record = await writes.after(async () => {
      const through = atSeq ?? (await this.#requireRecord()).head?.seq ?? 0
      return store.transfer.fork(this.#own, { newId: id, atSeq: through, now: clock() })
    }, keyName(this.#key))
    const { kind, user, scope } = record
    const key = { namespace: this.#key.namespace, id }
    const seen = this.#seen === null ? null : seenOf(record)
    const fork = new Session(this.#engine, key, { kind, user, scope }, { seen })
    this.#engine.indexer?.note(key)
    if (isJudged) await fork.#judgeAgain()
    return fork
  }

  /**
   * What the model gets for its next call. It is computed, never stored. With another budget, model or policy
   * it is a view of the same session, which stores and triggers nothing.
   * @example
   * const { instructions, messages } = await chat.context({ instructions: 'You manage our releases.' })
   */
  async context(options: ContextOptions = {}): Promise<Context> {
    const { contexts, tracer } = this.#engine
    return traced(
      tracer,
      this.#span('context'),
      () => this.#read(contexts.context(this.#claim, options)),
      ({ report }) => ({
        'gen_ai.request.model': options.model,
        'palimpsest.context.tokens': report.tokens,
        'palimpsest.context.budget': report.budget,
        'palimpsest.context.epoch': report.epoch,
      }),
    )
  }

  /**
   * One answer of a model through the AI SDK: call `generateText({ model, ...turn.prompt })` or similar, then
   * `turn.finish(result)`. The turn is frozen at the message that it answers: `throughSeq` or `answers`; or
   * else the last message through this handle (in the same run of asynchronous code, if several runs share
   * the handle), as long as it has no answer; or else the last message of a user. What others say belongs to
   * another turn.
   */
  async turn<Tools extends object = object>(options: TurnOptions<Tools> = {}): Promise<Turn<Tools>> {
    // Before anything is awaited: others may speak through this handle meanwhile.
    const said = this.#saidLast()
    const { Turn, ApprovalClaims } = await import('./turn/index.ts')
    const { contexts, onError } = this.#engine
    const claims = approvalClaims.get(this.#engine) ?? new ApprovalClaims()
    approvalClaims.set(this.#engine, claims)
    const claimOf = (approvalId: string) => JSON.stringify([keyName(this.#key), approvalId])
    if ((await this.count()) === 0) throw new SessionNotFoundError(this.id)
    // Bound to the session as it is now, until the context is made. After that, bound to what the context
    // shows.
    let own = await this.bound()
    return Turn.begin<Tools>(
      {
        append: (messages, { answers, follows }) =>
          own.append(messages, {
            follows,
            ...(answers && { answers }),
            ...(options.appendPolicy && { policy: options.appendPolicy }),
          }),
        said,
        freeze: async (asked, answers) => {
          const frozen = await contexts.freeze(this.#claim, asked, { answers, own: said })
          const { seen } = frozen.context
          // What this handle had seen before counts too.
          const isBound = this.#seen !== null && this.#seen.session !== null
          // Another session may have the same name by now. This turn must not show it.
          if (isBound && seen.session !== this.#seen!.session)
            throw new ErasedMeanwhileError({ sessionId: this.id, erased: 'session' })
          own = this.#as(isBound ? { ...this.#seen!, documents: seen.documents } : seen)
          return frozen
        },
        compact: signal => this.compact({ force: true, ...(signal && { signal }) }),
        observeUsage: (context, usage) => own.observeUsage(context, usage),
        language: () => own.language(),
        memoryTools: answers => own.memoryTools({ answers }),
        onError: error => onError(error, { sessionId: this.id }),
        check: () => own.checkBound(),
        readLog: seq =>
          seq === undefined
            ? own.messages({ from: 'newest', limit: MAX_APPROVALS_BACK })
            : own.messages({ after: seq - 1, before: seq + 1 }),
        claimApproval: id => claims.take(claimOf(id)),
        releaseApprovals: ids => {
          for (const id of ids) claims.release(claimOf(id))
        },
      },
      options,
    )
  }

  /**
   * A person's decision on a call that asked for approval, however much was said since. The next turn runs
   * the call, or tells the model that it was refused. The same decision again adds nothing. If no call waits
   * for it, it is an `ApprovalRefusedError`, which names the reason and the waiting approvals.
   * @example
   * await chat.answerApproval({ approvalId, approved: true })
   */
  async answerApproval(decision: ApprovalDecision): Promise<Appended> {
    return sayingWithin(async () => answerApproval(await this.bound(), decision))
  }

  /**
   * Reports what a provider counted for a context that it was sent. From the next epoch on, contexts for that
   * model are measured by it.
   */
  async observeUsage(context: Context, usage: { model: string; inputTokens: number }): Promise<void> {
    const { store } = this.#engine
    const { calibrations } = await this.#requireRecord()
    checkPositive('inputTokens', usage?.inputTokens)
    if (typeof usage.model !== 'string' || usage.model === '')
      throw new InvalidArgumentError('model', usage.model, 'the name of a model')
    const learned = observeUsage(calibrations.learned as Calibrations, usage.model, {
      estimated: context.estimatedInputTokens,
      reported: usage.inputTokens,
    })
    const { seen } = context
    await store.sessions.recordMeasures(seen ? { ...this.#claim, seen } : this.#own, {
      calibrations: learned,
    })
  }

  /** Keeps a message in every context, word for word, whatever is folded. */
  async pin(seq: number): Promise<Pin> {
    checkCount('seq', seq)
    const [message] = await this.messages({ after: seq - 1, before: seq + 1, limit: 1 })
    const size = message && (await runInSlices(measureMessageInSteps(message)))
    const tokens = size?.tokens ?? 0
    return this.#pin({ seq, note: null, tokens })
  }

  /** The same for a text that is not a message. */
  async note(text: string): Promise<Pin> {
    if (typeof text !== 'string' || text.trim() === '')
      throw new InvalidArgumentError('text', text, 'text that is not empty')
    await this.#requireRecord()
    return this.#pin({ seq: null, note: text, tokens: await runInSlices(estimateTokensInSteps(text)) })
  }

  async #pin(pin: { seq: number | null; note: string | null; tokens: number }): Promise<Pin> {
    const { store, clock } = this.#engine
    const mostTokens = segmentLimits(await this.#policy()).totalTokens
    return store.pins.pin(this.#own, { ...pin, mostTokens, now: clock() })
  }

  async pins(): Promise<readonly Pin[]> {
    return this.#read(this.#engine.store.pins.readPins(this.#claim))
  }

  /** `false`: there was no such pin. */
  async unpin(id: number): Promise<boolean> {
    return this.#engine.store.pins.unpin(this.#own, id)
  }

  /** The memory of this chat. It is shown only here. */
  get memory(): MemoryDocument {
    return this.#document('chat', this.id)
  }

  /** What happened here on a day (`YYYY-MM-DD`). Left out: today, in the zone of the instance. */
  daily(day?: string): MemoryDocument {
    return this.#document('daily', new Memories(this.#engine).daily(this.id, day).key)
  }

  #document(layer: 'chat' | 'daily', key: string): MemoryDocument {
    return new MemoryDocument(
      this.#engine,
      { layer, key },
      {
        check: async () => {
          await this.#checkTraits()
          await this.checkBound()
        },
        create: async () => void (await this.append([])),
        ...((this.#seen || this.#claim.traits) && { from: this.#own }),
      },
    )
  }

  /**
   * The tools by which a model writes memory and reads this session's log, if they are offered here. They
   * reach no other session, whatever a model asks of them.
   */
  async memoryTools(options: MemoryToolsOptions = {}): Promise<MemoryTools> {
    checkOptions('memoryTools', options, MEMORY_TOOLS)
    const { answers = [] } = options
    for (const seq of answers) checkCount('answers', seq)
    const { MemoryTools, askersOf } = await import('./memory/tools/index.ts')
    const there = await this.#record()
    if (there === null) await this.append([])
    const record = there ?? (await this.#requireRecord())
    const language = await this.#engine.contexts.language(this.#claim, record)
    const askers = await askersOf(this.#engine, record, answers)
    return new MemoryTools(this.#engine, record, { seen: this.#seen, askers, language })
  }

  /** The setting of the instance, for sessions without a setting of their own. */
  get languageSetting(): LanguageSetting {
    return this.#engine.language
  }

  /**
   * The language in which the engine writes its own texts here: as it is set, or by what is said. It changes
   * only with an epoch.
   */
  async language(): Promise<Language> {
    const record = await this.#record()
    if (record !== null) return this.#engine.contexts.language(this.#claim, record)
    return decideLanguage({ setting: this.#engine.language, messages: [], before: null }).language
  }

  /**
   * Finds messages of this session by their content, archived or not. The newest message is found at once.
   * @example
   * const { results } = await chat.search('When did we agree to ship?')
   */
  async search(query: string, options: SearchOptions = {}): Promise<SearchAnswer> {
    const { tracer } = this.#engine
    return traced(
      tracer,
      this.#span('search'),
      async () => {
        checkOptions('search', options, SEARCH)
        const { searchMessages } = await import('./finding/search-messages.ts')
        await this.#checkTraits()
        return this.#read(searchMessages(this.#engine, query, { ...options, sessions: [this.id] }))
      },
      ({ results }) => ({ 'palimpsest.search.results': results.length }),
    )
  }

  /** Shows what lies under a segment, level by level down to the messages; or a range of messages. */
  async expand(options: ExpandOptions): Promise<Expanded> {
    const { expand } = await import('./finding/expand.ts')
    return this.#read(expand(this.#engine.store, this.#claim, options))
  }

  /** The whole session as one JSON value; `palimpsest.import()` reads it. */
  async export(): Promise<SessionFile> {
    return this.#read(this.#engine.store.transfer.exportSession(this.#claim))
  }

  /** The figures by which the policy judges. `null`: the session is empty. */
  async snapshot(): Promise<Snapshot | null> {
    const { store, policy, clock } = this.#engine
    return this.#read(store.schedule.readSnapshot(this.#claim, { policy, now: clock() }))
  }

  /**
   * Folds now what the policy decides, or with `force` everything below the tail, and waits for the fold. If
   * a fold is under way elsewhere, it waits for that one first.
   * @example
   * const { outcome } = await chat.compact({ force: true })
   */
  async compact(options: FoldOptions = {}): Promise<FoldOutcome> {
    checkOptions('compact', options, COMPACT)
    const { focus } = options
    if (focus !== undefined && (typeof focus !== 'string' || focus.trim() === ''))
      throw new InvalidArgumentError('focus', focus, 'what to keep above all, in words')
    const before = await this.#requireRecord()
    return this.#engine.manualFolds.run(async closing => {
      const signal = options.signal ? AbortSignal.any([options.signal, closing]) : closing
      const own = await this.#foldFully({ ...options, signal })
      if (own.outcome === 'applied') {
        this.#engine.noteChange()
        this.#engine.policyFailures.foldEnded(this.#key)
      }
      const outcome = own.reason === 'nothing_to_do' ? ((await this.#foldSince(before)) ?? own) : own
      // If nothing works in the background, outdated segments are rebuilt now.
      if (this.#engine.scheduler === null) await this.#rebuildOutdated(signal)
      // If a policy for this call has folded nothing, the session stays as it was, for the configured policy
      // too.
      const isLeft = options.policy !== undefined && outcome.outcome !== 'applied'
      if (!closing.aborted && !isLeft) await this.#judgeAgain()
      return outcome
    })
  }

  /** Rebuilds segments over messages that were edited since, as far as they are due. */
  async #rebuildOutdated(signal: AbortSignal): Promise<void> {
    const { store, noteOutcome } = this.#engine
    if ((await store.rebuilds.readOutdated(this.#key)) === null) return
    const { rebuildOutdated } = await import('./compaction/rebuild-outdated.ts')
    const onOutcome = (outcome: FoldOutcome) => noteOutcome(outcome, this.#key)
    while ((await rebuildOutdated(this.#engine, this.#key, { signal, onOutcome })).left === 'more');
  }

  /**
   * How a fold elsewhere ended, after which there was nothing left to do. `null`: there was none since then.
   */
  async #foldSince({ lastOutcome: earlier }: SessionRecord): Promise<FoldOutcome | null> {
    const { lastOutcome } = await this.#requireRecord()
    if (lastOutcome === null || JSON.stringify(lastOutcome) === JSON.stringify(earlier)) return null
    const outcome = lastOutcome as unknown as FoldOutcome
    if (outcome.outcome !== 'applied') return outcome
    // The stored outcome was written before its segments had ids.
    const within = ({ level, fromSeq, toSeq }: Segment) =>
      level === 1 && toSeq >= outcome.fromSeq! && fromSeq <= outcome.toSeq!
    return { ...outcome, segmentId: (await this.segments()).find(within)?.id ?? null }
  }

  /** A long backlog takes several folds. The caller sees them as one. */
  async #foldFully(options: FoldOptions & { readonly signal: AbortSignal }): Promise<FoldOutcome> {
    const { foldSession } = await import('./compaction/fold-session.ts')
    const deadline = performance.now() + this.#engine.summarizerTimeoutMs
    let total: FoldOutcome | null = null
    for (;;) {
      const { outcome } = await foldSession(this.#engine, this.#key, options)
      if (
        total === null &&
        outcome.reason === 'already_folding' &&
        performance.now() < deadline &&
        !options.signal.aborted
      ) {
        await new Promise(resolve => setTimeout(resolve, RETRY_MS))
        continue
      }
      if (outcome.outcome !== 'applied') return total === null ? outcome : endOutcomes(total, outcome)
      total = total === null ? outcome : joinOutcomes(total, outcome)
      // A forced fold runs only once. What that fold moved below the tail is left to the policy.
      const isAsked = options.force !== undefined || options.decision !== undefined
      const isDone = isAsked && (isWhole(options, outcome) || !reachesFoldLimit(outcome))
      if (isDone || options.signal.aborted) return total
    }
  }

  /** What the policy decides now, or what a forced fold would be. Changes nothing. */
  async judge(options: ForceOptions = {}): Promise<Decision | null> {
    checkOptions('judge', options, FORCE)
    const { types, policyTimeoutMs: timeoutMs } = this.#engine
    if (options.force) return forcedDecision(options.force, types)
    const snapshot = await this.snapshot()
    if (snapshot === null) return null
    // A caller that asks for the decision also gets the policy's error.
    let failure: { readonly error: unknown } | null = null
    const onFailure = (error: unknown) => {
      failure ??= { error }
    }
    const asked = { key: this.#key, types, timeoutMs, onFailure }
    const decision = await judgeWithOwn(await this.#policy(), snapshot, asked)
    if (failure !== null) throw (failure as { readonly error: unknown }).error
    return decision
  }

  /**
   * What a fold would do now: a dry run. `null`: the policy has nothing to do. For a long backlog, it is the
   * first of several folds.
   */
  async plan(options: ForceOptions = {}): Promise<FoldPlan | null> {
    checkOptions('plan', options, FORCE)
    const decision = await this.judge(options)
    if (decision === null) return null
    const { store, clock } = this.#engine
    const planning = planNext({ store, clock, policy: await this.#policy() }, this.#claim, decision)
    const next = await this.#read(planning)
    return next?.plan ?? { decision, range: null }
  }

  /** The policy, with this session's own settings. */
  async #policy(): Promise<Policy> {
    const { store, policy } = this.#engine
    const [own] = await this.#read(sessionPolicies(store.settings, this.#claim, [policy]))
    return own
  }

  async #requireRecord(): Promise<SessionRecord> {
    const record = await this.#record()
    if (record !== null) return record
    throw new SessionNotFoundError(this.id)
  }

  async #record(): Promise<SessionRecord | null> {
    return this.#read(this.#engine.store.sessions.readSession(this.#claim))
  }
}

/** A user's message, or a person's decision on a call. */
function isPersonsWord({ role, content }: Pick<Message, 'role' | 'content'>): boolean {
  if (role === 'user') return true
  return typeof content !== 'string' && content.some(({ type }) => type === 'tool-approval-response')
}

function unassignedOf({ unassigned }: Pick<AppendReceipt, 'unassigned'>): Pick<Appended, 'unassigned'> {
  return unassigned === undefined ? {} : { unassigned }
}

function checkAssigning(traits: Assigning): { user: string | null; scope: string | null } {
  checkOptions('assign', traits, ASSIGN)
  const { user, scope } = traits ?? {}
  if (user === undefined && scope === undefined)
    throw new InvalidArgumentError('assign', traits, 'user, scope, or both')
  for (const [field, value] of Object.entries({ user, scope }))
    if (value !== undefined && !isNewId(value)) throw new InvalidArgumentError(field, value, NEW_ID_RULE)
  return { user: user ?? null, scope: scope ?? null }
}

/**
 * If there are several messages, the error says which one is wrong. A misspelt field is an error too, since
 * it would be lost.
 */
function normalizeNth(
  input: MessageInput,
  { zone, place }: { zone: string; place: number | null },
): NewMessage {
  try {
    return normalizeMessage(input, { zone, unknownFields: 'refuse' })
  } catch (error) {
    if (place === null || !(error instanceof InvalidMessageError)) throw error
    const { field, value, allowed } = error.details
    throw new InvalidMessageError(`messages[${place}].${field}`, value, allowed)
  }
}

/** Whether measuring the messages would block other work too long. */
function areLong(messages: readonly NewMessage[]): boolean {
  let characters = 0
  for (const { content } of messages) {
    characters += lengthOf(content)
    if (characters > MAX_AT_ONCE) return true
  }
  return false
}

/** For parts, the length of their JSON: values of a tool's answer cost more than their letters. */
function lengthOf(content: Content): number {
  return typeof content === 'string' ? content.length : JSON.stringify(content).length
}

async function measureInSlices(messages: readonly NewMessage[]): Promise<AppendRequest['messages']> {
  const measured: MeasuredMessage[] = []
  for (const message of messages) {
    const size = await runInSlices(measureMessageInSteps(message))
    measured.push({ ...message, size })
  }
  return measured
}

function normalizeExpected(expected: unknown): readonly ExpectedMessage[] | 'everything' {
  if (expected === 'everything') return expected
  const isList = Array.isArray(expected) && expected.every(each => typeof each === 'object' && each !== null)
  if (!isList)
    throw new InvalidArgumentError('expected', expected, "a list of { role, content }, or 'everything'")
  return (expected as readonly ExpectedMessage[]).map(({ role, content }) => ({
    role,
    content: normalizeContent({ content }),
  }))
}

/** A handler that got all raw messages has folded as much as it wanted. */
function isWhole({ handlers }: FoldOptions, { type }: FoldOutcome): boolean {
  return isWindowHandler(handlers?.[type ?? ''])
}

function checkCount(field: string, value: unknown): void {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError(field, value, 'a whole number of at least 0')
}

/** If a lease ran out, its holder died, so nothing is folding. */
function isLeased({ leaseUntil }: SessionRecord, now: number): boolean {
  return leaseUntil !== null && isToCome(leaseUntil.getTime(), { now, longestMs: MAX_LEASE_MS })
}

export function toSessionInfo(record: SessionRecord, now: number): SessionInfo {
  const { state, head } = record
  return {
    id: record.id,
    kind: record.kind,
    user: record.user,
    scope: record.scope,
    createdAt: record.createdAt,
    origin: record.origin,
    epoch: record.epoch,
    messages: head?.totals.messages ?? 0,
    rawMessages: (head?.totals.messages ?? 0) - state.folded.messages,
    rawTokens: (head?.totals.tokens ?? 0) - state.folded.tokens,
    lastMessageAt: record.lastMessageAt,
    segments: record.segments,
    segmentTokens: record.segmentTokens,
    turns: head?.totals.turn ?? 0,
    beginsAfter: record.beginsAfter === 0 ? null : record.beginsAfter,
    compactedThrough: state.compactedThrough,
    compactedThroughTurn: state.folded.turns,
    lastFoldAt: state.lastFoldAt === null ? null : new Date(state.lastFoldAt),
    folding: isLeased(record, now),
    pending: record.pending !== null,
    memo: record.memo?.value ?? null,
    lastOutcome: record.lastOutcome,
  }
}
