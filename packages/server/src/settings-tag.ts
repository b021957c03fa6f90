import { createHash } from 'node:crypto'
import { type Layer, type Resolved, shownSettings } from 'palimpsest/internals/config/index'
import { canonicalJson } from 'palimpsest/internals/store/index'

/** An entity tag of settings. It changes whenever anything that is stored or shown changes. */
export function settingsTag(stored: Layer, resolved: Resolved): string {
  const all = canonicalJson([stored, shownSettings(resolved)])
  return createHash('sha256').update(all).digest('hex').slice(0, 16)
}
