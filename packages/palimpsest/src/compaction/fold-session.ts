import { InvalidDecisionError } from '../errors.ts'
import {
  type Memo,
  type Message,
  mergePeople,
  type Person,
  type Segment,
  withoutRecalled,
} from '../log/index.ts'
import {
  type Decision,
  type FoldPlan,
  type FoldRange,
  type Force,
  forcedDecision,
  judge,
  type Policy,
  policyFor,
  segmentLimits,
  withHandler,
} from '../policy/index.ts'
import {
  type DocumentWrite,
  type Fact,
  type FoldStore,
  type Judged,
  type Lease,
  type LogStore,
  type SessionKey,
  type SessionRecord,
  type Store,
  seenOf,
} from '../store/index.ts'
import {
  type Extract,
  extractive,
  type Prefix,
  type Summarizer,
  SummarizerError,
} from '../summarizer/index.ts'
import { type Attributes, type Tracer, traced } from '../telemetry.ts'
import { backoffMs } from './backoff.ts'
import { type BuiltInHandler, hearing, isBuiltIn, limitsOf, rangeOver, withCollected } from './built-in.ts'
import { catchUpMemoIfPossible, catchUpMemoUnlessSpent } from './catch-up-memo.ts'
import { commitPatiently } from './commit-patiently.ts'
import { extractsFor } from './extracts.ts'
import { failureReason, retryAfterMs } from './failure-reason.ts'
import { foldWindow, isWindowHandler, type WindowHandler, type WindowInput } from './fold-window.ts'
import { withText } from './folded-segment.ts'
import { extractiveWhenSpent, guarded } from './guarded-summarizer.ts'
import { handledTypes } from './handled-types.ts'
import { type FoldHandler, type FoldInput, type FoldResult, foldRange } from './handlers.ts'
import { HeldLease } from './held-lease.ts'
import { LAST_RESIZE, MemoKeeper, type MemoRules } from './memo-keeper.ts'
import { type FoldOutcome, isConflict, outcomeOf, skipped } from './outcome.ts'
import { DEFAULT_POLICY_TIMEOUT_MS, judgeWithOwn, policyWarning } from './own-policy.ts'
import { pause } from './pause.ts'
import { peopleOf, peopleOfSegments, withPeople } from './people.ts'
import { MAX_FOLD_TOKENS, type NextFold, planNext, planWhole, type WholeFold } from './plan-next.ts'
import { readAllMessages, readMessages } from './read-messages.ts'
import { earlierSummary } from './segment-lines.ts'
import { tokensOf } from './source.ts'
import type { SpendGuard, SpendWatch } from './spend-guard.ts'
import { isExtractive } from './summarize-source.ts'
import { supersededBy } from './supersede.ts'
import { Tally } from './tally.ts'
import { metered } from './usage.ts'
import { withinTime } from './within-time.ts'

/** The methods of a store that folding needs. */
export interface FoldPorts {
  readonly folds: Pick<
    FoldStore,
    'acquireLease' | 'renewLease' | 'releaseLease' | 'readPlan' | 'readSegments' | 'commitFold' | 'failFold'
  >
  readonly log: Pick<LogStore, 'readMessages'>
}

/** Everything that folding needs. */
export interface FoldEngine<Stored extends FoldPorts = Store> {
  /** The usual policy, if `policy` holds for one fold only. */
  readonly configured?: Policy
  readonly store: Stored
  readonly namespace: string
  readonly policy: Policy
  readonly summarizer: Summarizer
  /** The limits on spending for models. Left out or `null`: there are none. */
  readonly spendGuard?: SpendGuard | null
  readonly memo: MemoRules
  /**
   * The caller's own handlers, by type of decision. A type without a handler gets the built-in one. The
   * caller may replace `lite` and `deep` too.
   */
  readonly handlers: FoldHandlers
  readonly zone: string
  readonly clock: () => number
  readonly tracer: Tracer | null
  /**
   * The last request to the session's model, through the end of a range. `null`: this process does not know
   * it.
   */
  readonly prefixOf?: (key: SessionKey, range: FoldRange) => Promise<Prefix | null>
  /**
   * The writes to memory documents that a fold brings. They are committed with the fold. Left out or `null`:
   * none.
   */
  readonly rememberFold?: ((fold: FoldedRange) => Promise<readonly DocumentWrite[]>) | null
  /** The lease lasts this long without renewal. Left out: a minute. */
  readonly leaseMs?: number
  /** The name of this process in its leases. */
  readonly owner: string
  /** The time limit of a summariser. */
  readonly summarizerTimeoutMs: number
  /** The time limit of the caller's own policies. Left out: five seconds. */
  readonly policyTimeoutMs?: number
  /** Called if one of the caller's own policies fails or does not answer. */
  readonly onPolicyFailure?: (error: unknown, key: SessionKey) => void
}

