import type { Trigger } from './channel.ts'

/** Messages that are answered together, in the order of their arrival. */
export interface Burst {
  readonly key: string
  readonly seqs: readonly number[]
  readonly trigger: Trigger
  readonly firstAt: number
  readonly lastAt: number
  /** How often an attempt to answer began. */
  readonly attempts: number
  /** The earliest time of the next attempt after a failure. 0: none. */
  readonly notBefore: number
  /** The platform's ids of the messages of the answer that it has already. */
  readonly sent: readonly string[]
  /** An earlier attempt may have sent something that was not noted. */
  readonly isRepeat: boolean
}

export interface BurstRules {
  readonly quietMs: number
  readonly mostMs: number
}

/** A single message is a burst, too. */
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

/**
 * The earlier burst keeps its place: its first message sets what the answer points to, and the latest time at
 * which it is due.
 */
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

/** Due after a quiet time, or when the first message has waited for long enough. */
export function dueAt(burst: Burst, { quietMs, mostMs }: BurstRules): number {
  return Math.max(Math.min(burst.lastAt + quietMs, burst.firstAt + mostMs), burst.notBefore)
}

/** The next burst to answer: of all that are due, the one that came first. `null`: none is due. */
export function nextDue(bursts: Iterable<Burst>, now: number, rules: BurstRules): Burst | null {
  let next: Burst | null = null
  for (const burst of bursts)
    if (dueAt(burst, rules) <= now && (next === null || burst.seqs[0]! < next.seqs[0]!)) next = burst
  return next
}

/** When to look again. `null`: nothing waits. */
export function earliestDue(bursts: Iterable<Burst>, rules: BurstRules): number | null {
  let earliest: number | null = null
  for (const burst of bursts) {
    const due = dueAt(burst, rules)
    if (earliest === null || due < earliest) earliest = due
  }
  return earliest
}

/** Doubles the wait before each further attempt, up to a minute. */
export function backedOff(burst: Burst, { now, backoffMs }: { now: number; backoffMs: number }): Burst {
  const waits = Math.min(backoffMs * 2 ** (burst.attempts - 1), MAX_BACKOFF_MS)
  return { ...burst, notBefore: now + waits }
}

const MAX_BACKOFF_MS = 60_000
