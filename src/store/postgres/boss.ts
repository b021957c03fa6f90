import type { PgBoss } from 'pg-boss'
import { MissingPeerError } from '../../errors.ts'

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
 * At most one job of a session waits and one is under way (`stately`): a trigger that comes during a fold is kept, and
 * one that comes again adds nothing. A worker that dies is noticed by its heartbeat.
 */
const FOLD_POLICY = {
  policy: 'stately',
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

/** `worker`: it also looks after the queue, as somebody has to. */
export async function openBoss({ url, schema }: QueuePlace, role: 'sender' | 'worker'): Promise<PgBoss> {
  const { PgBoss } = await import('pg-boss').catch(cause => {
    throw new MissingPeerError('pg-boss', 'The queue of folds', cause)
  })
  const isWorker = role === 'worker'
  const boss = new PgBoss({
    connectionString: url,
    schema: `${schema}_jobs`,
    max: CONNECTIONS,
    application_name: `palimpsest ${role}`,
    supervise: isWorker,
    schedule: isWorker,
    useListenNotify: isWorker,
    superviseIntervalSeconds: 5,
    monitorIntervalSeconds: 5,
  })
  // A connection that broke is replaced; what it was needed for is tried again by whoever needed it.
  boss.on('error', () => {})
  await boss.start()
  await boss.createQueue(DEAD_FOLDS, { retryLimit: 0, deleteAfterSeconds: 30 * 86_400 })
  await boss.createQueue(FOLDS, FOLD_POLICY)
  await boss.createQueue(SWEEPS, { policy: 'stately', retryLimit: 0, expireInSeconds: 600 })
  return boss
}

/** Ids may be any text; a key of the queue may not. */
export function keyOfJob({ namespace, id }: { readonly namespace: string; readonly id: string }): string {
  const { createHash } = process.getBuiltinModule('node:crypto')
  return createHash('sha256')
    .update(JSON.stringify([namespace, id]))
    .digest('base64url')
}
