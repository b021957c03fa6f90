import { InvalidDecisionError, PalimpsestError } from '../errors.ts'
import type { Message } from '../log/index.ts'
import {
  type Decision,
  type FoldPlan,
  type FoldRange,
  type Force,
  forcedDecision,
  judge,
  judgeAll,
  type Policy,
  planFold,
  segmentLimits,
} from '../policy/index.ts'
import type { Lease, PlanSource, SessionKey, Store } from '../store/index.ts'
import { extractive, type Summarizer } from '../summarizer/index.ts'
import { backoffMs } from './backoff.ts'
import { handledTypes } from './handled-types.ts'
import { type FoldHandler, type FoldResult, foldRange, SummaryRejectedError } from './handlers.ts'
import { type FoldOutcome, isConflict, outcomeOf, skipped } from './outcome.ts'

/** What folding needs. */
export interface FoldEngine {
  readonly store: Store
  readonly namespace: string
  readonly policy: Policy
  readonly summarizer: Summarizer
  /** The caller's own, by the decision's type; `lite` and `deep` are there unless they are replaced. */
  readonly handlers: Readonly<Record<string, FoldHandler>>
  readonly zone: string
  readonly clock: () => number
  /** This process, in the leases that it holds. */
  readonly owner: string
  /** How long a summariser may take. */
  readonly summarizerTimeoutMs: number
}

const LEASE_MS = 60_000
const RENEW_MS = 20_000
/** What one fold takes in at most: a long backlog is worked off in several, each committed. */
const MOST_FOLD_TOKENS = 96_000
const MESSAGES_AT_A_TIME = 500

/**
 * One fold of one session, by the protocol: take the lease, freeze the range, let the handler work
 * without lock or transaction, commit if nothing has changed meanwhile. Whatever fails leaves the stored
 * state as it was, and the outcome says why.
 */
export async function foldSession(
  engine: FoldEngine,
  key: SessionKey,
  options: { force?: Force; signal?: AbortSignal } = {},
): Promise<FoldOutcome> {
  const { store, owner, clock } = engine
  const forced =
    options.force === undefined ? null : forcedDecision(options.force, handledTypes(engine.handlers))
  const lease = await store.acquireLease(key, { owner, ttlMs: LEASE_MS, now: clock() })
  if (lease === null) return skipped('already_folding')
  const keepAlive = setInterval(() => {
    store.renewLease(key, { token: lease.token, ttlMs: LEASE_MS, now: clock() }).catch(() => {})
  }, RENEW_MS)
  try {
    return await foldUnderLease(engine, key, { lease, forced, signal: options.signal })
  } finally {
    clearInterval(keepAlive)
    await store.releaseLease(key, lease.token).catch(() => {})
  }
}

interface UnderLease {
  readonly lease: Lease
  readonly forced: Decision | null
  readonly signal: AbortSignal | undefined
}

async function foldUnderLease(engine: FoldEngine, key: SessionKey, under: UnderLease): Promise<FoldOutcome> {
  const { store, policy, clock } = engine
  const started = clock()
  const decision = under.forced ?? (await pendingDecision(engine, key))
  if (decision === null) return skipped('nothing_to_do')
  const source = await store.readPlan(key)
  const snapshot = await store.readSnapshot(key, { policy, now: started })
  if (!source?.session.head || !snapshot) return skipped('nothing_to_do')
  const { head } = source.session
  const plan = planFold({
    policy,
    decision,
    raw: source.raw,
    lastTurnComplete: head.totals.complete,
    snapshot,
    mostTokens: MOST_FOLD_TOKENS,
  })
  try {
    const result = plan.range
      ? await runHandler(engine, key, { plan, range: plan.range, source, under })
      : NOTHING
    return await commit(engine, key, { plan, result, source, under, started })
  } catch (error) {
    return await fail(engine, key, { plan, error, under, started, failures: source.session.failures })
  }
}

const NOTHING: FoldResult = { segments: [], memo: null }

/**
 * What there is to do, judged anew: it may have been done by somebody else. What was forced stands; the
 * caller's own policy is asked again; in a back-off only what does without the summariser is done.
 */
async function pendingDecision(engine: FoldEngine, key: SessionKey): Promise<Decision | null> {
  const { store, policy, clock, handlers } = engine
  const waiting = (await store.readSession(key))?.pending ?? null
  if (waiting?.reason === 'force') return waiting
  const verdict = await store.judge(key, { policy, now: clock() })
  if (!verdict?.snapshot) return null
  if (policy.judges.length > 0) return judgeAll(policy, verdict.snapshot, handledTypes(handlers))
  return judge(policy, verdict.snapshot)
}

