import type { Session } from 'palimpsest/internals/session'

const HOUR_MS = 3_600_000

/**
 * What the bot does only a limited number of times in an hour in a chat. The store counts, over restarts and
 * processes.
 */
export type Bounded = 'proactive' | 'bots'

export async function mayStill(session: Session, what: Bounded, perHour: number): Promise<boolean> {
  if (perHour === 0) return false
  return (await session.countAllowance({ kind: what, withinMs: HOUR_MS })) < perHour
}

/** `false`: the limit of this hour is reached. */
export async function takeOne(session: Session, what: Bounded, perHour: number): Promise<boolean> {
  if (perHour === 0) return false
  return session.takeAllowance({ kind: what, limit: perHour, withinMs: HOUR_MS })
}
