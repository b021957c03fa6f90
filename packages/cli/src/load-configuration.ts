import { LiveSettings } from '@palimpsest/server/internals/live-settings'
import type { Layer } from 'palimpsest/internals/config/index'
import type { Configuration } from 'palimpsest/internals/palimpsest'
import type { Store } from 'palimpsest/internals/store/index'
import { programLog } from './program-log.ts'
import type { Terminal } from './terminal.ts'

interface Settings {
  readonly namespace: string
  readonly environment: Layer
  readonly terminal: Terminal
}

/** The configuration that a server on the same database has. */
export async function loadConfiguration(
  store: Store,
  { namespace, environment, terminal }: Settings,
): Promise<{ readonly configuration: Configuration; readonly settings: LiveSettings }> {
  const log = programLog(terminal)
  const onWarning = (warning: string) => log(`warning: ${warning}`)
  const settings = new LiveSettings({ store, namespace, environment, onWarning })
  const configuration = await settings.load()
  return { configuration, settings }
}
