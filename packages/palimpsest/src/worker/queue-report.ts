import type { ClientBase } from 'pg'
import { MissingPeerError } from '../errors.ts'
import { keyName } from '../store/index.ts'
import { DEAD_FOLDS, FOLDS, jobsSchema, openBoss, type QueuePlace } from '../store/postgres/boss.ts'
import { toStoreError } from '../store/postgres/errors.ts'
import { FOLD_JOB_ERROR } from '../store/postgres/forget-jobs.ts'
import { keyOf } from '../store/sql/keys.ts'
import type { FoldJob } from '../store/sql/steps.ts'

/** The state of the queue of folds. */
export interface QueueReport {
  /** Jobs that are ready and wait for a worker. */
  readonly waiting: number
  /** Jobs that wait after a failure. */
  readonly delayed: number
  readonly underWay: number
  /** Jobs that were given up, oldest first. At most `MAX_SHOWN`. */
  readonly dead: readonly DeadFold[]
  readonly deadCount: number
}

export interface DeadFold {
  readonly id: string
  readonly namespace: string
  readonly session: string
  readonly at: Date
  /** The error of the last try. */
  readonly reason: string
}

const MAX_SHOWN = 100
const MAX_REASON = 300

/** Changes nothing. If there is no queue yet, none is made. */
export async function reportQueue(place: QueuePlace): Promise<QueueReport> {
  return reading(place, async client => {
    if (!(await isQueueThere(client, place))) return EMPTY
    const { waiting, delayed, underWay } = await countFolds(client, place)
    const dead = await readDead(client, place)
    return {
      ...{ waiting, delayed, underWay },
      deadCount: dead.length,
      dead: dead.slice(0, MAX_SHOWN).map(({ id, data, at, output }) => ({
        ...{ id, namespace: data.namespace, session: data.id, at },
        reason: reasonIn(output),
      })),
    }
  })
}

const EMPTY: QueueReport = { waiting: 0, delayed: 0, underWay: 0, dead: [], deadCount: 0 }

async function reading<Result>(
  { url, schema }: QueuePlace,
  work: (client: ClientBase) => Promise<Result>,
): Promise<Result> {
  const { default: pg } = await import('pg').catch(cause => {
    throw new MissingPeerError('pg', 'The queue of folds', cause)
  })
  const client = new pg.Client({ connectionString: url })
  // A broken connection also fails its query, so the error is not lost.
  client.on('error', () => {})
  try {
    await client.connect()
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    throw toStoreError(error, `the queue in ${jobsSchema(schema)}`)
  } finally {
    await client.end()
  }
}

async function isQueueThere(client: ClientBase, { schema }: QueuePlace): Promise<boolean> {
  const { rows } = await client.query('SELECT to_regclass($1) IS NOT NULL AS there', [
    `${jobsSchema(schema)}.job`,
  ])
  return rows[0].there
}

/** pg-boss has its own counts, but it writes to the database when they are old. */
async function countFolds(client: ClientBase, { schema }: QueuePlace) {
  const { rows } = await client.query<{ waiting: number; delayed: number; underWay: number }>(
    `SELECT (count(*) FILTER (WHERE state < 'active' AND start_after <= now()))::int AS waiting,
       (count(*) FILTER (WHERE state < 'active' AND start_after > now()))::int AS delayed,
       (count(*) FILTER (WHERE state = 'active'))::int AS "underWay"
     FROM ${jobsSchema(schema)}.job WHERE name = $1`,
    [FOLDS],
  )
  return rows[0]!
}

interface DeadRow {
  readonly id: string
  readonly data: FoldJob
  readonly at: Date
  readonly output: object | null
}

/** Oldest first. A job whose session is gone is left out, with its id. */
async function readDead(client: ClientBase, { schema }: QueuePlace): Promise<readonly DeadRow[]> {
  // The column is read through JSON, because a queue of an older pg-boss does not have it.
  const { rows } = await client.query<DeadRow>(
    `SELECT id, data, created_on AS at, to_jsonb(job) -> 'source_output' AS output
     FROM ${jobsSchema(schema)}.job WHERE name = $1 AND state < 'active' ORDER BY created_on`,
    [DEAD_FOLDS],
  )
  const jobs = rows.map(({ data }) => data)
  const there = await client.query<FoldJob>(
    `SELECT s.namespace, s.name AS id FROM unnest($1::text[], $2::text[]) AS job (namespace, name_key)
     JOIN ${schema}.sessions s ON s.namespace = job.namespace AND s.name_key = job.name_key AND s.ready = 1`,
    [jobs.map(({ namespace }) => namespace), jobs.map(({ id }) => keyOf(id))],
  )
  const isThere = new Set(there.rows.map(keyName))
  return rows.filter(({ data }) => isThere.has(keyName(data)))
}

/**
 * Puts the jobs that were given up back into the queue, and returns their number. If there is no queue, none
 * is made.
 */
export async function replayDead(place: QueuePlace): Promise<number> {
  if (!(await reading(place, client => isQueueThere(client, place)))) return 0
  const boss = await openBoss(place, 'sender')
  try {
    let replayed = 0
    for (let moved = -1; moved !== 0; replayed += moved) moved = await boss.redrive(DEAD_FOLDS)
    return replayed
  } finally {
    await boss.stop({ graceful: false })
  }
}

function reasonIn(output: object | null): string {
  const { name, message } = (output ?? {}) as { name?: unknown; message?: unknown }
  // An earlier version stored the words of the summariser, so they are not shown.
  return String(name === FOLD_JOB_ERROR ? message : 'the worker died, or is of an earlier version').slice(
    0,
    MAX_REASON,
  )
}
