import type { Dialect, EventOrder, LockName, LockSpace } from '../sql/driver.ts'
import { all, run, type Steps } from '../sql/steps.ts'

/** A session and a document of the same name need two locks, so each space has its own seed. */
const SEEDS: Readonly<Record<LockSpace, number>> = { session: 0, document: 1, erasure: 2 }

/**
 * Orders events by transaction and then by id: the id of a row may be smaller than one that was committed
 * earlier.
 */
const BY_TRANSACTION: EventOrder = {
  place: 'CAST(CAST(events.transaction_id AS TEXT) AS BIGINT) AS major, events.id AS minor',
  orderBy: direction => `events.transaction_id ${direction}, events.id ${direction}`,
  after: ({ major, minor }) => ({
    sql: `(events.transaction_id, events.id) > ${place(1)}`,
    parameters: [major, minor],
  }),
  between: (after, through) => ({
    sql: `(events.transaction_id, events.id) > ${place(1)} AND (events.transaction_id, events.id) <= ${place(3)}`,
    parameters: [after.major, after.minor, through.major, through.minor],
  }),
  isSettled: 'events.transaction_id < pg_snapshot_xmin(pg_current_snapshot())',
}

function place(parameter: number): string {
  return `(CAST(CAST(?${parameter} AS TEXT) AS XID8), ?${parameter + 1})`
}

function* lock(space: LockSpace, name: LockName): Steps<void> {
  yield* run(`SELECT pg_advisory_xact_lock(hashtextextended(?1, ${SEEDS[space]}))`, JSON.stringify(name))
}

function* tryLocks(space: LockSpace, names: readonly LockName[]): Steps<readonly boolean[]> {
  const rows = yield* all<{ place: number; locked: number }>(
    `SELECT CAST(place AS INTEGER) AS place,
       CAST(pg_try_advisory_xact_lock(hashtextextended(name, ${SEEDS[space]})) AS INTEGER) AS locked
     FROM json_array_elements_text(CAST(?1 AS JSON)) WITH ORDINALITY AS names(name, place)`,
    JSON.stringify(names.map(name => JSON.stringify(name))),
  )
  const isLocked = new Set(rows.flatMap(({ place, locked }) => (locked === 1 ? [place - 1] : [])))
  return names.map((_, place) => isLocked.has(place))
}

export const POSTGRES_DIALECT: Dialect = {
  writers: 'row-locks',
  lock,
  tryLocks,
  skipLocked: 'FOR UPDATE SKIP LOCKED',
  forShare: alias => `FOR SHARE OF ${alias}`,
  // Only writers of the same session wait, and most of the time goes to the network.
  maxSharingMs: 50,
  nameContains: parameter => `strpos(lower(name COLLATE "C"), ${parameter}) > 0`,
  events: BY_TRANSACTION,
  joinQuestions: (question, parameters) => {
    const columns = Array.from({ length: parameters }, (_, index) => `p${index + 1} TEXT`)
    return `SELECT asked.place AS asked_place, answer.*
    FROM json_to_recordset(CAST(?1 AS JSON)) AS asked(${['place INTEGER', ...columns].join(', ')})
    CROSS JOIN LATERAL (${question}) AS answer`
  },
}
