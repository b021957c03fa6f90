import { setTimeout } from 'node:timers/promises'
import { isBackingOff } from '../policy/index.ts'
import type { SessionKey, SessionRecord } from '../store/index.ts'
import type { FoldEngine } from './fold-session.ts'
import { foldStep, type Waiting } from './fold-step.ts'
import type { FoldOutcome } from './outcome.ts'

/** The pause before this process checks again whether another process has ended its fold. */
const OVERTAKEN_PAUSE_MS = 500

/**
 * Folds a session until its policy asks for no more. The result is the last outcome that was not `skipped`.
 * If a back-off after a failure prevents a fold, the result is that failure. `null`: there was nothing to do.
 * If another process folds the session, this call waits until that fold or its lease ends.
 */
export async function foldThrough(
  engine: FoldEngine,
  key: SessionKey,
  { signal, onOutcome }: { signal: AbortSignal; onOutcome: (outcome: FoldOutcome) => void },
): Promise<FoldOutcome | null> {
  let last: FoldOutcome | null = null
  let waiting: Waiting | null = { key, policy: undefined, isFallback: false }
  while (waiting !== null && !signal.aborted) {
    const { outcome, next, isOvertaken } = await foldStep(engine, waiting, { signal, onOutcome })
    if (outcome.outcome !== 'skipped') last = outcome
    if (isOvertaken) await setTimeout(OVERTAKEN_PAUSE_MS, undefined, { signal }).catch(() => {})
    waiting = isOvertaken ? waiting : next
  }
  return last ?? backingOff(await engine.store.sessions.readSession(key), engine.clock())
}

function backingOff(session: SessionRecord | null, now: number): FoldOutcome | null {
  const last = session?.lastOutcome as FoldOutcome | null | undefined
  return session && isBackingOff(session.state, now) && last?.outcome === 'failed' ? last : null
}
