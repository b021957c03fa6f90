import type { ClientBase } from 'pg'
import { MissingPeerError } from '../errors.ts'
import { keyName } from '../store/index.ts'
import { DEAD_FOLDS, FOLDS, jobsSchema, openBoss, type QueuePlace } from '../store/postgres/boss.ts'
import { toStoreError } from '../store/postgres/errors.ts'
import { FOLD_JOB_ERROR } from '../store/postgres/forget-jobs.ts'
import { keyOf } from '../store/sql/keys.ts'
import type { FoldJob } from '../store/sql/steps.ts'

/** How the queue of folds is doing. */
export interface QueueReport {
  /** Ready, and waiting for a worker. */
  readonly waiting: number
  /** Told to wait, after a failure. */
  readonly delayed: number
  readonly underWay: number
  /** Those that were given up, oldest first: at most so many as somebody reads. */
  readonly dead: readonly DeadFold[]
  readonly deadCount: number
}

export interface DeadFold {
  readonly id: string
  readonly namespace: string
  readonly session: string
  readonly at: Date
  /** What the last try said. */
  readonly reason: string
}

const MAX_SHOWN = 100
const MAX_REASON = 300

/** Changes nothing: where there is no queue yet, none is made. */
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
  // One that breaks fails its query.
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

/** pg-boss has counts of its own, and writes them down where they are old. */
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

/** Oldest first. Of those whose session is gone nothing is told: not even its id. */
async function readDead(client: ClientBase, { schema }: QueuePlace): Promise<readonly DeadRow[]> {
  // A queue of an older pg-boss has no such column.
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

/** Puts what was given up back into the queue, and gives how many there were. Where there is no queue, none is made. */
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
  // A version before this one stored what a summariser said.
  return String(name === FOLD_JOB_ERROR ? message : 'the worker died, or is of an earlier version').slice(
    0,
    MAX_REASON,
  )
}
