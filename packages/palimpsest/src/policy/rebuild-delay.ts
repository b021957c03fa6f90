import type { Policy } from './policy.ts'

/** As long as prompt caches usually live. */
const DEFAULT_REBUILD_DELAY_MS = 300_000

/**
 * How long segments wait to be made anew after an edit, in milliseconds: the policy's idle time, since a new prefix costs
 * nothing once the prompt cache is dead, and edits come in groups.
 */
export function rebuildDelay({ rules }: Pick<Policy, 'rules'>): number {
  const idle = rules.find(({ name }) => name === 'idle')
  return idle === undefined ? DEFAULT_REBUILD_DELAY_MS : idle.limit * 1_000
}
