import type { PgBoss } from 'pg-boss'
import { keyName } from '../store/index.ts'
import { DEAD_FOLDS, FOLDS, openBoss, type QueuePlace } from '../store/postgres/boss.ts'
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

const MOST_SHOWN = 100
const LONGEST_REASON = 300

export async function reportQueue(place: QueuePlace): Promise<QueueReport> {
  const boss = await openBoss(place, 'sender')
  try {
    const [[folds], jobs] = await Promise.all([
      boss.getQueueStats(FOLDS, { force: true }),
      boss.findJobs<FoldJob>(DEAD_FOLDS, { queued: true }),
    ])
    const isThere = await thoseThere(
      boss,
      place,
      jobs.map(({ data }) => data),
    )
    const dead = jobs
      .filter(({ data }) => isThere.has(keyName(data)))
      .toSorted((one, other) => one.createdOn.getTime() - other.createdOn.getTime())
    return {
      waiting: folds?.readyCount ?? 0,
      delayed: folds?.deferredCount ?? 0,
      underWay: folds?.activeCount ?? 0,
      deadCount: dead.length,
      dead: dead.slice(0, MOST_SHOWN).map(({ id, data, createdOn, sourceOutput }) => ({
        id,
        namespace: data.namespace,
        session: data.id,
        at: createdOn,
        reason: reasonIn(sourceOutput),
      })),
    }
  } finally {
    await boss.stop({ graceful: false })
  }
}

/** Of those whose session is gone nothing is told: not even its id. */
async function thoseThere(
  boss: PgBoss,
  { schema }: QueuePlace,
  jobs: readonly FoldJob[],
): Promise<ReadonlySet<string>> {
  const { rows } = await boss.getDb().executeSql(
    `SELECT s.namespace, s.name AS id FROM unnest($1::text[], $2::text[]) AS job (namespace, name_key)
     JOIN ${schema}.sessions s ON s.namespace = job.namespace AND s.name_key = job.name_key AND s.ready = 1`,
    [jobs.map(({ namespace }) => namespace), jobs.map(({ id }) => keyOf(id))],
  )
  return new Set((rows as FoldJob[]).map(keyName))
}

/** Puts what was given up back into the queue, and gives how many there were. */
export async function replayDead(place: QueuePlace): Promise<number> {
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
    LONGEST_REASON,
  )
}
