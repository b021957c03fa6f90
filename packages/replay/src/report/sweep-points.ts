import type { Sweep, SweepPoint } from '../comparison.ts'

/**
 * The label of a point: `fullContextTurns=5 cachedContextTurns=3`. It also identifies a point, since `best`
 * may be a copy.
 */
export function pointLabel({ settings }: Pick<Sweep, 'settings'>, point: SweepPoint): string {
  return settings.map(setting => `${setting}=${point.values[setting] ?? '?'}`).join(' ')
}

/** The sweep must be over one setting. */
export function sweptValue({ settings }: Sweep, point: SweepPoint): number {
  return point.values[settings[0] ?? ''] ?? 0
}

export function valuesInOrder(sweep: Sweep): SweepPoint[] {
  return [...sweep.points].sort((a, b) => sweptValue(sweep, a) - sweptValue(sweep, b))
}

export function isBest(sweep: Sweep): (point: SweepPoint) => boolean {
  const best = pointLabel(sweep, sweep.best)
  return point => pointLabel(sweep, point) === best
}

export function isFlat(sweep: Sweep): (point: SweepPoint) => boolean {
  const labels = new Set(sweep.flat.points.map(point => pointLabel(sweep, point)))
  return point => labels.has(pointLabel(sweep, point))
}

/** The best point and those neighbours that cost hardly more, as indices into `valuesInOrder`. */
export function flatStretch(sweep: Sweep): { readonly from: number; readonly to: number } {
  const ordered = valuesInOrder(sweep)
  const flat = ordered.map(isFlat(sweep))
  const best = Math.max(ordered.findIndex(isBest(sweep)), 0)
  let [from, to] = [best, best]
  while (flat[from - 1]) from -= 1
  while (flat[to + 1]) to += 1
  return { from, to }
}
