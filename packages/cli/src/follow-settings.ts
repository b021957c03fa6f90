import type { LiveSettings } from '@palimpsest/server/internals/live-settings'
import type { Resolved } from 'palimpsest/internals/config/index'
import type { Configuration, Palimpsest } from 'palimpsest/internals/palimpsest'

/** A value that is made from the settings, and made again when another process changes them. */
export interface Followed<Made> {
  /** The value as of the last `refresh`. */
  readonly current: () => Made
  readonly refresh: () => Promise<void>
}

interface Following<Made> {
  readonly palimpsest: Palimpsest
  readonly made: Made
  readonly make: (of: Resolved) => Promise<Made>
  /** Applies what this program sets beside the settings. */
  readonly adjust?: (changed: Configuration) => Configuration
}

export function followSettings<Made>(
  settings: LiveSettings,
  { palimpsest, made, make, adjust = changed => changed }: Following<Made>,
): Followed<Made> {
  let current = made
  let next: Promise<Made> = (async () => made)()
  settings.onChange((changed, resolved) => {
    palimpsest.configure(adjust(changed))
    next = make(resolved)
  })
  const refresh = async () => {
    await settings.refresh()
    current = await next
  }
  return { current: () => current, refresh }
}