type FoldHandlers = Readonly<Record<string, FoldHandler | WindowHandler | BuiltInHandler | undefined>>

/** What memory is told about a fold. */
export interface FoldedRange {
  readonly key: SessionKey
  readonly session: SessionRecord
  readonly messages: readonly Message[]
  /** `null`: no summariser was asked, for example because the caller's own handler did the fold. */
  readonly extracts: readonly Extract[] | null
  /** All people known in the session, with those of this range. */
  readonly people: readonly Person[]
  /** The earlier, provisional folds that this fold replaces. Their lines in memory are replaced too. */
  readonly superseded: readonly Pick<Segment, 'fromSeq' | 'toSeq'>[]
  /** Selects further lines of folds in the chat's memory that are replaced. Left out: none. */
  readonly isStale?: (fact: Pick<Fact, 'from' | 'origin' | 'saidAt'>) => boolean
  readonly summarizer: Summarizer
  readonly signal: AbortSignal
}

export interface FoldOptions {
  readonly force?: Force
  /** The caller's decision. It is carried out once, and no policy is asked. */
  readonly decision?: Decision
  /** Whether the decision still holds in the epoch of the fold. Left out: it holds in any epoch. */
  readonly isUnchanged?: (epoch: number) => boolean
  /** For this fold only. They replace handlers of the engine. */
  readonly handlers?: FoldHandlers
  /** Instructions to the summariser about the memo, for this fold only. */
  readonly memoInstructions?: readonly string[]
  /** What the summary has to keep above all, in the caller's words. */
  readonly focus?: string
  readonly policy?: Policy
  readonly signal?: AbortSignal
}

export const FOLD_LEASE_MS = 60_000

/** How a fold ended, and the verdict after it. `judged` is `null` if the policy has to be asked again. */
export interface Folded {
  readonly outcome: FoldOutcome
  readonly judged: Judged | null
}

/**
 * Folds one session once. It takes the lease, freezes the range, and lets the handler work without a lock or
 * a transaction. It commits only if nothing has changed meanwhile. A failure leaves the stored state as it
 * was, and the outcome gives the reason.
 */
export function foldSession(
  engine: FoldEngine<FoldPorts>,
  key: SessionKey,
  options: FoldOptions = {},
): Promise<Folded> {
  const span = {
    name: 'palimpsest.fold',
    attributes: { 'gen_ai.operation.name': 'fold', 'gen_ai.conversation.id': key.id },
  }
  return traced(engine.tracer, span, () => foldOnce(engine, key, options), describeOutcome)
}

function describeOutcome({ outcome: { usage, ...outcome } }: Folded): Attributes {
  return {
    'palimpsest.fold.outcome': outcome.outcome,
    'palimpsest.fold.reason': outcome.reason,
    'palimpsest.fold.type': outcome.type ?? undefined,
    'palimpsest.fold.from_seq': outcome.fromSeq ?? undefined,
    'palimpsest.fold.to_seq': outcome.toSeq ?? undefined,
    'palimpsest.fold.tokens_before': outcome.tokensBefore,
    'palimpsest.fold.tokens_after': outcome.tokensAfter,
    ...(usage && {
      'gen_ai.request.model': usage.model,
      'gen_ai.usage.input_tokens': usage.inputTokens,
      'gen_ai.usage.output_tokens': usage.outputTokens,
    }),
  }
}

