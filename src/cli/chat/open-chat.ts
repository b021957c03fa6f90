import { createPalimpsest, type Palimpsest } from '../../palimpsest.ts'
import type { Responder } from '../../runtime/index.ts'
import type { ChatFlags } from '../chat.ts'
import { databasePlace } from '../database-place.ts'
import { orClose } from '../existing-database.ts'
import { followSettings } from '../follow-settings.ts'
import { loadConfiguration } from '../load-configuration.ts'
import { openStore } from '../options.ts'
import { placeFlags } from '../place-flags.ts'
import { responderOf } from '../responder-of.ts'
import { environmentSettings } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'

export interface OpenChat {
  readonly palimpsest: Palimpsest
  readonly responder: Responder
  /** Takes up what another process has changed in the settings. */
  readonly refresh: () => Promise<void>
  readonly zone: string
  /** `provider:name`; `null`: there is none. */
  readonly model: string | null
  /** Where it is kept, in words. */
  readonly place: string
  /** The same for another command. */
  readonly placeFlags: string
}

/** As a server on the same database would have it. */
export async function openChat(
  flags: Pick<ChatFlags, 'db' | 'store' | 'namespace'>,
  terminal: Terminal,
  onError: (error: unknown) => void,
): Promise<OpenChat> {
  const { namespace } = flags
  const environment = environmentSettings(terminal)
  const place = databasePlace(flags, environment)
  const store = await openStore(place)
  return orClose(store, async () => {
    const { configuration, settings } = await loadConfiguration(store, { namespace, environment, terminal })
    const palimpsest = await createPalimpsest({ store, namespace, ...configuration, onError })
    const { zone, model } = settings.current.values
    const made = await responderOf(settings.current)
    const { current, refresh } = followSettings(settings, { palimpsest, made, make: responderOf })
    return {
      ...{ palimpsest, refresh, responder: request => current()(request), zone, model },
      place: place.store === undefined ? place.db : store.name,
      placeFlags: placeFlags(place, namespace),
    }
  })
}
