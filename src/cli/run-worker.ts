import { once } from 'node:events'
import { findSetting, type Layer, resolveSettings } from '../config/index.ts'
import { InvalidSettingsError } from '../errors.ts'
import { openApp } from '../server/index.ts'
import { DEFAULT_SCHEMA } from '../store/postgres/schema-name.ts'
import { foldingBy, startWorker } from './fold-worker.ts'
import { inertLines } from './inert-text.ts'
import { openStore } from './options.ts'
import { stopSignal } from './stop-signal.ts'
import { environmentSettings } from './stored-settings.ts'
import type { Terminal } from './terminal.ts'
import { version } from './version.ts'
import type { WorkerFlags } from './worker.ts'

/** Until it is told to stop. */
export async function runWorker({ json, ...flags }: WorkerFlags, terminal: Terminal): Promise<void> {
  const log = (text: string) => terminal.error.write(`${inertLines(text)}\n`)
  const environment: Record<string, unknown> = { ...environmentSettings(terminal), ...readFlags(flags) }
  if (flags.db !== undefined && flags.store === undefined) environment['store'] = null
  const { values } = resolveSettings({ environment })
  const { db, store: url, namespace, queue } = values
  const count = Math.max(1, values.foldWorkers)
  const place = url !== null && queue === 'on' ? { url, schema: DEFAULT_SCHEMA } : null
  const store = await openStore({ db, ...(url !== null && { store: url }), queue: place !== null })
  const { signal: stopping } = stopSignal()
  // Namespaces with their settings, as a server has them; nobody calls it.
  await using opened = await openApp({
    ...{ store, namespace, environment, version: version(), inspector: false },
    instances: foldingBy({ ...values, foldWorkers: count }, place),
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

function readFlags({ store, db, foldWorkers }: WorkerFlags): Layer {
  const layer: Record<string, unknown> = {}
  for (const [name, text] of Object.entries({ store, db, foldWorkers })) {
    if (text === undefined) continue
    const read = findSetting(name)!.read(text)
    if (!('value' in read))
      throw new InvalidSettingsError([
        { setting: name, value: name === 'store' ? '…' : text, allowed: read.allowed },
      ])
    layer[name] = read.value
  }
  return layer
}
