import type { Responder } from '@palimpsest/bot'
import { memoryOf } from '@palimpsest/server/internals/configuration'
import {
  type Configuration,
  createPalimpsest,
  type Palimpsest,
  type PalimpsestOptions,
} from 'palimpsest/internals/palimpsest'
import type { ChatFlags } from '../chat.ts'
import { databasePlace } from '../database-place.ts'
import { orClose } from '../existing-database.ts'
import { keepingOf } from '../fold-worker.ts'
import { followSettings } from '../follow-settings.ts'
import { loadConfiguration } from '../load-configuration.ts'
import { openStore } from '../options.ts'
import { responderOf } from '../responder-of.ts'
import { environmentSettings } from '../stored-settings.ts'
import type { Terminal } from '../terminal.ts'

export interface OpenChat {
  readonly palimpsest: Palimpsest
  readonly responder: Responder
  /** Applies the settings that another process has changed. */
  readonly refresh: () => Promise<void>
  readonly zone: string
  /** `provider:name`. `null`: no model is set. */
  readonly model: string | null
  /**
   * Makes the person at the terminal an owner, beside the owners in the settings: an owner may share memory
   * with everyone.
   */
  readonly setOwner: (user: string) => void
  /** Where the memory is stored, in words. */
  readonly place: string
}

/** Opens the memory with the settings that a server on the same database has. */
export async function openChat(
  flags: Pick<ChatFlags, 'db' | 'store' | 'namespace'>,
  terminal: Terminal,
  listeners: Required<Pick<PalimpsestOptions, 'onError' | 'onFold'>>,
): Promise<OpenChat> {
  const { namespace } = flags
  const environment = environmentSettings(terminal)
  const place = databasePlace(flags, environment)
  const store = await openStore(place)
  return orClose(store, async () => {
    const { configuration, settings } = await loadConfiguration(store, { namespace, environment, terminal })
    const palimpsest = await createPalimpsest({
      ...{ store, namespace, ...configuration, ...listeners },
      ...keepingOf(settings.current.values),
    })
    const { zone, model } = settings.current.values
    const made = await responderOf(settings.current)
    let local: readonly string[] = []
    const adjust = (changed: Configuration) => withOwners(changed, local)
    const { current, refresh } = followSettings(settings, { palimpsest, made, make: responderOf, adjust })
    return {
      ...{ palimpsest, refresh, responder: request => current()(request), zone, model },
      setOwner: user => {
        local = [user]
        const memory = memoryOf(settings.current.values)
        palimpsest.configure(adjust({ memory }))
      },
      place: place.store === undefined ? place.db : store.name,
    }
  })
}

function withOwners(configuration: Configuration, more: readonly string[]): Configuration {
  const { owner = [], ...memory } = configuration.memory ?? {}
  return { ...configuration, memory: { ...memory, owner: [owner, more].flat() } }
}
