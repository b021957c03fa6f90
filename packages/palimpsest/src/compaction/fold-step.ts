import type { Policy } from '../policy/index.ts'
import type { SessionKey } from '../store/index.ts'
import type { FoldEngine } from './fold-session.ts'
import { type FoldOutcome, isConflict } from './outcome.ts'

/** A session that is to be folded. */
export interface Waiting {
  readonly key: SessionKey
  /** For this time only; then the configured one has its say. */
  readonly policy: Policy | undefined
  /** After a failure: if it fails again, nothing is left to try. */
  readonly isFallback: boolean
}

export interface FoldStep {
  readonly outcome: FoldOutcome
  /** What is to be done next with this session; `null`: nothing. */
  readonly next: Waiting | null
  /** History changed under the fold, or another process has it: to be looked at again soon. */
  readonly isOvertaken: boolean
  /** When a rule about time wants to be asked. */
  readonly dueAt: number | null
}

/** One fold of a session, and what its policy says then; where there is nothing to fold, a segment over edited messages. */
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
  // Most processes start without anything to fold.
  const { foldSession } = await import('./fold-session.ts')
  const { outcome, judged } = await foldSession(engine, key, { ...(policy && { policy }), signal })
  onOutcome(outcome)
  const step = { outcome, next: null, isOvertaken: isOvertaken(outcome), dueAt: null }
  if (signal.aborted) return step
  if (outcome.outcome === 'applied' && outcome.toSeq !== null) {
    if (judged?.decision === null) return { ...step, dueAt: judged.dueAt }
    // A policy for one request has had its say; what came meanwhile is not its business.
    return { ...step, next: { key, policy: undefined, isFallback: false } }
  }
  const { store, clock } = engine
  const verdict =
    judged ?? (await store.schedule.judge(key, { policy: policy ?? engine.policy, now: clock() }))
  // In the back-off that a failure begins, the rules that cannot wait fold without the summariser.
  const mayFallBack = outcome.outcome === 'failed' && !isFallback
  if (mayFallBack && verdict?.decision?.meta['extractive'] === true)
    return { ...step, next: { key, policy, isFallback: true } }
  if (policy) return { ...step, next: { key, policy: undefined, isFallback: false } }
  return { ...step, dueAt: verdict?.dueAt ?? null }
}

function isOvertaken({ outcome, reason }: FoldOutcome): boolean {
  return outcome === 'skipped' && (isConflict(reason) || reason === 'already_folding')
}
