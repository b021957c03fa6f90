import type { LiveSettings } from '@palimpsest/server/internals/live-settings'
import type { Resolved } from 'palimpsest/internals/config/index'
import type { Configuration, Palimpsest } from 'palimpsest/internals/palimpsest'

/** What is made of the settings, made anew when another process has changed them. */
export interface Followed<Made> {
  /** As at the last `refresh`. */
  readonly current: () => Made
  readonly refresh: () => Promise<void>
}

interface Following<Made> {
  readonly palimpsest: Palimpsest
  readonly made: Made
  readonly make: (of: Resolved) => Promise<Made>
  /** What this program has to say beside the settings. */
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
