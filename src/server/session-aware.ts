import { type Layer, type Layers, policyOf, resolveSettings, tryLayer } from '../config/index.ts'
import type { Policy } from '../policy/index.ts'
import { canonicalJson } from '../store/index.ts'

/** Few sessions have settings of their own, and those mostly the same ones. */
const MOST_KEPT = 1_000

/** The policy of these settings, which each session's own settings come over. */
export function sessionAware(layers: Layers): Policy {
  const usual = policyOf(resolveSettings(layers))
  const kept = new Map<string, Policy>()
  const forSession = (settings: Layer): Policy => {
    const name = canonicalJson(settings)
    const known = kept.get(name)
    if (known) return known
    if (kept.size >= MOST_KEPT) kept.clear()
    const policy = ownPolicy(settings, { layers, usual })
    kept.set(name, policy)
    return policy
  }
  return { ...usual, forSession }
}

export function withOwn(settings: Layer, layers: Layers): Layers {
  return { ...layers, session: { ...layers.session, ...tryLayer(settings, 'request').layer } }
}

/** What was stored under other settings and does not fit these any more must not stop a message. */
function ownPolicy(settings: Layer, { layers, usual }: { layers: Layers; usual: Policy }): Policy {
  try {
    return policyOf(resolveSettings(withOwn(settings, layers)))
  } catch {
    return usual
  }
}
