import { once } from 'node:events'
import { openApp } from '@palimpsest/server'
import { resolveSettings } from 'palimpsest/internals/config/index'
import { instanceOptions, queueOf, startWorker } from './fold-worker.ts'
import { openStore } from './options.ts'
import { programLog } from './program-log.ts'
import { withFlags } from './setting-flags.ts'
import { stopSignal } from './stop-signal.ts'
import { environmentSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'
import type { WorkerFlags } from './worker.ts'

/** Folds until the program is told to stop. */
export async function runWorker({ json, ...flags }: WorkerFlags, terminal: Terminal): Promise<void> {
  const log = programLog(terminal)
  const environment = withFlags(environmentSettings(terminal), flags)
  const { values } = resolveSettings({ environment })
  const { db, store: url, namespace } = values
  const count = Math.max(1, values.foldWorkers)
  const place = queueOf(values)
  const store = await openStore({ db, ...(url !== null && { store: url }), queue: place !== null })
  const { signal: stopping } = stopSignal()
  // The app gives each namespace its settings, as in a server. It receives no requests.
  await using opened = await openApp({
    ...{ store, namespace, environment, version: version(), inspector: false },
    instances: instanceOptions({ ...values, foldWorkers: count }, place),
    onWarning: warning => log(`warning: ${warning}`),
  })
  const { tenant } = opened
  const worker = place && (await startWorker({ place, store, concurrency: count, tenant, log }))
  const from = url === null ? db : store.name
  terminal.output.write(
    json
      ? `${JSON.stringify({ store: from, foldWorkers: count, pid: process.pid })}\n`
      : `palimpsest folds what is due in ${from}, ${count} at a time (Ctrl-C ends it)\n`,
  )
  if (!stopping.aborted) await once(stopping, 'abort')
  if (!json) log('palimpsest finishes what is under way …')
  await worker?.close()
}
