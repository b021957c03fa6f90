import { once } from 'node:events'
import type { RunningServer } from '@palimpsest/server'
import { type Layer, resolveSettings } from 'palimpsest/internals/config/index'
import { orClose } from './existing-database.ts'
import { instanceOptions, queueOf, startWorker } from './fold-worker.ts'
import { backupPlan, keepBackups } from './keep-backups.ts'
import { openStore } from './options.ts'
import { programLog } from './program-log.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'

export interface ServingOptions {
  readonly terminal: Terminal
  readonly stopping: AbortSignal
  /** `place` tells where the memory is stored. */
  readonly onListening: (server: RunningServer, place: string) => void
  readonly onStopping: () => void
}

/**
 * Runs a server with the settings of the environment until it is told to stop. Then it finishes what is under
 * way.
 */
export async function serveUntilStopped(
  environment: Layer,
  { terminal, stopping, onListening, onStopping }: ServingOptions,
): Promise<void> {
  const { values } = resolveSettings({ environment })
  const { db, store: url, workspace } = values
  const { host, port, namespace, allowedHosts, corsOrigins, trustProxy, foldWorkers } = values
  const place = queueOf(values)
  const log = programLog(terminal)
  const plan = backupPlan(values, { db, ...(url !== null && { store: url }) })
  const store = await openStore({ db, ...(url !== null && { store: url }), queue: place !== null })
  // Loaded here, so that other commands do not wait for it.
  const { startServer } = await import('@palimpsest/server')
  const server = await startServer({
    ...{ store, host, port, namespace, trustsProxy: trustProxy === 'on' },
    ...(allowedHosts !== null && { allowedHosts }),
    ...(corsOrigins !== null && { corsOrigins }),
    ...(workspace !== null && { workspace }),
    environment,
    version: version(),
    instances: instanceOptions(values, place),
    onWarning: warning => log(`warning: ${warning}`),
    onError: (error, { requestId, method, path }) =>
      log.error(`${requestId} ${method} ${path}`, error, { withFrames: true }),
  })
  const worker =
    place !== null && foldWorkers > 0
      ? await startWorker({ place, store, concurrency: foldWorkers, tenant: server.tenant, log })
      : null
  const backups = await orClose(server, async () => plan && keepBackups(plan, log))
  onListening(server, url === null ? db : store.name)
  if (!stopping.aborted) await once(stopping, 'abort')
  onStopping()
  await backups?.close()
  await worker?.close()
  await server.close()
}
