import {
  type Layer,
  readEnvironment,
  readStored,
  resolveSettings,
  type SettingValues,
} from 'palimpsest/internals/config/index'
import type { Store } from 'palimpsest/internals/store/index'
import { programLog } from './program-log.ts'
import type { Terminal } from './terminal.ts'

/** Called before anything is opened or made, so that a wrong setting is reported first. */
export function environmentSettings(terminal: Terminal): Layer {
  const { layer, warnings } = readEnvironment()
  const log = programLog(terminal)
  for (const warning of warnings) log(`warning: ${warning}`)
  return layer
}

/** The settings that a server on the same database has. */
export async function storedSettings(
  store: Store,
  { namespace, environment }: { readonly namespace: string; readonly environment: Layer },
): Promise<SettingValues> {
  const { layer: stored } = readStored(await store.settings.readSettings(namespace))
  return resolveSettings({ stored, environment }).values
}
