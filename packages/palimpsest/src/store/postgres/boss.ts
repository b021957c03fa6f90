import type { PgBoss } from 'pg-boss'
import { MissingPeerError, StoreError } from '../../errors.ts'

/** Where our jobs are: beside our tables, in a schema of the queue's own. */
export interface QueuePlace {
  readonly url: string
  /** Of our tables; the queue's has its name with `_jobs` behind it. */
  readonly schema: string
}

export const FOLDS = 'folds'
/** Folds that failed again and again for a reason that waiting did not mend. */
export const DEAD_FOLDS = 'dead-folds'
/** Looks for what is due, and for what was left behind, once a minute wherever somebody works. */
export const SWEEPS = 'sweeps'

const CONNECTIONS = 4

/**
 * A session has one job at most, whether it waits, is to be tried again or is under way (`exclusive`). A trigger that
 * comes while it is under way is no job of its own: whoever ends a job looks once more, in the transaction that ends it
 * (`endFoldJob`). `stately`, which would keep such a trigger as a second job, does not do: that one cannot be begun
 * before the first has ended, is the oldest all the same, and so every worker that looks for work finds it and nothing
 * else; and where both are to be tried again, the second is given up at once.
 *
 * A worker that dies is noticed by its heartbeat.
 */
const FOLD_POLICY = {
  policy: 'exclusive',
  deadLetter: DEAD_FOLDS,
  retryLimit: 8,
  retryDelay: 5,
  retryBackoff: true,
  retryDelayMax: 600,
  heartbeatSeconds: 10,
  // Long summaries are kept alive by the heartbeat; this ends what hangs for ever.
  expireInSeconds: 4 * 3600,
  deleteAfterSeconds: 3600,
  notify: true,
} as const

/** One at a time; the next minute's comes whatever became of this one, and whoever carried it out. */
const SWEEP_POLICY = {
  policy: 'exclusive',
  retryLimit: 0,
  heartbeatSeconds: 10,
  expireInSeconds: 600,
  deleteAfterSeconds: 3600,
} as const

/** For tests: how soon and how often what failed is tried again, in a queue that is not there yet. */
export interface FoldPolicy {
  readonly retryLimit: number
  readonly retryDelay: number
}

/** `worker`: it also looks after the queue, as one program has to. `migrates: false`: a queue that is not there is refused. */
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
  // A connection that broke is replaced; what it was needed for is tried again by whoever needed it.
  boss.on('error', () => {})
  try {
    await (migrates ? boss.start() : startAsItIs(boss, schema))
    if (!migrates) return boss
    await boss.createQueue(DEAD_FOLDS, { retryLimit: 0, deleteAfterSeconds: 30 * 86_400 })
    await boss.createQueue(FOLDS, { ...FOLD_POLICY, ...policy })
    await boss.createQueue(SWEEPS, SWEEP_POLICY)
    return boss
  } catch (error) {
    // What it has opened would keep the process from ending.
    await boss.stop({ graceful: false }).catch(() => {})
    throw (error as { code?: unknown }).code === '42501' ? notPermitted(schema, error) : error
  }
}

/** Whoever may make it makes it, and brings it up to date; where all is there, nothing is changed. */
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

/** Ids may be any text; a key of the queue may not. */
export function keyOfJob({ namespace, id }: { readonly namespace: string; readonly id: string }): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256')
    .update(JSON.stringify([namespace, id]))
    .digest('base64url')
}
