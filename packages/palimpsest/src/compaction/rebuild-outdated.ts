import { VERBATIM } from '../log/index.ts'
import { policyFor } from '../policy/index.ts'
import type { OutdatedWork, SessionKey, WithheldSegment } from '../store/index.ts'
import { extractive, type Summarizer, SummarizerError } from '../summarizer/index.ts'
import { backoffMs } from './backoff.ts'
import { failureReason, retryAfterMs } from './failure-reason.ts'
import { FOLD_LEASE_MS, type FoldEngine } from './fold-session.ts'
import { guarded } from './guarded-summarizer.ts'
import { HeldLease } from './held-lease.ts'
import { type FoldOutcome, isConflict, skipped } from './outcome.ts'
import { rebuildSegment } from './rebuild-segment.ts'
import { rememberEdited } from './remember-again.ts'
import { isExtractive } from './summarize-source.ts'
import { Tally } from './tally.ts'
import { withinTime } from './within-time.ts'

/**
 * `more`: the next segment can be rebuilt at once. `later`: the next one is due at `dueAt`. `overtaken`: the
 * session has to be looked at again soon.
 */
export type Rebuilt =
  | { readonly left: 'nothing' | 'more' | 'overtaken' }
  | { readonly left: 'later'; readonly dueAt: number }

const NOTHING_LEFT: Rebuilt = { left: 'nothing' }
const OVERTAKEN: Rebuilt = { left: 'overtaken' }

interface RebuildOptions {
  readonly signal: AbortSignal
  readonly onOutcome: (outcome: FoldOutcome) => void
}

/**
 * Rebuilds one segment of a session after an edit below it, if it is due. The source is the present messages
 * or the segments below, which are rebuilt first. The work follows the rules of a fold. It holds the
 * session's lease, and it holds no lock while the summariser works. It commits only in the epoch in which it
 * read. Until then the segment stays as it was, and contexts show the correction.
 */
export async function rebuildOutdated(
  engine: FoldEngine,
  key: SessionKey,
  options: RebuildOptions,
): Promise<Rebuilt> {
  const { store, owner, clock, leaseMs: ttlMs = FOLD_LEASE_MS } = engine
  const waiting = await store.rebuilds.readOutdated(key)
  if (waiting === null) return NOTHING_LEFT
  if (waiting.dueAt > clock()) return { left: 'later', dueAt: waiting.dueAt }
  const lease = await HeldLease.take(store.folds, key, {
    owner,
    ttlMs,
    clock,
    policy: undefined,
    once: false,
  })
  if (lease === null) return OVERTAKEN
  try {
    const work = await store.rebuilds.readOutdated(key)
    return work === null ? NOTHING_LEFT : await rebuildUnderLease(engine, { lease, key, work, ...options })
  } finally {
    await lease.release()
  }
}

interface UnderLease extends RebuildOptions {
  readonly lease: HeldLease
  readonly key: SessionKey
  readonly work: OutdatedWork
}

async function rebuildUnderLease(engine: FoldEngine, under: UnderLease): Promise<Rebuilt> {
  const { store, clock } = engine
  const { lease, key, work, signal, onOutcome } = under
  const leaseToken = lease.given.token
  if (work.segment === null) {
    await store.rebuilds.endCorrections(key, { leaseToken })
    return NOTHING_LEFT
  }
  const started = clock()
  const tally = new Tally()
  const { id, fromSeq, toSeq, type } = work.segment.segment
  const outcome = { ...skipped('edited'), type, fromSeq, toSeq, segmentId: id }
  const ended = () => ({ durationMs: clock() - started, ...tally.figures })
  try {
    const { settings } = lease.given
    const configured = { ...engine, policy: policyFor(settings, engine.policy) }
    const rebuilt = await rebuild(configured, work.segment, { tally, signal })
    if (!(await store.rebuilds.commitRebuilt(key, { ...rebuilt, leaseToken }))) return OVERTAKEN
    const { tokensBefore, tokensAfter } = rebuilt
    onOutcome({ ...outcome, outcome: 'applied', tokensBefore, tokensAfter, ...ended() })
    return { left: 'more' }
  } catch (error) {
    const reason = failureReason(error)
    if (isConflict(reason)) return OVERTAKEN
    if (signal.aborted) return NOTHING_LEFT
    const retryAt = clock() + Math.max(backoffMs(work.failures), retryAfterMs(error))
    await store.rebuilds.failRebuild(key, { leaseToken, retryAt }).catch(() => {})
    const isFailure = !SummarizerError.isSpendGuard(error)
    onOutcome({ ...outcome, outcome: isFailure ? 'failed' : 'skipped', reason, ...ended() })
    return { left: 'later', dueAt: retryAt }
  }
}

async function rebuild(
  engine: FoldEngine,
  withheld: WithheldSegment,
  { tally, signal: given }: { readonly tally: Tally; readonly signal: AbortSignal },
) {
  const spending = engine.spendGuard?.watch(withheld.key, tally.noteLimit) ?? null
  const summarizer = tally.metered(guarded(summarizerFor(engine, withheld), spending))
  return withinTime(
    async signal => {
      const by = { summarizer, signal, extracts: engine.rememberFold != null }
      const { segment, learned } = await rebuildSegment(engine, withheld, by)
      signal.throwIfAborted()
      const documents = await rememberEdited(engine, withheld, { ...learned, summarizer, signal })
      return { ...segment, isProper: true, documents }
    },
    { timeoutMs: engine.summarizerTimeoutMs, signal: given },
  )
}

/** A segment that another one has replaced, or will replace, is not worth a call of a model. */
function summarizerFor({ summarizer }: FoldEngine, { segment }: WithheldSegment): Summarizer {
  const isProvisional = segment.state === 'provisional'
  const isForNow = isExtractive({ name: segment.summarizer }) || segment.summarizer === VERBATIM
  const isReplaced = segment.rolledInto !== null && isForNow
  return isProvisional || isReplaced ? extractive() : summarizer
}
