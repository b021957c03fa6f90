import { createHash } from 'node:crypto'
import { type Layer, type Resolved, shownSettings } from 'palimpsest/internals/config/index'
import { canonicalJson } from 'palimpsest/internals/store/index'

/** An entity tag of settings: another one whenever something of what is stored or shown is other. */
export function settingsTag(stored: Layer, resolved: Resolved): string {
  const all = canonicalJson([stored, shownSettings(resolved)])
  return createHash('sha256').update(all).digest('hex').slice(0, 16)
}
