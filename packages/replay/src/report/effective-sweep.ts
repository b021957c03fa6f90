import type { Sweep, SweepPoint } from '../comparison.ts'
import { isSameMoney } from './same-money.ts'
import { pointLabel } from './sweep-points.ts'

export interface EffectiveSweep {
  /**
   * The sweep without the idle settings. Each point is the cheapest one for its values of the other settings.
   */
  readonly sweep: Sweep
  /** Settings whose values all cost the same, whatever the other settings are. */
  readonly idle: readonly string[]
}

export function effectiveSweep(sweep: Sweep): EffectiveSweep {
  const idle = sweep.settings.filter(setting => isIdle(sweep, setting))
  if (idle.length === 0) return { sweep, idle }
  const settings = sweep.settings.filter(setting => !idle.includes(setting))
  const points = cheapestOfEach({ settings }, sweep.points)
  const { best, flat } = sweep
  return {
    sweep: {
      ...sweep,
      settings,
      points,
      flat: { ...flat, points: points.filter(point => point.money <= best.money * (1 + flat.within)) },
    },
    idle,
  }
}

/**
 * At least two values must have been tried with the same other settings. Otherwise nothing is known about the
 * setting.
 */
function isIdle({ settings, points }: Sweep, setting: string): boolean {
  const others = { settings: settings.filter(other => other !== setting) }
  const groups = [...Map.groupBy(points, point => pointLabel(others, point)).values()]
  return groups.some(group => group.length > 1) && groups.every(costsTheSame)
}

function costsTheSame(points: readonly SweepPoint[]): boolean {
  const amounts = points.map(point => point.money)
  return isSameMoney(Math.min(...amounts), Math.max(...amounts))
}

function cheapestOfEach(settings: Pick<Sweep, 'settings'>, points: readonly SweepPoint[]): SweepPoint[] {
  const groups = [...Map.groupBy(points, point => pointLabel(settings, point)).values()]
  return groups.map(group => group.reduce((a, b) => (b.money < a.money ? b : a)))
}