async function foldOnce(
  shared: FoldEngine<FoldPorts>,
  key: SessionKey,
  options: FoldOptions,
): Promise<Folded> {
  // The settings of this moment. A later `configure` affects the next fold, and also the decision whether
  // there is one.
  const handlers = { ...shared.handlers, ...options.handlers }
  const forced = decisionOf(options, handledTypes(handlers))
  const { store, owner, clock, leaseMs: ttlMs = FOLD_LEASE_MS } = shared
  const [usual, asked] = [shared.policy, options.policy ?? shared.policy]
  const policy = forced === null ? asked : undefined
  const once = options.policy !== undefined
  const lease = await HeldLease.take(store.folds, key, { owner, ttlMs, clock, policy, once })
  if (lease === null) return unjudged(skipped('already_folding'))
  try {
    const { settings } = lease.given
    const { memoInstructions: instructions } = options
    const engine = {
      ...shared,
      handlers,
      memo: { ...shared.memo, ...(instructions && { instructions }) },
      policy: policyFor(settings, asked),
      configured: policyFor(settings, usual),
    }
    return await foldUnderLease(engine, key, { lease, forced, options, live: shared })
  } finally {
    await lease.release()
  }
}

function unjudged(outcome: FoldOutcome): Folded {
  return { outcome, judged: null }
}

/** The decision that needs no policy. `null`: the policy decides. */
function decisionOf({ decision, force }: FoldOptions, types: readonly string[]): Decision | null {
  if (decision !== undefined) return withHandler(decision, types)
  return force === undefined ? null : forcedDecision(force, types)
}

interface UnderLease {
  readonly lease: HeldLease
  readonly forced: Decision | null
  readonly options: FoldOptions
  /** `configure` may change these during a fold. */
  readonly live: Pick<FoldEngine, 'policy'>
}

async function foldUnderLease(
  engine: FoldEngine<FoldPorts>,
  key: SessionKey,
  under: UnderLease,
): Promise<Folded> {
  const started = engine.clock()
  const { given } = under.lease
  if (under.options.isUnchanged?.(given.epoch) === false) return unjudged(skipped('epoch_conflict'))
  const tally = new Tally()
  const decision = under.forced ?? (await pendingDecision(engine, key, { under, warn: tally.warn }))
  await pause()
  const next = decision && (await planNextOrConflict(engine, key, decision))
  const { warnings } = tally.figures
  if (next === null) {
    const judged = engine.policy.judges.length === 0 ? given.judged : null
    return { outcome: { ...skipped('nothing_to_do'), warnings }, judged }
  }
  if (typeof next === 'string') return unjudged({ ...skipped(next), warnings })
  const spending = engine.spendGuard?.watch(key, tally.noteLimit) ?? null
  const attempt: Attempt = { ...next, under, started, tally, spending }
  try {
    const result = await runHandler(engine, key, attempt)
    await pause()
    return await commitResult(engine, key, attempt, result)
  } catch (error) {
    return unjudged(await fail(engine, key, attempt, error))
  }
}

interface Attempt extends NextFold, Partial<Pick<WholeFold, 'raw'>> {
  readonly under: UnderLease
  readonly started: number
  readonly tally: Tally
  /** `null`: spending has no limit. */
  readonly spending: SpendWatch | null
}

async function planNextOrConflict(
  engine: FoldEngine<FoldPorts>,
  key: SessionKey,
  decision: Decision,
): Promise<NextFold | WholeFold | string | null> {
  const isWhole = isWindowHandler(engine.handlers[decision.type])
  try {
    const whole = isWhole ? await planWhole(engine, key, decision) : null
    // All messages of an ended chapter are folded, so a window handler has nothing to choose.
    return whole?.chapter.throughSeq === null ? whole : await planNext(engine, key, decision)
  } catch (error) {
    const reason = failureReason(error)
    if (isConflict(reason)) return reason
    throw error
  }
}

