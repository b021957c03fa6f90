import { loadModel, type SettingValues } from '../../config/index.ts'
import { createPalimpsest, type Palimpsest } from '../../palimpsest.ts'
import type { Responder } from '../../runtime/index.ts'
import { modelResponder } from '../../runtime/responders/model-responder.ts'
import { searchResponder } from '../../runtime/responders/search-responder.ts'
import { LiveSettings } from '../../server/live-settings.ts'
import type { ChatFlags } from '../chat.ts'
import { orClose } from '../existing-database.ts'
import { openStore } from '../options.ts'
import { environmentSettings } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'

export interface OpenChat {
  readonly palimpsest: Palimpsest
  readonly responder: Responder
  readonly zone: string
  /** `provider:name`; `null`: there is none. */
  readonly model: string | null
  /** Where it is kept, in words. */
  readonly place: string
}

/** As a server on the same database would have it. */
export async function openChat(
  flags: Pick<ChatFlags, 'db' | 'store' | 'namespace'>,
  terminal: Terminal,
  onError: (error: unknown) => void,
): Promise<OpenChat> {
  const environment = environmentSettings(terminal)
  const store = await openStore(flags)
  return orClose(store, async () => {
    const { namespace } = flags
    const onWarning = (warning: string) => terminal.error.write(`warning: ${warning}\n`)
    const settings = new LiveSettings({ store, namespace, environment, onWarning })
    const configuration = await settings.load()
    const { values } = settings.current
    const responder = await responderOf(values)
    const palimpsest = await createPalimpsest({ store, namespace, ...configuration, onError })
    return {
      palimpsest,
      responder,
      zone: values.zone,
      model: values.model,
      place: flags.store === undefined ? flags.db : store.name,
    }
  })
}

async function responderOf(values: SettingValues): Promise<Responder> {
  const { model, outputReserve, zone } = values
  if (model === null) return searchResponder({ zone })
  return modelResponder({
    model: await loadModel(model, values),
    ...(outputReserve > 0 && { outputReserve }),
  })
}
