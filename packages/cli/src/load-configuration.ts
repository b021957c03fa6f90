import type { Layer } from '../../palimpsest/src/config/index.ts'
import type { Configuration } from '../../palimpsest/src/palimpsest.ts'
import { LiveSettings } from '../../server/src/live-settings.ts'
import type { Store } from '../../palimpsest/src/store/index.ts'
import { programLog } from './program-log.ts'
import type { Terminal } from './terminal.ts'

interface Settings {
  readonly namespace: string
  readonly environment: Layer
  readonly terminal: Terminal
}

/** As a server on the same database would have it. */
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