/**
 * Judges again under the lease, since another process may have done the work. A forced decision stands. The
 * caller's own policies are asked again. During a back-off only folds without the summariser are possible.
 */
async function pendingDecision(
  engine: FoldEngine<FoldPorts>,
  key: SessionKey,
  { under, warn }: { readonly under: UnderLease; readonly warn: (warning: string) => void },
): Promise<Decision | null> {
  const { policy, handlers, onPolicyFailure, policyTimeoutMs: timeoutMs = DEFAULT_POLICY_TIMEOUT_MS } = engine
  const { pending, judged }: Lease = under.lease.given
  if (pending?.reason === 'force') return pending
  if (!judged?.snapshot) return null
  if (policy.judges.length === 0) return judge(policy, judged.snapshot)
  return judgeWithOwn(policy, judged.snapshot, {
    key,
    types: handledTypes(handlers),
    timeoutMs,
    signal: under.options.signal,
    onFailure: error => {
      warn(policyWarning(error, timeoutMs))
      onPolicyFailure?.(error, key)
    },
  })
}

/** The result of a handler, with the writes to memory documents. */
interface FoldWorked extends FoldResult {
  /** Set if the handler folded less than was planned. */
  readonly plan?: FoldPlan
  readonly documents?: readonly DocumentWrite[]
}

async function runHandler(
  engine: FoldEngine<FoldPorts>,
  key: SessionKey,
  attempt: Attempt,
): Promise<FoldWorked> {
  const { signal: given } = attempt.under.options
  const handler = engine.handlers[attempt.plan.decision.type]
  return withinTime(
    signal =>
      isWindowHandler(handler) && attempt.raw !== undefined
        ? workOnWindow(engine, key, { ...attempt, handler, signal })
        : work(engine, key, attempt, signal),
    { timeoutMs: engine.summarizerTimeoutMs, signal: given },
  )
}

/** The handler reads all raw messages. The messages that it leaves raw are no part of this fold. */
async function workOnWindow(
  engine: FoldEngine<FoldPorts>,
  key: SessionKey,
  {
    plan,
    session,
    chapter,
    raw = [],
    handler,
    signal,
    tally,
    spending,
  }: Attempt & { handler: WindowHandler; signal: AbortSignal },
): Promise<FoldWorked> {
  const { store } = engine
  const { head, memo } = session
  const segments = await shownSegments(store, key, { session, chapter })
  const { range } = plan
  const messages = range === null ? [] : await readAllMessages(store.log, key, range)
  const input: WindowInput = { decision: plan.decision, segments, messages, memo, head, signal }
  const zone = session.zone ?? engine.zone
  const made = foldWindow(await handler.window(input), input, raw)
  const folded = { ...made, segments: withPeople(made.segments, { messages, stored: segments, zone }) }
  if (folded.plan.range === null) return folded
  const { toSeq } = folded.plan.range
  const documents = await engine.rememberFold?.({
    key,
    session,
    messages: withoutRecalled(messages.filter(({ seq }) => seq <= toSeq)),
    extracts: null,
    people: mergePeople(peopleOfSegments(segments), peopleOf(messages, zone)),
    superseded: [],
    summarizer: metered(guarded(engine.summarizer, spending), tally.note),
    signal,
  })
  return { ...folded, documents: documents ?? [] }
}

/**
 * The segments of this chapter. A cursor at 0 means that no message is folded, so any segments left are
 * ignored.
 */
async function shownSegments(
  store: FoldPorts,
  key: SessionKey,
  { session, chapter }: Pick<NextFold, 'session' | 'chapter'>,
): Promise<readonly Segment[]> {
  const { compactedThrough } = session.state
  return compactedThrough === 0 ? [] : store.folds.readSegments(key, 'shown', { after: chapter.afterSeq })
}

