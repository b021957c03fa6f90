import type { Tenant } from '@palimpsest/server'
import type { SettingValues } from 'palimpsest/internals/config/index'
import { describeError } from 'palimpsest/internals/errors'
import type { PalimpsestOptions } from 'palimpsest/internals/palimpsest'
import type { Store } from 'palimpsest/internals/store/index'
import type { QueuePlace } from 'palimpsest/internals/store/postgres/boss'
import { DEFAULT_SCHEMA } from 'palimpsest/internals/store/postgres/schema-name'
import type { FoldWorker } from 'palimpsest/internals/worker/worker'

/** Where the jobs are stored. `null`: there is no queue, or the queue is off. */
export function queueOf({ store: url, queue }: Pick<SettingValues, 'store' | 'queue'>): QueuePlace | null {
  return url !== null && queue === 'on' ? { url, schema: DEFAULT_SCHEMA } : null
}

/** The options that all instances of a process share. */
export function instanceOptions(
  values: Pick<SettingValues, 'foldWorkers' | 'foldLeaseSec' | 'erasedList' | 'eventRetentionDays'>,
  place: QueuePlace | null,
): Partial<PalimpsestOptions> {
  return { ...foldingBy(values, place), ...keepingOf(values) }
}

/**
 * The settings of what is kept: events for some days, and the list of erasures. Without `erasedList` the
 * store decides where that list is.
 */
export function keepingOf({
  erasedList,
  eventRetentionDays,
}: Pick<SettingValues, 'erasedList' | 'eventRetentionDays'>): Pick<
  PalimpsestOptions,
  'erasedList' | 'eventRetentionDays'
> {
  return { eventRetentionDays, ...(erasedList !== null && { erasedList }) }
}

/**
 * How the instances fold. This depends on how many folds the process may carry out at once, and on whether
 * there is a queue.
 */
function foldingBy(
  { foldWorkers, foldLeaseSec }: Pick<SettingValues, 'foldWorkers' | 'foldLeaseSec'>,
  place: QueuePlace | null,
): Pick<PalimpsestOptions, 'folding' | 'foldConcurrency' | 'foldLeaseMs'> {
  const foldLeaseMs = foldLeaseSec * 1000
  if (place !== null) return { folding: foldWorkers === 0 ? 'queue' : 'worker', foldLeaseMs }
  if (foldWorkers === 0) return { folding: 'manual', foldLeaseMs }
  return { folding: 'background', foldConcurrency: foldWorkers, foldLeaseMs }
}

/** Takes jobs of all namespaces. Each job is folded with the current settings of its namespace. */
export async function startWorker(options: {
  readonly place: QueuePlace
  readonly store: Store
  readonly concurrency: number
  readonly tenant: (namespace: string) => Promise<Tenant>
  readonly log: (text: string) => void
}): Promise<FoldWorker> {
  const { place, store, concurrency, tenant, log } = options
  const { FoldWorker } = await import('palimpsest/internals/worker/worker')
  const { FoldJobError } = await import('palimpsest/internals/worker/fold-job-error')
  return FoldWorker.start({
    place,
    store,
    concurrency,
    instanceOf: async namespace => (await tenant(namespace)).palimpsest,
    onError: (error, job) => {
      // The instance itself reports every failed fold, however often the queue tries.
      if (error instanceof FoldJobError) return
      log(`warning: ${job ? `session ${JSON.stringify(job.id)}` : 'the queue'}: ${describeError(error)}`)
    },
  })
}
