import type { Policy } from './policy.ts'

/** The usual life of prompt caches. */
const DEFAULT_REBUILD_DELAY_MS = 300_000

/**
 * How long segments wait after an edit until they are made anew, in milliseconds. It is the policy's idle
 * time: a new prefix costs nothing once the prompt cache is dead, and edits come in groups.
 */
export function rebuildDelay({ rules }: Pick<Policy, 'rules'>): number {
  const idle = rules.find(({ name }) => name === 'idle')
  return idle === undefined ? DEFAULT_REBUILD_DELAY_MS : idle.limit * 1_000
}