async function work(
  engine: FoldEngine<FoldPorts>,
  key: SessionKey,
  { plan, session, chapter, under, tally, spending }: Attempt,
  signal: AbortSignal,
): Promise<FoldWorked> {
  const { store, policy } = engine
  const zone = session.zone ?? engine.zone
  const { decision, range } = plan
  const given = engine.handlers[decision.type] as FoldHandler | BuiltInHandler | undefined
  const builtIn = isBuiltIn(given) ? given : null
  const handler = isBuiltIn(given) ? undefined : given
  const segments = await shownSegments(store, key, { session, chapter })
  // A policy for this fold only decides what is folded. The usual policy decides how large all segments
  // together may be.
  const { overheadTokens } = session.state
  const usual = segmentLimits(engine.configured ?? policy, overheadTokens)
  const { verbatimBelowTokens } = segmentLimits(policy, overheadTokens)
  const limits = limitsOf({ ...usual, verbatimBelowTokens }, builtIn)
  // If the configured summariser is extractive, an extract is final, and no better summary will follow.
  const isBackingOff = decision.meta['extractive'] === true && !isExtractive(engine.summarizer)
  const isTrimming = builtIn?.builtIn === 'trim'
  const worksThrough = builtIn?.builtIn === 'work-through'
  const newest = range ?? (worksThrough ? ABOVE_ALL : null)
  const isForNow = isBackingOff || (isTrimming && !isExtractive(engine.summarizer))
  const behind =
    handler || isForNow || newest === null
      ? []
      : supersededBy(newest, segments, { ...limits, mostTokens: MAX_FOLD_TOKENS })
  // A short range is kept word for word and needs no model. Behind provisional segments it becomes
  // provisional too if the model cannot be asked. A later fold then summarises all of them together.
  const needsModel = behind.length > 0 || (range?.amount.tokens ?? 0) >= limits.verbatimBelowTokens
  const isSpent =
    !handler && !isBackingOff && !isTrimming && needsModel && (await isLimitReached(engine, spending))
  const asksNobody = isBackingOff || isSpent
  const isProvisional = asksNobody || (isTrimming && !isExtractive(engine.summarizer))
  const superseded = isSpent ? [] : behind
  // The extractive summariser describes attachments itself.
  const heard =
    builtIn && !isExtractive(engine.summarizer) ? hearing(engine.summarizer, builtIn) : engine.summarizer
  const model = metered(asksNobody ? extractive() : guarded(heard, spending), tally.note)
  const summarizer = isProvisional && !asksNobody ? extractive() : model
  const known = peopleOfSegments(segments)
  const keeper = new MemoKeeper({
    memo: memoOf(session),
    rules: engine.memo,
    summarizer: model,
    zone,
    earlier: earlierSummary(segments),
    people: known,
    signal,
    warn: tally.warn,
  })
  if (isProvisional) keeper.fallBehind()
  const memoWork = { store, key, keeper, summarizer: model, signal }
  if (range === null && superseded.length === 0) {
    if (!asksNobody) await catchUpMemoUnlessSpent({ ...memoWork, throughSeq: session.head.seq })
    return { segments: [], memo: keeper.memo }
  }
  const folded = range ?? rangeOver(superseded, session.state.folded.turns)
  const fromSeq = superseded[0]?.fromSeq ?? folded.fromSeq
  const { toSeq } = folded
  await pause()
  const { messages } = await readMessages(store.log, key, { fromSeq, toSeq })
  const { focus } = under.options
  const input: FoldInput = {
    decision,
    range: folded,
    messages,
    segments,
    people: known,
    memo: session.memo,
    summarizer: handler ? extractiveWhenSpent(summarizer) : summarizer,
    limits,
    zone,
    signal,
    ...(focus !== undefined && { focus }),
    warn: tally.warn,
  }
  const frozen = { fromSeq, toSeq, messages, superseded }
  // Replaced segments already have their lines in memory. New lines from the extractive summariser would be
  // no better.
  const keepsLines = superseded.length > 0 && isExtractive(summarizer)
  const added = range === null ? [] : messages.filter(({ seq }) => seq >= range.fromSeq)
  const remember = async (result: FoldResult): Promise<FoldWorked> => {
    const told = keepsLines
      ? { messages: added, extracts: null, superseded: [] }
      : { messages, extracts: result.extracts ?? null, superseded }
    const people = mergePeople(known, peopleOf(messages, zone))
    const remembered = { key, session, ...told, people, summarizer, signal }
    const documents = (await engine.rememberFold?.(remembered)) ?? []
    const isWithoutModel = isProvisional && !isBackingOff
    return { ...result, documents, ...(isWithoutModel && { plan: withoutModel(plan) }) }
  }
  if (handler) {
    const own = await handler(input)
    const complete = { messages, stored: segments, zone }
    return remember(checkCovers({ ...own, segments: withPeople(own.segments, complete) }, frozen))
  }
  const isShort = tokensOf(messages) < limits.verbatimBelowTokens
  // If the summary needs no call, the memo gets no call either, until enough messages are new to it.
  if (!isProvisional && !isShort)
    await catchUpMemoIfPossible({ ...memoWork, throughSeq: fromSeq - 1 }, tally.warn)
  const prefix = superseded.length === 0 ? await prefixFor(engine, key, folded) : null
  const extracts = engine.rememberFold && !keepsLines ? extractsFor(messages) : null
  const { kind } = session
  const own = { superseded, keeper, kind, isProvisional, whenSpent: 'extract', prefix, extracts } as const
  const result = await foldRange({ ...input, ...own })
  const collected =
    worksThrough && !isProvisional
      ? await Promise.all(result.segments.map(segment => withCollected(segment, messages, builtIn)))
      : result.segments
  if (builtIn !== null && !asksNobody)
    await catchUpMemoIfPossible({ ...memoWork, throughSeq: session.head.seq }, tally.warn)
  else if (!isProvisional && isShort)
    await catchUpMemoIfPossible(
      { ...memoWork, throughSeq: toSeq, leastTokens: limits.verbatimBelowTokens },
      tally.warn,
    )
  return remember(checkCovers({ ...result, segments: collected, memo: keeper.memo }, frozen))
}

