import type { Dialect, EventOrder } from './driver.ts'

/** Commits come one after the other, so events are in the order of their numbers. */
const BY_NUMBER: EventOrder = {
  place: 'events.id AS major, 0 AS minor',
  orderBy: direction => `events.id ${direction}`,
  after: ({ major }) => ({ sql: 'events.id > ?1', parameters: [major] }),
  between: (after, through) => ({
    sql: 'events.id > ?1 AND events.id <= ?2',
    parameters: [after.major, through.major],
  }),
  isSettled: 'TRUE',
  reusesNumbers: true,
}

/**
 * The dialect of a database whose write transaction has it for itself, as in SQLite with `BEGIN IMMEDIATE`.
 * Only `nameContains` is left to add.
 *
 * @example
 * const dialect: Dialect = { ...ONE_WRITER, nameContains: parameter => `instr(lower(name), ${parameter}) > 0` }
 */
export const ONE_WRITER = {
  writers: 'one-writer',
  *lock() {},
  *tryLocks(_, names) {
    return names.map(() => true)
  },
  skipLocked: '',
  forShare: () => '',
  // All other writers wait meanwhile.
  maxSharingMs: 5,
  events: BY_NUMBER,
} as const satisfies Omit<Dialect, 'nameContains'>
