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

/** What every session of an instance shares. */
export interface Engine extends FoldEngine, ExtractionEngine {
  /** `null`: this process folds nothing by itself. */
  readonly scheduler: FoldScheduler | null
  readonly manualFolds: ManualFolds
  /** A long text is measured in slices: what is called after it, of the same session, does not overtake it. */
  readonly writes: InTurn
  /** `null`: this process extracts nothing by itself. */
  readonly extractions: ExtractionScheduler | null
  readonly contexts: Contexts
  readonly recall: NonNullable<ConstructorParameters<typeof Contexts>[0]['recall']>
  /** `null`: this process indexes nothing. */
  readonly indexer: Indexer | null
  /** Tells whoever listens how a fold of this process ended. */
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
    /** A repeat of a message that was taken back or erased: it stays hidden. Left out: it can be seen. */
    readonly hidden?: true
  }[]
  /** What the policy decided; the fold itself happens in the background. */
  readonly decision: Decision | null
  /** What you said that the session is, and it is without: `assign()` gives it. Left out: there is no such trait. */
  readonly unassigned?: readonly AssignableTrait[]
}

/** What `session.assign()` takes: at least one of them. */
export interface Assigning {
  /** Whose chat it is. */
  readonly user?: string
  /** The workspace or project that it belongs to. */
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
  /** The instant of the newest message; `null` in an empty session. */
  readonly lastMessageAt: Date | null
  /** Those that contexts may show: none of before a new beginning. */
  readonly segments: number
  readonly segmentTokens: number
  readonly turns: number
  /** Contexts begin after this message: a new beginning was made there. `null`: with the first. */
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
  /** Has its say about this append alone. */
  readonly policy?: Policy
  /** The messages wait for an answer, also after a restart, until one is stored with `answers` or they are settled. */
  readonly awaits?: Awaits
  /** What is appended is the answer to these, which wait; where one of them does not, a `NotWaitingError`. */
  readonly answers?: Answers
  /** Of the context that this was said to: where something of it was erased since, an `ErasedMeanwhileError`. */
  readonly seen?: SeenSession
  /** What this was said to: where one of these was taken back since, a `TakenBackError`. */
  readonly follows?: readonly number[]
}

export interface MemoryToolsOptions {
  /**
   * The messages, by number, that are answered with these tools: who said them decides, in a group, whether what everybody
   * sees may be written. Left out: the newest that a person said.
   */
  readonly answers?: readonly number[]
}

export interface ReadOptions {
  readonly after?: number
  readonly before?: number
  /** The default: 100. */
  readonly limit?: number
  /** Which end to begin at; the answer is in ascending order in either case. The default: oldest. */
  readonly from?: 'oldest' | 'newest'
  /** With what each message answers, where that is not the one right before it. The default: without. */
  readonly answered?: boolean
}

export interface TailOptions {
  /**
   * What the newest messages say, oldest first: they are taken back. `everything`: all of them are, whatever they
   * say. Left out: none are.
   */
  readonly expected?: readonly ExpectedMessage[] | 'everything'
  /** Stays the same when the change is asked for again: it is made once. */
  readonly operationId?: string
  /** All that tells this change from another, as JSON; left out: `expected` and the messages. */
  readonly operation?: unknown
  /** Has its say about this change alone. */
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

/** What one call takes: more would keep other writers waiting. */
const MAX_MESSAGES_AT_ONCE = 1_000

/** Nobody reads more than what a person could have said while nobody answered. */
const MAX_WAITING = 100_000

/** More than a drawing shows. */
const MAX_GROWTH_POINTS = 1_000

/** A lease that is said to last longer was written by a wrong clock. */
const MAX_LEASE_MS = 24 * 3_600_000

const RETRY_MS = 50

/** By instance: what its turns carry out. */
const approvalClaims = new WeakMap<Engine, ApprovalClaims>()

/** One conversation. */
export class Session {
  readonly #engine: Engine
  /** For what works in the background, where the session is what it is. */
  readonly #key: SessionKey
  /** For what the caller reads: the store refuses it where the session is something else. */
  readonly #claim: SessionKey
  readonly #traits: GivenTraits
  /** Where there was no session yet, the one that comes of it is the one that is meant. */
  #seen: SeenSession | null
  /** Of what a user said, approvals included, the newest that came through this handle. */
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

  /** For what is written. */
  get #own(): SessionKey {
    return this.#seen === null ? this.#claim : { ...this.#claim, seen: this.#seen }
  }