/** A place above all messages. It is used if only provisional segments are folded and no raw message is. */
const ABOVE_ALL = { fromSeq: Number.POSITIVE_INFINITY, amount: { tokens: 0 } }

async function isLimitReached(
  { summarizer }: Pick<FoldEngine, 'summarizer'>,
  spending: SpendWatch | null,
): Promise<boolean> {
  return spending !== null && !isExtractive(summarizer) && (await spending.isReached(summarizer.name))
}

/** Marks the plan as in a back-off. The outcome then says nothing about whether the model works. */
function withoutModel(plan: FoldPlan): FoldPlan {
  const { decision } = plan
  return { ...plan, decision: { ...decision, meta: { ...decision.meta, extractive: true } } }
}

/**
 * A session may be older than memos. Its memo then begins at the cursor, so that years of messages are not
 * read again.
 */
function memoOf({ memo, state }: NextFold['session']): Memo {
  return memo ?? { value: {}, throughSeq: state.compactedThrough }
}

interface Frozen {
  readonly fromSeq: number
  readonly toSeq: number
  readonly messages: readonly Message[]
  readonly superseded: readonly Segment[]
}

/**
 * The caller's own handler may return anything. If its segments left a gap, the fold would repeat for ever.
 */
function checkCovers(result: FoldResult, { fromSeq, toSeq, messages, superseded }: Frozen): FoldResult {
  const covering = result.segments.filter(segment => segment.level === 1)
  const absorbed = covering.flatMap(segment => segment.absorbs)
  let place = 0
  const isCovered =
    covering[0]?.fromSeq === fromSeq &&
    covering.at(-1)?.toSeq === toSeq &&
    covering.every((segment, index) => index === 0 || segment.fromSeq > covering[index - 1]!.toSeq) &&
    messages.every(({ seq }) => {
      while (place < covering.length - 1 && covering[place]!.toSeq < seq) place += 1
      return covering[place]!.fromSeq <= seq
    }) &&
    absorbed.length === superseded.length &&
    superseded.every(({ id }) => absorbed.includes(id))
  if (!isCovered)
    throw new InvalidDecisionError(
      result.segments.map(({ fromSeq, toSeq }) => [fromSeq, toSeq]),
      `segments of level 1 from ${fromSeq} through ${toSeq}`,
    )
  return result
}

