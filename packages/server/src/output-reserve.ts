import type { Resolved } from 'palimpsest/internals/config/index'

/**
 * The room to keep for a reply. It is left out if it is only the default: a context that is only looked at
 * differs from the one that folds are made for.
 */
export function reserveOf(resolved: Resolved, { values, sources }: Resolved) {
  if (resolved.sources['outputReserve'] === 'default') return {}
  const { outputReserve } = resolved.values
  if (resolved.sources['outputReserve'] !== 'request') return { outputReserve }
  return { outputReserve, usualReserve: sources['outputReserve'] === 'default' ? null : values.outputReserve }
}
