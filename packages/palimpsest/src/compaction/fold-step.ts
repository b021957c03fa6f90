import type { Policy } from '../policy/index.ts'
import type { SessionKey } from '../store/index.ts'
import type { FoldEngine } from './fold-session.ts'
import { type FoldOutcome, isConflict } from './outcome.ts'

/** A session that waits for a fold. */
export interface Waiting {
  readonly key: SessionKey
  /** A policy for one fold only. After it the configured policy decides. */
  readonly policy: Policy | undefined
  /** This is the second try after a failure. No third one follows. */
  readonly isFallback: boolean
}

export interface FoldStep {
  readonly outcome: FoldOutcome
  /** The next work on this session. `null`: none. */
  readonly next: Waiting | null
  /**
   * History changed under the fold, or another process holds the lease. The session is looked at again soon.
   */
  readonly isOvertaken: boolean
  /** The instant at which a time rule of the policy has to be checked. */
  readonly dueAt: number | null
}

/**
 * Folds a session once and asks its policy what comes next. If there is nothing to fold, one segment over
 * edited messages is rebuilt.
 */
export async function foldStep(
  engine: FoldEngine,
  waiting: Waiting,
  options: { signal: AbortSignal; onOutcome: (outcome: FoldOutcome) => void },
): Promise<FoldStep> {
  const step = await foldOnce(engine, waiting, options)
  if (step.next !== null || step.isOvertaken || options.signal.aborted) return step
  const { key } = waiting
  if ((await engine.store.rebuilds.readOutdated(key)) === null) return step
  const { rebuildOutdated } = await import('./rebuild-outdated.ts')
  const rebuilt = await rebuildOutdated(engine, key, options)
  if (rebuilt.left === 'more') return { ...step, next: { key, policy: undefined, isFallback: false } }
  if (rebuilt.left === 'overtaken') return { ...step, isOvertaken: true }
  return rebuilt.left === 'later'
    ? { ...step, dueAt: Math.min(rebuilt.dueAt, step.dueAt ?? Number.POSITIVE_INFINITY) }
    : step
}

async function foldOnce(
  engine: FoldEngine,
  { key, policy, isFallback }: Waiting,
  { signal, onOutcome }: { signal: AbortSignal; onOutcome: (outcome: FoldOutcome) => void },
): Promise<FoldStep> {
  // Loaded late: most processes start with nothing to fold.
  const { foldSession } = await import('./fold-session.ts')
  const { outcome, judged } = await foldSession(engine, key, { ...(policy && { policy }), signal })
  onOutcome(outcome)
  const step = { outcome, next: null, isOvertaken: isOvertaken(outcome), dueAt: null }
  if (signal.aborted) return step
  if (outcome.outcome === 'applied' && outcome.toSeq !== null) {
    if (judged?.decision === null) return { ...step, dueAt: judged.dueAt }
    // A policy for one request holds for one fold. The configured policy decides about later messages.
    return { ...step, next: { key, policy: undefined, isFallback: false } }
  }
  const { store, clock } = engine
  const verdict =
    judged ?? (await store.schedule.judge(key, { policy: policy ?? engine.policy, now: clock() }))
  // A failure begins a back-off. During it, urgent rules fold without the summariser.
  const mayFallBack = outcome.outcome === 'failed' && !isFallback
  if (mayFallBack && verdict?.decision?.meta['extractive'] === true)
    return { ...step, next: { key, policy, isFallback: true } }
  if (policy) return { ...step, next: { key, policy: undefined, isFallback: false } }
  return { ...step, dueAt: verdict?.dueAt ?? null }
}

function isOvertaken({ outcome, reason }: FoldOutcome): boolean {
  return outcome === 'skipped' && (isConflict(reason) || reason === 'already_folding')
}