/** The prefix only saves money. If reading it fails, the fold goes on without it. */
async function prefixFor(
  engine: FoldEngine<FoldPorts>,
  key: SessionKey,
  range: FoldRange,
): Promise<Prefix | null> {
  if (!engine.summarizer.reusesPrefix) return null
  return (await engine.prefixOf?.(key, range).catch(() => null)) ?? null
}

async function commitResult(
  engine: FoldEngine<FoldPorts>,
  key: SessionKey,
  { plan: planned, session, under, started, tally }: Attempt,
  result: FoldWorked,
): Promise<Folded> {
  const { store, clock } = engine
  const now = clock()
  const { plan = planned } = result
  const segments = result.segments.map(withText)
  const lower = segments.filter(({ level }) => level === 1)
  const sumOf = (field: 'tokensBefore' | 'tokensAfter') => lower.reduce((sum, each) => sum + each[field], 0)
  const tokensAfter = sumOf('tokensAfter')
  // The fold took in earlier messages again, so their tokens count too. Otherwise the fold would seem to make
  // them larger.
  const takesIn = lower.some(({ absorbs, window }) => absorbs.length > 0 && !window)
  const { reason } = plan.decision
  const ended = plan.range || segments.length > 0 ? 'applied' : 'skipped'
  const outcome = {
    ...outcomeOf(plan, { outcome: ended, reason, durationMs: now - started, ...tally.figures }),
    tokensAfter,
    ...(takesIn && { tokensBefore: sumOf('tokensBefore') }),
  }
  const commit = {
    key,
    operationId: crypto.randomUUID(),
    leaseToken: under.lease.given.token,
    expectedEpoch: session.epoch,
    plan,
    head: session.head,
    segments,
    memo: withLastResize(result.memo ?? memoOf(session), plan, session),
    documents: result.documents ?? [],
    outcome: { ...outcome },
    policy: under.live.policy,
    now,
  }
  const { segmentIds, judged } = await commitPatiently(store.folds, commit, under.options.signal)
  under.lease.noteCommitted()
  return { outcome: { ...outcome, segmentId: segmentIds[0] ?? null }, judged }
}

/** Each committed decision is noted in the memo, even if a handler wrote the rest of the memo. */
function withLastResize(memo: Memo, { decision }: FoldPlan, { head }: NextFold['session']): Memo {
  const { type, reason } = decision
  return { ...memo, value: { ...memo.value, [LAST_RESIZE]: { type, turn: head.totals.turn, reason } } }
}

async function fail(
  engine: FoldEngine<FoldPorts>,
  key: SessionKey,
  { plan, session, under, started, tally }: Attempt,
  error: unknown,
): Promise<FoldOutcome> {
  const { store, clock } = engine
  const now = clock()
  const outcome = outcomeOf(plan, {
    outcome: 'failed',
    reason: failureReason(error),
    durationMs: now - started,
    ...tally.figures,
  })
  if (isConflict(outcome.reason) || SummarizerError.isSpendGuard(error))
    return { ...outcome, outcome: 'skipped' }
  if (under.options.signal?.aborted) return { ...outcome, outcome: 'skipped', reason: 'aborted' }
  const backoffUntil = now + Math.max(backoffMs(session.failures), retryAfterMs(error))
  // The error of a summariser may quote messages that were erased meanwhile. `seen` makes the store refuse
  // the outcome then.
  await store.folds
    .failFold(
      { ...key, seen: seenOf(session) },
      {
        leaseToken: under.lease.given.token,
        backoffUntil,
        outcome: { ...outcome },
        throughSeq: session.head.seq,
        now,
      },
    )
    .catch(() => {})
  return outcome
}
