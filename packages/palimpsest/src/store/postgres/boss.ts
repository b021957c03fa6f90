import type { PgBoss } from 'pg-boss'
import { MissingPeerError, StoreError } from '../../errors.ts'

/** The place of our jobs: beside our tables, in a schema of the queue's own. */
export interface QueuePlace {
  readonly url: string
  /** The schema of our tables. The queue's schema has the same name with `_jobs` at its end. */
  readonly schema: string
}

export const FOLDS = 'folds'
/** Folds that failed again and again for a reason that waiting did not cure. */
export const DEAD_FOLDS = 'dead-folds'
/**
 * A sweep looks for what is due, and for what was left behind. It runs once a minute if any worker is
 * running.
 */
export const SWEEPS = 'sweeps'

const CONNECTIONS = 4

/**
 * A session has at most one job, whether it waits, is to be tried again or is under way (`exclusive`). A
 * trigger that comes while the job is under way makes no second job. Instead, the worker that ends a job
 * looks once more, in the transaction that ends it (`endFoldJob`). The policy `stately` would keep such a
 * trigger as a second job, and it fails in two ways. The second job cannot begin before the first has ended,
 * but it is the oldest, so every worker that looks for work finds it and nothing else. And where both jobs
 * are to be tried again, the second is given up at once.
 *
 * If a worker dies, its missing heartbeat shows it.
 */
const FOLD_POLICY = {
  policy: 'exclusive',
  deadLetter: DEAD_FOLDS,
  retryLimit: 8,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 600,
  heartbeatSeconds: 10,
  // The heartbeat keeps long summaries alive; this limit ends work that hangs for ever.
  expireInSeconds: 4 * 3600,
  deleteAfterSeconds: 3600,
  notify: true,
} as const

/** One sweep at a time. The sweep of the next minute comes whatever became of this one. */
const SWEEP_POLICY = {
  policy: 'exclusive',
  retryLimit: 0,
  heartbeatSeconds: 10,
  expireInSeconds: 600,
  deleteAfterSeconds: 3600,
} as const

/** For tests: how soon and how often a failed job is tried again, in a queue that does not exist yet. */
export interface FoldPolicy {
  readonly retryLimit: number
  readonly retryDelay: number
}

/**
 * `worker`: the connection also looks after the queue, as one program must. `migrates: false`: a missing
 * queue is refused.
 */
export async function openBoss(
  { url, schema }: QueuePlace,
  role: 'sender' | 'worker',
  { migrates = true, ...policy }: Partial<FoldPolicy> & { readonly migrates?: boolean } = {},
): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss').catch(cause => {
    throw new MissingPeerError('pg-boss', 'The queue of folds', cause)
  })
  const isWorker = role === 'worker'
  const boss = new PgBoss({
    connectionString: url,
    schema: jobsSchema(schema),
    max: CONNECTIONS,
    application_name: `palimpsest ${role}`,
    supervise: isWorker,
    schedule: isWorker,
    migrate: migrates,
    useListenNotify: isWorker,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  })
  // A broken connection is replaced; the caller that needed it tries again.
  boss.on('error', () => {})
  try {
    await (migrates ? boss.start() : startAsItIs(boss, schema))
    if (!migrates) return boss
    await boss.createQueue(DEAD_FOLDS, { retryLimit: 0, deleteAfterSeconds: 30 * 86_400 })
    await boss.createQueue(FOLDS, { ...FOLD_POLICY, ...policy })
    await boss.createQueue(SWEEPS, SWEEP_POLICY)
    return boss
  } catch (error) {
    // The connections that are open would keep the process from ending.
    await boss.stop({ graceful: false }).catch(() => {})
    throw (error as { code?: unknown }).code === '42501' ? notPermitted(schema, error) : error
  }
}

/**
 * A role that may make the queue makes it, and brings it up to date. If everything is there, nothing is
 * changed.
 */
export async function makeQueue(place: QueuePlace): Promise<void> {
  const boss = await openBoss(place, 'sender')
  await boss.stop({ graceful: false })
}

function notPermitted(schema: string, cause: unknown): StoreError {
  const jobs = jobsSchema(schema)
  return new StoreError(
    'store_read_only',
    `the queue in ${jobs}`,
    'this role may not make it, or not use it. Run "palimpsest migrate" as the role that owns the tables, which makes ' +
      `it, and grant this role what it needs: GRANT USAGE ON SCHEMA ${jobs}; GRANT SELECT, INSERT, UPDATE, DELETE ON ` +
      `ALL TABLES IN SCHEMA ${jobs}. Without a queue: PALIMPSEST_QUEUE=off.`,
    cause,
  )
}

async function startAsItIs(boss: PgBoss, schema: string): Promise<void> {
  await boss.start().catch(cause => {
    if (cause?.code === '42501') throw cause
    throw new StoreError(
      'store_version',
      `the queue in ${jobsSchema(schema)}`,
      'it is not there, or of an older version of pg-boss. Nothing was changed. "palimpsest migrate" makes ' +
        'it and brings it up to date.',
      cause,
    )
  })
}

export function jobsSchema(schema: string): string {
  return `${schema}_jobs`
}

/** Ids may be any text, but a key of the queue may not. So the key is a hash. */
export function keyOfJob({ namespace, id }: { readonly namespace: string; readonly id: string }): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256')
    .update(JSON.stringify([namespace, id]))
    .digest('base64url')
}
