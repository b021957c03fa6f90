import type { Resolved } from 'palimpsest/internals/config/index'

/**
 * The room to keep for a reply, if the settings or the request name one. The default is left out: a call with
 * a reserve counts as the call that folds are made for, and a context that is only looked at is no such call.
 */
export function reserveOf(resolved: Resolved, { values, sources }: Resolved) {
  if (resolved.sources['outputReserve'] === 'default') return {}
  const { outputReserve } = resolved.values
  if (resolved.sources['outputReserve'] !== 'request') return { outputReserve }
  return { outputReserve, usualReserve: sources['outputReserve'] === 'default' ? null : values.outputReserve }
}
