import { PolicyTimeoutError } from '../errors.ts'
import {
  type CustomJudge,
  type Decision,
  judge,
  type Policy,
  readDecision,
  type Snapshot,
} from '../policy/index.ts'
import { keyName, type SessionKey } from '../store/index.ts'
import { ToldOnce } from '../told-once.ts'
import { withinTime } from './within-time.ts'

export const DEFAULT_POLICY_TIMEOUT_MS = 5_000

/** A policy that did not answer rests for this many time limits in this session. An answer ends the rest. */
const RESTS_FOR_LIMITS = 12

export interface AskedOwnPolicy {
  readonly key: SessionKey
  /** The types that have a handler. */
  readonly types: readonly string[]
  /** The time limit of all judges together. */
  readonly timeoutMs: number
  /** When aborted, the caller no longer waits. */
  readonly signal?: AbortSignal | undefined
  /** Called for each judge that throws, returns no valid decision, or does not answer. */
  readonly onFailure: (error: unknown) => void
}

/**
 * Asks the built-in rules and the caller's own judges. The highest severity wins. Among equals the built-in
 * decision wins. A judge that fails or is too slow is ignored.
 */
export async function judgeWithOwn(
  policy: Policy,
  snapshot: Snapshot,
  asked: AskedOwnPolicy,
): Promise<Decision | null> {
  const builtIn = judge(policy, snapshot)
  if (policy.judges.length === 0 || snapshot.backoffSeconds > 0) return builtIn
  const said = await Promise.all(policy.judges.map(own => askOne(own, snapshot, asked)))
  let best = builtIn
  for (const decision of said)
    if (decision && (best === null || decision.severity > best.severity)) best = decision
  return best
}

async function askOne(own: CustomJudge, snapshot: Snapshot, asked: AskedOwnPolicy): Promise<Decision | null> {
  const { key, types, timeoutMs, signal, onFailure } = asked
  try {
    if (isHanging(own, key)) throw new PolicyTimeoutError(key.id, timeoutMs)
    const answering = (async () => own(snapshot))()
    const lateError = () => {
      noteHanging(own, key, { answering, restsMs: timeoutMs * RESTS_FOR_LIMITS })
      return new PolicyTimeoutError(key.id, timeoutMs)
    }
    const answer = await withinTime(() => answering, { timeoutMs, signal, lateError })
    return readDecision(answer, types)
  } catch (error) {
    if (!signal?.aborted) onFailure(error)
    return null
  }
}

/** By judge and session: the end of the judge's rest, in milliseconds since the process began. */
const hanging = new WeakMap<CustomJudge, Map<string, number>>()

function isHanging(own: CustomJudge, key: SessionKey): boolean {
  const until = hanging.get(own)?.get(keyName(key))
  return until !== undefined && until > performance.now()
}

function noteHanging(
  own: CustomJudge,
  key: SessionKey,
  { answering, restsMs }: { answering: Promise<unknown>; restsMs: number },
): void {
  const sessions = hanging.get(own) ?? new Map<string, number>()
  hanging.set(own, sessions)
  const now = performance.now()
  for (const [name, until] of sessions) if (until <= now) sessions.delete(name)
  const name = keyName(key)
  sessions.set(name, now + restsMs)
  const answered = () => sessions.delete(name)
  answering.then(answered, answered)
}

/**
 * Reports each failure once for a session until its next fold. Otherwise a failing policy would report with
 * every message.
 */
export class PolicyFailures {
  readonly #told = new ToldOnce()
  readonly #tell: (error: unknown, key: SessionKey) => void

  constructor(tell: (error: unknown, key: SessionKey) => void) {
    this.#tell = tell
  }

  note(error: unknown, key: SessionKey): void {
    if (this.#told.note(keyName(key), String(error))) this.#tell(error, key)
  }

  foldEnded(key: SessionKey): void {
    this.#told.forget(keyName(key))
  }
}

/**
 * The warning for an outcome, which any reader may see. It leaves out the policy's error, which may quote the
 * conversation.
 */
export function policyWarning(error: unknown, timeoutMs: number): string {
  return error instanceof PolicyTimeoutError
    ? `policy_timeout: a policy of the caller's own did not answer within ${timeoutMs} ms; the others decided`
    : "policy_failed: a policy of the caller's own failed; the others decided"
}
