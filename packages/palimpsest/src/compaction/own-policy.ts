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

/** One that did not answer is not asked again for this session before it does, or before so many of its time limits are over. */
const RESTS_FOR_LIMITS = 12

export interface AskedOwnPolicy {
  readonly key: SessionKey
  /** Those that have a handler. */
  readonly types: readonly string[]
  /** How long all judges together may take. */
  readonly timeoutMs: number
  /** Whoever asks waits no longer. */
  readonly signal?: AbortSignal | undefined
  /** Of each judge that threw, answered with no decision, or did not answer. */
  readonly onFailure: (error: unknown) => void
}

/**
 * The built-in rules and the caller's own together: the highest severity wins, the built-in among equals. A judge of the
 * caller's own that fails, or does not answer in time, has no say; all the others do.
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

/** By the judge and the session: until when it is left alone, in milliseconds since the process began. */
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

/** Each is told once for a session until its next fold: a policy that fails would otherwise say so with every message. */
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

/** For an outcome, which may be shown to anybody: not what the policy threw, which may quote what was said. */
export function policyWarning(error: unknown, timeoutMs: number): string {
  return error instanceof PolicyTimeoutError
    ? `policy_timeout: a policy of the caller's own did not answer within ${timeoutMs} ms; the others decided`
    : "policy_failed: a policy of the caller's own failed; the others decided"
}
