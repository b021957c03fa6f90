import { BoundedMap } from 'palimpsest/internals/bounded-map'
import {
  findSetting,
  type Layer,
  type Layers,
  policyOf,
  resolveSettings,
  tryLayer,
} from 'palimpsest/internals/config/index'
import { InvalidSettingsError } from 'palimpsest/internals/errors'
import { withFlatNames } from 'palimpsest/internals/older-names'
import type { Policy } from 'palimpsest/internals/policy/index'
import { canonicalJson } from 'palimpsest/internals/store/index'

/** Few sessions have settings of their own, and most of those have the same ones. */
const MAX_KEPT = 1_000

/** The policy of these settings. A session's own settings take precedence. */
export function sessionAware(layers: Layers): Policy {
  const usual = policyOf(resolveSettings(layers))
  const kept = new BoundedMap<string, Policy>(MAX_KEPT)
  const forSession = (own: Layer): Policy => {
    const name = canonicalJson(own)
    const known = kept.get(name)
    if (known) return known
    const policy = policyOf(resolveSettings(withFitting(own, layers)))
    kept.set(name, policy)
    return policy
  }
  return { ...usual, forSession }
}

export function withOwn(own: Layer, layers: Layers): Layers {
  return { ...layers, session: { ...layers.session, ...tryLayer(own, 'session').layer } }
}

/**
 * Leaves out the session's settings that were stored under other settings and no
 * longer fit. They must not stop a message.
 */
export function withFitting(written: Layer, layers: Layers): Layers {
  const own = withFlatNames(written)
  const all = withOwn(own, layers)
  const problems = problemsOf(all)
  const names = Object.keys(own)
  if (problems === null || names.length === 0) return all
  const named = names.filter(name => problems.includes(findSetting(name)?.name ?? name))
  const unfit = named.length > 0 ? named : names
  return withFitting(
    Object.fromEntries(Object.entries(own).filter(([name]) => !unfit.includes(name))),
    layers,
  )
}

/** The names of the settings that do not fit together. `null`: they all fit. */
function problemsOf(layers: Layers): readonly string[] | null {
  try {
    policyOf(resolveSettings(layers))
    return null
  } catch (error) {
    if (!(error instanceof InvalidSettingsError)) throw error
    return error.details.problems.map(({ setting }) => setting)
  }
}
