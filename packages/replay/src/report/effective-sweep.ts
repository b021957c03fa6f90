import type { Sweep, SweepPoint } from '../comparison.ts'
import { isSameMoney } from './same-money.ts'
import { pointLabel } from './sweep-points.ts'

export interface EffectiveSweep {
  /** As if only the settings that matter had been tried, each value of them at its cheapest. */
  readonly sweep: Sweep
  /** Settings all of whose values cost the same, whatever the others are. */
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

/** Two values of it must have been tried somewhere, or nothing is known of it. */
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
