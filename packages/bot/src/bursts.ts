import type { Trigger } from './channel.ts'

/** Messages that are answered together, in the order of their arrival. */
export interface Burst {
  readonly key: string
  readonly seqs: readonly number[]
  readonly trigger: Trigger
  readonly firstAt: number
  readonly lastAt: number
  /** How often an answer was begun. */
  readonly attempts: number
  /** After a failure: not before. */
  readonly notBefore: number
  /** What the platform has of the answer, by the ids of its messages. */
  readonly sent: readonly string[]
  /** Something may have been sent before, and nobody noted it. */
  readonly isRepeat: boolean
}

export interface BurstRules {
  readonly quietMs: number
  readonly mostMs: number
}

/** One message is a burst, too. */
export function newBurst(
  message: Pick<Burst, 'key' | 'trigger'> & { readonly seq: number; readonly at: number },
): Burst {
  const { key, trigger, seq, at } = message
  return {
    key,
    trigger,
    seqs: [seq],
    firstAt: at,
    lastAt: at,
    attempts: 0,
    notBefore: 0,
    sent: [],
    isRepeat: false,
  }
}

/** The earlier one keeps its place: it says what the answer points to, and when it is due at the latest. */
export function joinBursts(earlier: Burst, later: Burst): Burst {
  return {
    ...earlier,
    seqs: [...new Set([...earlier.seqs, ...later.seqs])].sort((a, b) => a - b),
    lastAt: Math.max(earlier.lastAt, later.lastAt),
    attempts: Math.max(earlier.attempts, later.attempts),
    notBefore: Math.max(earlier.notBefore, later.notBefore),
    sent: earlier.sent.length > 0 ? earlier.sent : later.sent,
    isRepeat: earlier.isRepeat || later.isRepeat,
  }
}

/** After a quiet time, or when the first of it has waited for long enough. */
export function dueAt(burst: Burst, { quietMs, mostMs }: BurstRules): number {
  return Math.max(Math.min(burst.lastAt + quietMs, burst.firstAt + mostMs), burst.notBefore)
}

/** Which is answered next: of those that are due the one that came first. `null`: none is. */
export function nextDue(bursts: Iterable<Burst>, now: number, rules: BurstRules): Burst | null {
  let next: Burst | null = null
  for (const burst of bursts)
    if (dueAt(burst, rules) <= now && (next === null || burst.seqs[0]! < next.seqs[0]!)) next = burst
  return next
}

/** When to look again; `null`: nothing waits. */
export function earliestDue(bursts: Iterable<Burst>, rules: BurstRules): number | null {
  let earliest: number | null = null
  for (const burst of bursts) {
    const due = dueAt(burst, rules)
    if (earliest === null || due < earliest) earliest = due
  }
  return earliest
}

/** Twice as long before each further attempt. */
export function backedOff(burst: Burst, { now, backoffMs }: { now: number; backoffMs: number }): Burst {
  const waits = Math.min(backoffMs * 2 ** (burst.attempts - 1), MAX_BACKOFF_MS)
  return { ...burst, notBefore: now + waits }
}

const MAX_BACKOFF_MS = 60_000