  /**
   * The same session, for what outlives this call, such as an answer under way: what it writes and reads is of this very
   * session as it is now. Once anything here is erased, each call of it is an `ErasedMeanwhileError` and changes nothing,
   * also where another session bears the name by then. Folds, edits and new messages are no matter.
   *
   * @param like Another handle of the same session: what it has seen counts, and not what there is now.
   */
  async bound(like?: Session): Promise<Session> {
    if (this.#seen !== null) return this
    const seen = like ? like.#seen : null
    return this.#as(seen ?? (await this.#engine.store.sessions.readSeen(this.#key)))
  }

  /**
   * The same for what is no matter of what was said, such as whether it was delivered: bound to the session alone, so
   * that no erasure in it ends it. Of a handle that is not bound it is the same.
   */
  boundAlone(): Session {
    if (this.#seen === null || this.#seen.session === null) return this
    return this.#as({ session: this.#seen.session, epoch: Number.MAX_SAFE_INTEGER, documents: [] })
  }

  #as(seen: SeenSession): Session {
    return new Session(this.#engine, this.#key, this.#traits, { seen, said: this.#said })
  }

  /** Throws an `ErasedMeanwhileError` where `bound` was called before something here was erased. */
  async checkBound(): Promise<void> {
    if (this.#seen !== null) await this.#engine.store.sessions.checkSeen(this.#own)
  }

  /** Of a bound handle: the session's own number, which no other one ever has. `null`: there is none yet. */
  get number(): number | null {
    return this.#seen?.session ?? null
  }

  /** Checked when it is read: nothing of it can be of another session of the name. */
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

  /** Adds one message or several, all or none. Resolves when they are durable; never waits for a fold. */
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

  /** For a turn that does not say what it answers. `null`: nothing was said through this handle, nor in this run. */
  #saidLast(): number | null {
    const here = saidHere(this.#said) ?? this.#said.seq
    return here ?? saidHereIn({ engine: this.#engine, name: keyName(this.#key) })
  }

  #meet({ session }: AppendReceipt): void {
    if (this.#seen?.session === null) this.#seen = seenOf(session)
  }

  /** What is wrong with a message is told at once; what is long is measured in slices. */
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

  /** It is stored: whoever hears of it cannot undo that. */
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

  /** After what changed the session without being judged itself. */
  async #judgeAgain(): Promise<void> {
    const { store, policy, clock } = this.#engine
    this.#schedule(await store.schedule.judge(this.#key, { policy, now: clock() }))
  }

  /** Right after the append and never inside its transaction. The message is stored: nothing here may undo that. */
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
   * Gives the session the user or the scope that it is without, each once: what was said before belongs to that person
   * then, for erasure and for search, and their memory is shown here. What it has already changes nothing; another one
   * is a `SessionMismatchError`. The session has to be there.
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

  /** For what is read by the session's name alone. */
  async #checkTraits(): Promise<void> {
    if (this.#claim.traits) await this.#read(this.#engine.store.settings.readOwnSettings(this.#claim))
  }

  /** What of it waits for an answer or for its delivery. */
  async waiting(): Promise<readonly WaitingEntry[]> {
    const { store } = this.#engine
    const { namespace, id: sessionId } = this.#key
    await this.#checkTraits()
    return this.#read(store.inbox.readWaiting(namespace, { sessionId, limit: MAX_WAITING }))
  }

  /** A message that is in the log waits for an answer from now on. `false`: it does already, or cannot be seen. */
  async awaitAnswer(seq: number, awaits: Awaits): Promise<boolean> {
    checkOptions('awaitAnswer', awaits, AWAITS)
    const { store, clock } = this.#engine
    return store.inbox.awaitAnswer(this.#own, { seq, awaits, now: clock() })
  }

  /** What became of an attempt to answer a message that waits; nothing where it waits no longer. */
  async noteWaiting(seq: number, note: WaitingNote): Promise<void> {
    checkOptions('noteWaiting', note, NOTE)
    await this.#engine.store.inbox.noteWaiting(this.#own, { seq, ...note })
  }

  /** They wait no longer: the answer is delivered, or there will be none. */
  async settleWaiting(seqs: readonly number[]): Promise<void> {
    await this.#engine.store.inbox.settleWaiting(this.#own, seqs)
  }

  /** It is reached under this name, too: see `palimpsest.aliased()`. `false`: another session is, or bears it. */
  async addAlias(name: string): Promise<boolean> {
    return this.#engine.store.inbox.addAlias(this.#own, name)
  }

  /** How often something was done here in so many milliseconds before now: see `takeAllowance`. */
  async countAllowance({ kind, withinMs }: { kind: string; withinMs: number }): Promise<number> {
    const { store, clock } = this.#engine
    return this.#read(store.inbox.countAllowance(this.#claim, { kind, within: withinMs, now: clock() }))
  }

  /** Counts that something is done now. `false`: it was done as often as it may be, also by other processes. */
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

  /** Whether a message of this external id was ever stored here: also where it was taken back or erased. */
  async knows(externalId: string): Promise<boolean> {
    return this.#read(this.#engine.store.log.knowsExternalId(this.#claim, externalId))
  }

  /** Visible messages, folded or not. */
  async count(): Promise<number> {
    const record = await this.#record()
    return record?.head?.totals.messages ?? 0
  }

  /** `null` before the first append. */
  async info(): Promise<SessionInfo | null> {
    const record = await this.#record()
    return record && toSessionInfo(record, this.#engine.clock())
  }

  /** Folds that were applied or failed, the newest first, those before `before`; by default 50. */
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

  /** How the log's tokens have grown, at so many of its messages, evenly spread, the first and the newest included. */
  async growth(options: GrowthOptions = {}): Promise<readonly GrowthPoint[]> {
    checkOptions('growth', options, GROWTH)
    const { points = 300 } = options
    if (!Number.isSafeInteger(points) || points < 2 || points > MAX_GROWTH_POINTS)
      throw new InvalidArgumentError('points', points, `a whole number from 2 to ${MAX_GROWTH_POINTS}`)
    return this.#read(this.#engine.store.sessions.readGrowth(this.#claim, points))
  }

  /** Its own settings, by name; they mean something to whoever made the policy, such as a server. */
  async settings(): Promise<Readonly<Record<string, unknown>>> {
    return this.#read(this.#engine.store.settings.readOwnSettings(this.#claim))
  }

  /**
   * Sets some of its own settings, in force from the next message on; `null` takes one away. With `expected` they
   * have to be these, or it is a `SettingsConflictError`.
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
   * Replaces a message's content; the earlier one stays as a version. Where it is folded already, contexts tell the
   * correction at once; what was made of it, segments and memory, is made anew in the background.
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

  /** Oldest first, the current one last. */
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
   * Contexts begin after the newest message from now on. What was said before is folded in the background, and stays:
   * search, the memory tools, `expand` and memory documents reach it, and nothing that was learned of it is lost. No
   * larger budget brings it back into a context; `undoNewBeginning` does. `null`: nothing was said since the last one.
   * @param options `afterSeq`: not after the newest message but after this one, where others were said since.
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
   * Takes the newest of them back, whatever was said since: contexts show again what they showed before it, and the one
   * before it is in force. `null`: there is none.
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

  /** All that are in force, oldest first: contexts begin after the last one. */
  async beginnings(): Promise<readonly Beginning[]> {
    return this.#read(this.#engine.store.beginnings.readBeginnings(this.#claim))
  }

  /**
   * Takes the newest messages back and adds others in their place, in one step. Nothing is deleted. If the session
   * does not end with what is expected, or the operation id stands for another change, it is a
   * `HistoryConflictError`, and nothing has changed.
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
    // Nothing has changed: nothing is judged, counted or indexed again.
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
   * A new session with the messages through `atSeq`: by default all of them. `isJudged: false`: what is appended next is
   * judged, by its own policy, and not what is there.
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
   * What the model is given for its next call: computed, never stored. With another budget, model or
   * policy it is a view of the same session, which stores and triggers nothing.
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
   * One answer of a model through the AI SDK: `generateText({ model, ...turn.prompt })` and its like, then
   * `turn.finish(result)`. Frozen at the message that it answers: `throughSeq` or `answers`, or else what was said last
   * through this handle (in the same run of asynchronous code, where several share it), as long as it has no answer, or
   * what a user said last. What others say is for another turn.
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
    // Until its context is made, as it is now; from then on, as the context shows it.
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
          // What this handle had seen before counts as well.
          const isBound = this.#seen !== null && this.#seen.session !== null
          // Another session that bears the name by now is not this turn's to show.
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
   * What a person says to a call that asked for approval, however much was said since: the next turn runs the call, or
   * tells the model that it was refused. The same again adds nothing. One that nothing waits for is an
   * `ApprovalRefusedError`, which names the reason and those that do wait.
   * @example
   * await chat.answerApproval({ approvalId, approved: true })
   */
  async answerApproval(decision: ApprovalDecision): Promise<Appended> {
    return sayingWithin(async () => answerApproval(await this.bound(), decision))
  }

  /**
   * What a provider counted for a context that it was sent. From the next epoch on, contexts for that model
   * are measured by it.
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

  /** The same for a text that is no message. */
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

  /** What belongs to this chat: seen here only. */
  get memory(): MemoryDocument {
    return this.#document('chat', this.id)
  }

  /** What happened here on a day (`YYYY-MM-DD`); left out: today, in the zone of the instance. */
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
   * The tools by which a model writes memory and reads this session's log, as far as they are offered here: they
   * reach no other session, whatever they are asked.
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

  /** Of the instance, for sessions without a setting of their own. */
  get languageSetting(): LanguageSetting {
    return this.#engine.language
  }

  /**
   * In which language the engine writes here what it writes itself: as it is set, or by what is said. It changes with an
   * epoch only.
   */
  async language(): Promise<Language> {
    const record = await this.#record()
    if (record !== null) return this.#engine.contexts.language(this.#claim, record)
    return decideLanguage({ setting: this.#engine.language, messages: [], before: null }).language
  }

  /** Finds messages of this session, archived or not, by what they say. The newest is found at once. */
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

  /** What lies under a segment, level by level down to the messages as they were said; or a range of them. */
  async expand(options: ExpandOptions): Promise<Expanded> {
    const { expand } = await import('./finding/expand.ts')
    return this.#read(expand(this.#engine.store, this.#claim, options))
  }

  /** The whole session as one JSON value; `palimpsest.import()` reads it. */
  async export(): Promise<SessionFile> {
    return this.#read(this.#engine.store.transfer.exportSession(this.#claim))
  }

  /** The figures that the policy judges by; `null` in an empty session. */
  async snapshot(): Promise<Snapshot | null> {
    const { store, policy, clock } = this.#engine
    return this.#read(store.schedule.readSnapshot(this.#claim, { policy, now: clock() }))
  }

  /**
   * Folds now what the policy says, or with `force` whatever lies below the tail, and waits for it. One
   * that is under way elsewhere is waited for first.
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
      // Where nothing works in the background, this is when it is done.
      if (this.#engine.scheduler === null) await this.#rebuildOutdated(signal)
      // A policy for this once that has folded nothing leaves the session as it was, for the configured one, too.
      const isLeft = options.policy !== undefined && outcome.outcome !== 'applied'
      if (!closing.aborted && !isLeft) await this.#judgeAgain()
      return outcome
    })
  }

  /** Segments over messages that were edited since, as far as their time has come. */
  async #rebuildOutdated(signal: AbortSignal): Promise<void> {
    const { store, noteOutcome } = this.#engine
    if ((await store.rebuilds.readOutdated(this.#key)) === null) return
    const { rebuildOutdated } = await import('./compaction/rebuild-outdated.ts')
    const onOutcome = (outcome: FoldOutcome) => noteOutcome(outcome, this.#key)
    while ((await rebuildOutdated(this.#engine, this.#key, { signal, onOutcome })).left === 'more');
  }

  /** How a fold elsewhere ended that has left nothing to do; `null`: there was none since then. */
  async #foldSince({ lastOutcome: earlier }: SessionRecord): Promise<FoldOutcome | null> {
    const { lastOutcome } = await this.#requireRecord()
    if (lastOutcome === null || JSON.stringify(lastOutcome) === JSON.stringify(earlier)) return null
    const outcome = lastOutcome as unknown as FoldOutcome
    if (outcome.outcome !== 'applied') return outcome
    // What is stored was written before its segments had ids.
    const within = ({ level, fromSeq, toSeq }: Segment) =>
      level === 1 && toSeq >= outcome.fromSeq! && fromSeq <= outcome.toSeq!
    return { ...outcome, segmentId: (await this.segments()).find(within)?.id ?? null }
  }

  /** A long backlog takes several folds; together they are one to the caller. */
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
      // By force once: what the fold itself moved below the tail is left for the policy.
      const isAsked = options.force !== undefined || options.decision !== undefined
      const isDone = isAsked && (isWhole(options, outcome) || !reachesFoldLimit(outcome))
      if (isDone || options.signal.aborted) return total
    }
  }

  /** What the policy says now, or what a forced fold would be. Changes nothing. */
  async judge(options: ForceOptions = {}): Promise<Decision | null> {
    checkOptions('judge', options, FORCE)
    const { types, policyTimeoutMs: timeoutMs } = this.#engine
    if (options.force) return forcedDecision(options.force, types)
    const snapshot = await this.snapshot()
    if (snapshot === null) return null
    // Whoever asks what the policy says hears that it fails.
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
   * What a fold would do now: a dry run. `null` where the policy has nothing to do. Of a long backlog it is
   * the first of several folds.
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

  /** With what this session has settings of its own for. */
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

/** A question, or what a person says to a call. */
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

/** Of several messages the error says which. A misspelt field is an error too: it would be lost. */
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

/** Whether measuring them would keep everything else waiting. */
function areLong(messages: readonly NewMessage[]): boolean {
  let characters = 0
  for (const { content } of messages) {
    characters += lengthOf(content)
    if (characters > MAX_AT_ONCE) return true
  }
  return false
}

/** Of parts, what they are as JSON: the values of a tool's answer cost more than its letters. */
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

/** A handler that was given all that is raw has folded as much of it as it wanted. */
function isWhole({ handlers }: FoldOptions, { type }: FoldOutcome): boolean {
  return isWindowHandler(handlers?.[type ?? ''])
}

function checkCount(field: string, value: unknown): void {
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 0)
    throw new InvalidArgumentError(field, value, 'a whole number of at least 0')
}

/** A lease that ran out means that its holder died: nothing is folding then. */
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