async function runHandler(
  engine: FoldEngine,
  key: SessionKey,
  { plan, range, source, under }: { plan: FoldPlan; range: FoldRange; source: PlanSource; under: UnderLease },
): Promise<FoldResult> {
  const { store, policy, summarizer, handlers, zone, summarizerTimeoutMs } = engine
  const timeout = AbortSignal.timeout(summarizerTimeoutMs)
  const signal = under.signal ? AbortSignal.any([under.signal, timeout]) : timeout
  const isWithoutModel = plan.decision.meta['extractive'] === true
  const input = {
    decision: plan.decision,
    range,
    messages: await readRange(store, key, range),
    // Where the cursor is taken as none, what segments there are stand for nothing any more.
    segments: source.session.state.compactedThrough === 0 ? [] : await store.readSegments(key, 'shown'),
    memo: source.session.memo,
    summarizer: isWithoutModel ? extractive() : summarizer,
    limits: segmentLimits(policy),
    zone,
    signal,
  }
  signal.throwIfAborted()
  // A handler that does not heed the signal is left behind.
  const handler = handlers[plan.decision.type] ?? foldRange
  const result = await Promise.race([handler(input), rejection(signal)])
  checkCovers(result, range)
  return result
}

/** A handler of the caller's own may return anything; what left a gap would be folded again for ever. */
function checkCovers({ segments }: FoldResult, range: FoldRange): void {
  const covering = segments.filter(segment => segment.level === 1)
  const isCovered =
    covering[0]?.fromSeq === range.fromSeq &&
    covering.at(-1)?.toSeq === range.toSeq &&
    covering.every((segment, index) => index === 0 || segment.fromSeq > covering[index - 1]!.toSeq)
  if (!isCovered)
    throw new InvalidDecisionError(
      segments.map(({ fromSeq, toSeq }) => [fromSeq, toSeq]),
      `segments of level 1 from ${range.fromSeq} through ${range.toSeq}`,
    )
}

function rejection(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })
}

async function readRange(store: Store, key: SessionKey, range: FoldRange): Promise<readonly Message[]> {
  const messages: Message[] = []
  let after = range.fromSeq - 1
  for (;;) {
    const page = await store.readMessages(key, {
      after,
      before: range.toSeq + 1,
      limit: MESSAGES_AT_A_TIME,
      from: 'oldest',
    })
    messages.push(...page)
    if (page.length < MESSAGES_AT_A_TIME) return messages
    after = page.at(-1)!.seq
  }
}

interface Attempt {
  readonly plan: FoldPlan
  readonly under: UnderLease
  readonly started: number
}

async function commit(
  engine: FoldEngine,
  key: SessionKey,
  { plan, result, source, under, started }: Attempt & { result: FoldResult; source: PlanSource },
): Promise<FoldOutcome> {
  const { store, clock } = engine
  const now = clock()
  const tokensAfter = result.segments
    .filter(segment => segment.level === 1)
    .reduce((sum, segment) => sum + segment.tokensAfter, 0)
  const ended = plan.range ? 'applied' : 'skipped'
  const { reason } = plan.decision
  const outcome = { ...outcomeOf(plan, { outcome: ended, reason, durationMs: now - started }), tokensAfter }
  const receipt = await store.commitFold({
    key,
    operationId: crypto.randomUUID(),
    leaseToken: under.lease.token,
    expectedEpoch: source.session.epoch,
    plan,
    head: source.session.head!,
    segments: result.segments,
    memo: result.memo,
    outcome: { ...outcome },
    now,
  })
  return { ...outcome, segmentId: receipt.segmentIds[0] ?? null }
}

async function fail(
  engine: FoldEngine,
  key: SessionKey,
  { plan, error, under, started, failures }: Attempt & { error: unknown; failures: number },
): Promise<FoldOutcome> {
  const { store, clock } = engine
  const now = clock()
  const outcome = outcomeOf(plan, {
    outcome: 'failed',
    reason: failureReason(error),
    durationMs: now - started,
  })
  if (isConflict(outcome.reason)) return { ...outcome, outcome: 'skipped' }
  if (under.signal?.aborted) return { ...outcome, outcome: 'skipped', reason: 'aborted' }
  const backoffUntil = now + backoffMs(failures)
  await store
    .failFold(key, { leaseToken: under.lease.token, backoffUntil, outcome: { ...outcome }, now })
    .catch(() => {})
  return outcome
}

function failureReason(error: unknown): string {
  if (error instanceof SummaryRejectedError) return error.problem
  if (PalimpsestError.isInstance(error)) return error.code
  if (error instanceof Error && error.name === 'TimeoutError') return 'timeout'
  return error instanceof Error ? error.message : String(error)
}
